/// The tracking settings at the time of a location, which Overland adds with "tracking stats".
public struct TrackingStatistics: Hashable, Sendable {
  /// The activity type, named as in the Overland protocol.
  public enum Activity: UInt8, Sendable, CaseIterable {
    case other, automotiveNavigation, fitness, otherNavigation, airborne
  }

  /// The tracking mode; the raw values are the protocol's numbers.
  public enum Mode: UInt8, Sendable, CaseIterable {
    case off, standard, significant, both
  }

  /// The desired accuracy, from best to coarsest.
  public enum Accuracy: UInt8, Sendable, CaseIterable {
    case navigation, best, tenMetres, hundredMetres, kilometre, threeKilometres

    /// The value in the Overland protocol: metres, or −2 and −1 for the two best.
    public var metres: Int {
      switch self {
      case .navigation: -2
      case .best: -1
      case .tenMetres: 10
      case .hundredMetres: 100
      case .kilometre: 1000
      case .threeKilometres: 3000
      }
    }
  }

  /// True if the receiver sleeps while the device is stationary.
  public var pauses: Bool
  public var activity: Activity
  public var desiredAccuracy: Accuracy
  public var mode: Mode

  public init(pauses: Bool, activity: Activity, desiredAccuracy: Accuracy, mode: Mode) {
    self.pauses = pauses
    self.activity = activity
    self.desiredAccuracy = desiredAccuracy
    self.mode = mode
  }

  /// All values packed into one number, as it is stored.
  public var packed: UInt16 {
    UInt16(pauses ? 1 : 0) | UInt16(activity.rawValue) << 1 | UInt16(desiredAccuracy.rawValue) << 4
      | UInt16(mode.rawValue) << 7
  }

  /// Unpacks a stored number; nil if it is not a valid value of ``packed``.
  public init?(packed: UInt16) {
    guard packed < 1 << 9, let activity = Activity(rawValue: UInt8(packed >> 1 & 7)),
      let accuracy = Accuracy(rawValue: UInt8(packed >> 4 & 7)), let mode = Mode(rawValue: UInt8(packed >> 7))
    else { return nil }
    self.init(pauses: packed & 1 == 1, activity: activity, desiredAccuracy: accuracy, mode: mode)
  }
}
