import Quantities

/// When an address that could not be opened is tried again, and when the socket is looked at.
///
/// It wakes nobody without need: its timer is armed only while an address is missing.
struct AddressRetry {
  /// The pauses after the first failures; the last one repeats.
  static let pauses: [Duration] = [.seconds(2), .seconds(5), .seconds(15), .seconds(60)]
  /// The shortest time between two looks at the file of the socket.
  static let lookInterval = Duration.seconds(60)

  private var failures = 0
  private var looked: Moment?
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

  /// Returns true if the file of the socket is to be looked at, at most once a minute.
  mutating func isLookDue(now: Moment) -> Bool {
    guard let last = looked else {
      looked = now
      return false
    }
    guard now - last >= Self.lookInterval else { return false }
    looked = now
    return true
  }
}
