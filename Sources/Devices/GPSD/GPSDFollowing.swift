import Quantities

/// Selects one of the receivers that gpsd reads, because alternating between two would produce a zigzag
/// track.
///
/// The first receiver to report is followed. Another one replaces it if it has a fix and the followed one had
/// none for ``patience``, or if the followed one is silent.
struct GPSDFollowing: Equatable, Sendable {
  static let patience = Duration.seconds(10)

  /// Device path on gpsd's host.
  private(set) var device: String?
  private var lastHeard = Moment.zero
  private var lastFix: Moment?

  /// Returns true if a report, with or without a fix, is from the receiver to follow. May switch to that
  /// receiver.
  mutating func heard(_ device: String, hasFix: Bool, now: Moment) -> Bool {
    if let followed = self.device, followed != device {
      let isSilent = now - lastHeard >= Self.patience
      let hasLostItsFix = lastFix.map { now - $0 >= Self.patience } ?? true
      guard isSilent || hasFix && hasLostItsFix else { return false }
      lastFix = nil
    }
    if hasFix { lastFix = now }
    self.device = device
    lastHeard = now
    return true
  }
}
