import Quantities
import Records

/// Decides which notifications a hook gets, and when: choice of kinds, lasting faults, quiet hours and the limit.
///
/// It performs nothing itself. The owner passes notifications, sends the returned message, and calls
/// ``handleTimeout(now:clock:)`` no earlier than ``nextTimeout``. What is held back comes as one message when the quiet hours
/// are over and the limit permits it. A final notification is not held back, and takes along what is.
public struct NotificationGate: Sendable {
  /// The date and the time zone of the device.
  public struct Clock {
    public let time: Timestamp
    /// Returns the offset of the local time from UTC.
    public let aheadOfUTC: (Timestamp) -> Duration

    public init(time: Timestamp, aheadOfUTC: @escaping (Timestamp) -> Duration) {
      (self.time, self.aheadOfUTC) = (time, aheadOfUTC)
    }
  }

  /// The maximum number of notifications that are held back with their text. The others are counted.
  public static let mostHeld = 8
  /// The maximum number of faults that are followed. There are as many as kinds of faults, and as destinations.
  private static let mostFaults = 64
  /// The time for which restored notifications wait for the date, by which the quiet hours are known.
  private static let longestWaitForDate = Duration.seconds(600)

  public let rules: NotificationRules
  /// The next time at which held notifications are due; nil if none are held.
  public private(set) var nextTimeout: Moment?
  private var faults: Set<Notification.Fault> = []
  private var held: [Notification] = []
  private var more = 0
  private var sent: [Moment] = []
  /// The end of the time for which restored notifications wait for the date; nil without any.
  private var restoredUntil: Moment?

  public init(_ rules: NotificationRules) { self.rules = rules }

  /// The number of notifications that are held back.
  public var heldCount: Int { held.count + more }

  /// The records of the notifications that are held back with their text, and the number of the others, for
  /// ``restore(_:more:now:clock:)`` after a restart.
  public var heldRecords: (ids: [Int64], more: Int) {
    let ids = held.compactMap(\.record)
    return (ids, more + held.count - ids.count)
  }

  /// Holds back what an earlier run held back, and `more` others. Returns the message that is due; nil for none.
  public mutating func restore(
    _ earlier: [Notification], more: Int, now: Moment, clock: Clock?
  ) -> NotificationMessage? {
    for notification in earlier {
      follow(notification)
      hold(notification)
    }
    self.more += min(max(more, 0), .max - self.more)
    restoredUntil = now + Self.longestWaitForDate
    return release(now: now, clock: clock)
  }

  /// Returns the message to send because of a notification; nil for none. Without a clock there are no quiet hours.
  public mutating func add(_ notification: Notification, now: Moment, clock: Clock?) -> NotificationMessage? {
    if notification.isFinal, rules.admitsFinal(notification) { return takeAll(with: notification) }
    guard admits(notification) else { return nil }
    hold(notification)
    return release(now: now, clock: clock)
  }

  /// Returns the message that is due; nil for none.
  public mutating func handleTimeout(now: Moment, clock: Clock?) -> NotificationMessage? {
    guard let due = nextTimeout, now >= due else { return nil }
    return release(now: now, clock: clock)
  }

  /// Applies the choice of kinds. Of a lasting fault, the start and the end are news, and nothing between them.
  private mutating func admits(_ notification: Notification) -> Bool {
    if let host = rules.host, notification.host == host { return false }
    if let end = notification.end {
      return faults.remove(end) != nil || rules.kinds.contains(notification.kind)
    }
    guard rules.admits(notification) else { return false }
    return follow(notification)
  }

  /// Follows a fault that begins. Returns false if it has begun before.
  @discardableResult
  private mutating func follow(_ notification: Notification) -> Bool {
    guard let fault = notification.beginning, !rules.kinds.isEmpty else { return true }
    guard !faults.contains(fault) else { return false }
    if faults.count < Self.mostFaults { faults.insert(fault) }
    return true
  }

  /// Holds a notification. If there are too many, the oldest one goes that is no warning, else the oldest one.
  private mutating func hold(_ notification: Notification) {
    held.append(notification)
    guard held.count > Self.mostHeld else { return }
    held.remove(at: held.firstIndex { ![.warning, .error].contains($0.level) } ?? 0)
    more += more < .max ? 1 : 0
  }

  private mutating func release(now: Moment, clock: Clock?) -> NotificationMessage? {
    nextTimeout = nil
    guard heldCount > 0 else { return nil }
    if rules.quiet != nil, clock == nil, let restoredUntil, now < restoredUntil {
      nextTimeout = restoredUntil
      return nil
    }
    if let quiet = rules.quiet, let clock {
      let end = quiet.end(from: clock.time, aheadOfUTC: clock.aheadOfUTC)
      if end > clock.time {
        nextTimeout = now + (end - clock.time)
        return nil
      }
    }
    if let limit = rules.limit {
      sent.removeAll { now - $0 >= limit.period }
      if sent.count >= limit.count, let first = sent.first {
        nextTimeout = first + limit.period
        return nil
      }
      sent.append(now)
    }
    defer { (held, more, restoredUntil) = ([], 0, nil) }
    return NotificationMessage(held, more: more)
  }

  private mutating func takeAll(with last: Notification) -> NotificationMessage {
    defer { (held, more, nextTimeout, restoredUntil) = ([], 0, nil, nil) }
    return NotificationMessage(held + [last], more: more)
  }
}
