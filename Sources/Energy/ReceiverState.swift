/// What the receiver is doing, as far as its current and its use go.
public enum ReceiverState: String, Hashable, Sendable, CaseIterable {
  /// Without supply: it forgets what no backup supply keeps.
  case off
  /// Asleep with its clock and memory alive: it starts hot while its ephemerides are young.
  case backup
  /// Looking for a first fix.
  case searching
  /// A first fix is there, and its position still gets better.
  case settling
  /// A fix every second at full current.
  case tracking
  /// A fix every second, the radio on for a part of each.
  case cyclic

  /// Whether it hears satellites.
  public var isPowered: Bool {
    switch self {
    case .off, .backup: false
    case .searching, .settling, .tracking, .cyclic: true
    }
  }
}
