import Devices
import Quantities
import Records

/// Tells of a board whose own supply falls too low: once while that lasts, no more than once in ``pause``, and once where it
/// is only known that it did.
struct BrownOutWatch: Equatable {
  /// A supply that is too weak falls with every peak of the load.
  static let pause = Duration.seconds(3600)

  private var last = BoardSupply.Reading(isLow: false, wasLow: false)
  private var toldAt: Moment?

  mutating func take(_ reading: BoardSupply.Reading, now: Moment) -> EventRecord? {
    defer { last = reading }
    let fell = reading.isLow && !last.isLow
    guard fell || reading.wasLow && !last.wasLow, toldAt.map({ now - $0 >= Self.pause }) ?? true else {
      return nil
    }
    toldAt = now
    return EventRecord(.brownOut, [.cause: fell ? "now" : "since_boot"])
  }
}
