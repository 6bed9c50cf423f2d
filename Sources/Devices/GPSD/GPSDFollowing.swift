import Quantities

/// Chooses one receiver among those that gpsd reads, so that two of them do not draw one zigzag.
///
/// The first that speaks is followed. Another takes over when it has a fix and the followed one has had none for a
/// while, or when the followed one has fallen silent.
struct GPSDFollowing: Equatable, Sendable {
  static let patience = Duration.seconds(10)

  /// Its path on gpsd's machine.
  private(set) var device: String?
  private var lastHeard = Moment.zero
  private var lastFix: Moment?

  /// Tells whether a report with or without a fix is of the receiver to follow, from now on or as before.
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
