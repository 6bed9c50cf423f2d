/// The operating state of the receiver with respect to its current.
public enum ReceiverState: String, Hashable, Sendable, CaseIterable {
  /// The receiver has no supply. Its data is lost unless a backup supply keeps it.
  case off
  /// Asleep in backup mode: clock and data are kept, and a hot start is possible while the ephemerides are valid.
  case backup
  /// Acquisition: searching for the first fix.
  case searching
  /// After the first fix, while the accuracy still improves.
  case settling
  /// One fix per second at full current.
  case tracking
  /// One fix per second, with a duty cycle.
  case cyclic

  /// True if the receiver can receive satellites.
  public var isPowered: Bool {
    switch self {
    case .off, .backup: false
    case .searching, .settling, .tracking, .cyclic: true
    }
  }
}
