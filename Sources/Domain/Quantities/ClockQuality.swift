/// The origin of a time, from worst to best.
public enum ClockQuality: UInt8, Comparable, Sendable, CaseIterable {
  /// The time is unknown.
  case none
  /// The last time that was written to disk, restored at boot.
  case saved
  /// A battery-backed clock chip.
  case clockChip
  /// A network time service.
  case network
  /// The receiver's own time with a valid date.
  case receiver

  public var word: StaticString {
    switch self {
    case .none: "none"
    case .saved: "saved"
    case .clockChip: "clock chip"
    case .network: "network"
    case .receiver: "receiver"
    }
  }

  public static func < (a: ClockQuality, b: ClockQuality) -> Bool { a.rawValue < b.rawValue }
}
