import Quantities
import Records

/// The notifications that a hook gets, and when.
public struct NotificationRules: Equatable, Sendable {
  /// At most this number of calls in every period.
  public struct Limit: Equatable, Sendable {
    public let count: Int
    public let period: Duration

    public init(count: Int, period: Duration) { (self.count, self.period) = (count, period) }
  }

  /// Names of groups and of kinds; empty for the usual kinds: trips, visits, zones, parking, towing, ignition, power and the
  /// automatic pause.
  public var kinds: Set<String> = []
  /// The hours in which notifications are held back; nil for none.
  public var quiet: QuietHours?
  public var limit: Limit?
  /// The host of the hook's URL; nil for a program.
  public var host: String?
  /// True if the hook gets a last word before the device goes down.
  public var hasFinal = false

  public init() {}

  /// True if a kind was chosen, by its group or by its name.
  func admits(_ notification: Notification) -> Bool {
    if kinds.isEmpty { return notification.isUsual }
    return kinds.contains(notification.kind)
      || notification.isNotable && !notification.isStep && kinds.contains(notification.group.rawValue)
  }

  /// True if the hook gets the last word of a logger that stops.
  func admitsFinal(_ notification: Notification) -> Bool {
    guard hasFinal else { return false }
    let chosen = [EventGroup.power.rawValue, EventGroup.settings.rawValue, notification.kind]
    return kinds.isEmpty || chosen.contains(where: kinds.contains)
  }
}
