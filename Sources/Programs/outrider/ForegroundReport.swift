import History
import LocalAPI
import Quantities
import Records

/// Decides when a logger in the foreground of a terminal prints a line, and renders it.
///
/// It has no timer: a line is printed at the first wake-up after ``interval``, so that a sleeping logger stays asleep.
struct ForegroundReport {
  static let interval = Duration.seconds(60)

  /// True if every stored location is printed, instead of one line per minute.
  let isVerbose: Bool
  private var last: Moment
  private var hasPosition = false

  init(isVerbose: Bool, now: Moment) {
    self.isVerbose = isVerbose
    last = now
  }

  /// Registers a stored location. Returns true if a line is due: for the first location, and for every one if verbose.
  mutating func kept(now: Moment) -> Bool {
    defer { hasPosition = true }
    guard isVerbose || !hasPosition else { return false }
    last = now
    return true
  }

  /// Registers a wake-up of the logger. Returns true if a line is due.
  mutating func woke(now: Moment) -> Bool {
    guard now - last >= Self.interval else { return false }
    last = now
    return true
  }

  /// Returns one line. `queued` is the length of the queue of each destination; nil while the log cannot be read.
  static func line(
    _ status: StatusReport, queued: [(name: String, count: Int)]?, time: Timestamp,
    clock: WallClock = WallClock(),
    units: UnitSystem = .metric
  ) -> String {
    var parts: [String] = []
    if status.tracking == false {
      parts.append("tracking is off")
    } else {
      let hasFix = status.reception?.fix != nil && status.reception?.no_fix_s == nil
      if hasFix, let position = status.position, let latitude = position.latitude,
        let longitude = position.longitude
      {
        var text = "\(latitude), \(longitude)"
        if let accuracy = position.horizontal_accuracy_m { text += " ±\(units.short(accuracy))" }
        parts.append(text)
        if let speed = position.speed_mps { parts.append(units.speed(speed)) }
      }
      if let reception = status.reception {
        parts.append(StatusText.describe(reception, of: status.receiver))
      }
    }
    parts.append("\(status.kept ?? 0) stored")
    if let queued, let first = queued.first {
      parts.append(
        queued.count == 1
          ? "\(first.count) queued"
          : "queued: " + queued.map { "\($0.name) \($0.count)" }.joined(separator: ", "))
    }
    return "\(clock.text(time))  \(parts.joined(separator: ", "))"
  }
}
