import Devices
import Records

/// Tells of a board whose own supply falls too low: once while that lasts, and once where it is only known that it did.
struct BrownOutWatch: Equatable {
  private var last = BoardSupply.Reading(isLow: false, wasLow: false)

  mutating func take(_ reading: BoardSupply.Reading) -> EventRecord? {
    defer { last = reading }
    let remedy = "check the power supply and its cable"
    if reading.isLow, !last.isLow {
      return EventRecord(.brownOut, detail: "the board says that its supply is too low; \(remedy)")
    }
    guard reading.wasLow, !last.wasLow, !reading.isLow else { return nil }
    return EventRecord(
      .brownOut, detail: "the board says that its supply was too low since the machine started; \(remedy)")
  }
}
