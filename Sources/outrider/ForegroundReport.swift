import LocalAPI
import Quantities
import Records

/// Decides when a logger in the foreground of a terminal prints a line, and what stands in it.
///
/// It has no timer: a line comes with the first wake-up after ``interval``, and a logger that sleeps stays asleep.
struct ForegroundReport {
  static let interval = Duration.seconds(60)

  /// Prints each kept position instead of a line a minute.
  let isVerbose: Bool
  private var last: Moment
  private var hasPosition = false

  init(isVerbose: Bool, now: Moment) {
    self.isVerbose = isVerbose
    last = now
  }

  /// A position was kept. True if a line is due: with the first one, and with every one if verbose.
  mutating func kept(now: Moment) -> Bool {
    defer { hasPosition = true }
    guard isVerbose || !hasPosition else { return false }
    last = now
    return true
  }

  /// The logger is awake. True if a line is due.
  mutating func woke(now: Moment) -> Bool {
    guard now - last >= Self.interval else { return false }
    last = now
    return true
  }

  /// `queued` is the number of records that wait, by destination; nil while the log cannot be read.
  static func line(
    _ status: StatusReport, queued: [(name: String, count: Int)]?, time: Timestamp,
    clock: WallClock = WallClock(),
    units: UnitSystem = .metric
  ) -> String {
    var parts: [String] = []
    if status.tracking == false {
      parts.append("tracking is switched off")
    } else {
      let hasFix = status.reception?.fix != nil && status.reception?.no_fix_s == nil
      if hasFix, let position = status.position {
        var place = "\(position.latitude), \(position.longitude)"
        if let accuracy = position.horizontal_accuracy_m { place += " ±\(units.short(accuracy))" }
        parts.append(place)
        if let speed = position.speed_mps { parts.append(units.speed(speed)) }
      }
      if let reception = status.reception {
        parts.append(StatusText.describe(reception, isAsleep: status.receiver?.state == "asleep"))
      }
    }
    parts.append("\(status.kept ?? 0) kept")
    if let queued, let first = queued.first {
      parts.append(
        queued.count == 1
          ? "\(first.count) queued"
          : "queued: " + queued.map { "\($0.name) \($0.count)" }.joined(separator: ", "))
    }
    return "\(clock.text(time))  \(parts.joined(separator: ", "))"
  }
}
