import Devices
import Quantities
import Records

/// Reports brown-outs of the board: once while one lasts, at most once in ``pause``, and once for one since the boot.
struct BrownOutWatch: Equatable {
  /// The minimum time between two reports: a weak supply drops with every peak of the load.
  static let pause = Duration.seconds(3600)

  private var last = BoardSupply.Reading(isLow: false, wasLow: false)
  private var reportedAt: Moment?

  /// Processes a reading of the board; returns the event of a new brown-out.
  mutating func take(_ reading: BoardSupply.Reading, now: Moment) -> EventRecord? {
    defer { last = reading }
    let fell = reading.isLow && !last.isLow
    guard fell || reading.wasLow && !last.wasLow, reportedAt.map({ now - $0 >= Self.pause }) ?? true else {
      return nil
    }
    reportedAt = now
    return EventRecord(.brownOut, [.cause: fell ? "now" : "since_boot"])
  }
}
