import Quantities

/// Selects one of the receivers that gpsd reads, because alternating between two would produce a zigzag
/// track.
///
/// The first receiver to report is followed. Another one replaces it if it has a fix and the followed one had
/// none for ``timeout``, or if the followed one is silent.
struct GPSDFollowing: Equatable, Sendable {
  static let timeout = Duration.seconds(10)

  /// Device path on gpsd's host.
  private(set) var device: String?
  private var lastReceived = Moment.zero
  private var lastFix: Moment?

  /// Returns true if a report, with or without a fix, is from the receiver to follow. May switch to that
  /// receiver.
  mutating func received(_ device: String, hasFix: Bool, now: Moment) -> Bool {
    if let followed = self.device, followed != device {
      let isSilent = now - lastReceived >= Self.timeout
      let hasLostItsFix = lastFix.map { now - $0 >= Self.timeout } ?? true
      guard isSilent || hasFix && hasLostItsFix else { return false }
      lastFix = nil
    }
    if hasFix { lastFix = now }
    self.device = device
    lastReceived = now
    return true
  }
}
