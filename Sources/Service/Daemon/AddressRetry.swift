import Quantities

/// When an address that could not be opened is tried again.
///
/// It wakes nobody without need: its timer is armed only while an address is missing.
struct AddressRetry {
  /// The pauses after the first failures; the last one repeats.
  static let pauses: [Duration] = [.seconds(2), .seconds(5), .seconds(15), .seconds(60)]

  private var failures = 0
  /// The time of the next attempt; nil if no address is missing.
  private(set) var next: Moment?

  /// Takes over the result of an attempt.
  mutating func attempted(isMissing: Bool, now: Moment) {
    guard isMissing else {
      (failures, next) = (0, nil)
      return
    }
    next = now + Self.pauses[min(failures, Self.pauses.count - 1)]
    failures += 1
  }
}
