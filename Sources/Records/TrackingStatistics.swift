/// How the logger was set when it kept a fix: what Overland adds to a location with "tracking stats".
public struct TrackingStatistics: Hashable, Sendable {
  /// The activity type, by the protocol's words.
  public enum Activity: UInt8, Sendable, CaseIterable {
    case other, automotiveNavigation, fitness, otherNavigation, airborne
  }

  /// The tracking mode; the raw values are the protocol's numbers.
  public enum Mode: UInt8, Sendable, CaseIterable {
    case off, standard, significant, both
  }

  /// The accuracy asked for, from best to coarsest.
  public enum Accuracy: UInt8, Sendable, CaseIterable {
    case navigation, best, tenMetres, hundredMetres, kilometre, threeKilometres

    /// The protocol's number: metres, or −2 and −1 for the two best.
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

  /// True where the receiver is put to sleep at rest.
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

  /// All of it in one small number, as it is stored.
  public var packed: UInt16 {
    UInt16(pauses ? 1 : 0) | UInt16(activity.rawValue) << 1 | UInt16(desiredAccuracy.rawValue) << 4
      | UInt16(mode.rawValue) << 7
  }

  /// Nil for a number that ``packed`` does not give.
  public init?(packed: UInt16) {
    guard packed < 1 << 9, let activity = Activity(rawValue: UInt8(packed >> 1 & 7)),
      let accuracy = Accuracy(rawValue: UInt8(packed >> 4 & 7)), let mode = Mode(rawValue: UInt8(packed >> 7))
    else { return nil }
    self.init(pauses: packed & 1 == 1, activity: activity, desiredAccuracy: accuracy, mode: mode)
  }
}
