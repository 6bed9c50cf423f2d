import Quantities

/// Manages the values that servers have set, and their trials.
///
/// Every setting has its own trial. It is proven when a location recorded under it was stored and acknowledged by the server
/// that sent it. Otherwise it is rolled back to its last proven value after ``Rules/maxSilence``, independently of other
/// settings. After half of that time the device checks in, for a trial or because a server has stopped its sending.
///
/// The value performs no action and reads no clock: its owner passes events, carries out the returned actions, stores
/// ``record(now:boot:utc:)`` if an action requests it, and restores it after a restart, when the time continues.
///
/// A value applies only while the server that set it has the permission (``Rules/permissions``). If servers disagree about a value
/// of the whole device, the destination listed first in the file wins.
public struct ServerChanges: Equatable, Sendable {
  /// The settings that concern servers.
  public struct Rules: Equatable, Sendable {
    public var maxSilence: Duration
    /// The destinations to which a server may have stopped sending.
    public var silenced: Set<String>
    /// True while the master switch is on. Check-ins require it.
    public var isTracking: Bool
    /// The permissions of servers; nil: not yet known, so that every value applies.
    public var permissions: ServerPermissions?

    public init(
      maxSilence: Duration = .seconds(86_400), silenced: Set<String> = [], isTracking: Bool = true,
      permissions: ServerPermissions? = nil
    ) {
      self.permissions = permissions
      self.maxSilence = maxSilence
      self.silenced = silenced
      self.isTracking = isTracking
    }
  }

  /// The trial of a setting whose value is not proven.
  public struct Trial: Equatable, Sendable {
    /// The start of the trial; before the start of the boot clock if it is older than the boot. A further value during the
    /// trial does not restart it.
    public var since: Moment
    /// The destination whose acknowledgement proves the value.
    public var by: String
    /// Id of the last location before the present value; those with greater ids were recorded under the value.
    public var afterRecord: Int64
    /// The last proven value; nil for none.
    public var before: String?
    /// The destination whose server set that value; nil if unknown.
    public var beforeBy: String?
    /// The number of consecutive short runs.
    public var briefStarts = 0
  }

  /// A value that was rolled back, and the number of times.
  public struct Failure: Equatable, Sendable {
    public var value: String
    public var count: Int
    /// The destination whose server had set it; nil if unknown.
    public var by: String?
    /// True if that server has requested another value since, so that it may request this one again.
    public var mayBeRetried = false
  }

  /// A value that a server requests and that the value of a preceding server overrides.
  public struct Outranked: Equatable, Sendable {
    public var key: ServerKey
    /// The requested value.
    public var value: String
    /// The value in force, and the destination whose server set it.
    public var present: String
    public var setter: String
  }

  /// An input.
  public enum Event: Equatable, Sendable {
    /// A server requests these values. Records up to `afterRecord` were made before them.
    case requested([ServerKey: String], by: String, afterRecord: Int64)
    /// A server has acknowledged records, with the newest location among them. `inSpiteOf` has the paths of the settings that
    /// would have rejected this location if it had not been requested; it does not prove them.
    case answered(by: String, newestLocation: Int64?, inSpiteOf: Set<String> = [])
    case rules(Rules)
    /// The operator removes the values that servers have set at these paths.
    case unset(Set<String>)
    /// The program is about to end normally.
    case stopping
  }

  /// An output, to be carried out by the owner.
  public enum Action: Equatable, Sendable {
    /// ``values`` have changed; apply them below those of the operator.
    case changed
    /// The trials of these settings have started.
    case began([ServerKey])
    /// These values were rolled back and their server has not requested others since, or they were rolled back too often.
    /// They are not tried again.
    case refused([ServerKey])
    /// This server has changed these settings too often within ``hour``; the new values are postponed. `isNew` if this was not
    /// reported since the last change.
    case postponed([ServerKey], isNew: Bool)
    /// These postponed values are due: pass them again as ``Event/requested(_:by:afterRecord:)``.
    case due([ServerKey: String], by: String)
    /// These settings keep the value of a preceding server.
    case outranked([Outranked])
    case proven([ServerKey])
    /// These values of one destination's server were rolled back; the name is empty if the destination is unknown.
    case rolledBack([ServerKey], by: String, Reason)
    /// Record a fresh location in any mode, and send it to these destinations immediately.
    case checkIn([String])
    /// Store ``record(now:boot:utc:)`` for the next start.
    case keep
  }

  /// The reason for a rollback.
  public enum Reason: Hashable, Sendable {
    case unproven
    /// The program repeatedly ended soon after its start.
    case crashes
    /// The server may not set it, with the reason; this applies to proven values, too.
    case mayNotSet(ServerPermissions.Objection)
    /// The operator removed it.
    case unset
  }

  /// The number of rollbacks after which a value is not tried again.
  static let mostFailures = 3
  /// The largest number of changes of one setting by one server within ``hour``. Later values are postponed.
  public static let mostChanges = 6
  static let hour = Duration.seconds(3600)
  /// The number of consecutive short runs that rolls a trial back.
  static let mostBriefStarts = 10
  /// The shortest run that does not count as a crash.
  static let lastingStart = Duration.seconds(60)
  private static let longestPauseBetweenRecords = Duration.seconds(3600)

  /// The values in force, proven or on trial.
  public internal(set) var values: [ServerKey: String] = [:]
  /// The destination whose server set each value; without those that are unknown.
  public internal(set) var setters: [ServerKey: String] = [:]
  public internal(set) var trials: [ServerKey: Trial] = [:]
  public internal(set) var failures: [ServerKey: Failure] = [:]
  public internal(set) var rules: Rules
  /// The last response of each destination.
  var contacts: [String: Moment] = [:]
  /// The reference time of a destination that has never responded.
  var begin: Moment
  var lastCheckIn: Moment?
  var lastRecord: Moment
  /// The changes of each server within the last hour. They are not stored for the next start.
  var rateLimits: [Changer: RateLimit] = [:]
  /// The last requested values of settings that a server has changed too often, until the rate limit permits them.
  var waiting: [Changer: String] = [:]
  /// True if this run has lasted long enough not to count as a crash.
  var isLasting = false

  public init(rules: Rules = Rules(), now: Moment) {
    self.rules = rules
    begin = now
    lastRecord = now
  }

  // MARK: Times

  /// True if the logging mode that the destination's server has set is on trial.
  public func isLoggingModeOnTrial(for destination: String) -> Bool {
    trials.keys.contains { $0.isLoggingMode && ($0.destination ?? destination) == destination }
  }

  /// The moment at which a setting is rolled back without proof; nil for one that is not on trial.
  public func rollbackTime(_ key: ServerKey) -> Moment? { trials[key].map { $0.since + rules.maxSilence } }

  /// The moment of the first rollback; nil if nothing is on trial.
  public var rollbackTime: Moment? { trials.values.map(\.since).min().map { $0 + rules.maxSilence } }

  /// The moment of the next check-in; nil if no server has stopped sending and nothing is on trial.
  public var nextCheckIn: Moment? {
    guard rules.isTracking else { return nil }
    let half = rules.maxSilence / 2
    var due: [Moment] = rules.silenced.map { (contacts[$0] ?? begin) + half }
    due += trials.values.map { $0.since + half }
    guard let earliest = due.min() else { return nil }
    // A check-in without a response is repeated.
    return lastCheckIn.map { max(earliest, $0 + rules.maxSilence / 8) } ?? earliest
  }

  /// The moment at which ``handleTimeout(now:)`` must be called.
  public var nextTimeout: Moment? {
    [rollbackTime, nextCheckIn, nextRecord, nextWaiting].compactMap { $0 }.min()
  }

  /// The moment at which the elapsed time is stored; nil if nothing depends on it.
  var nextRecord: Moment? {
    if !isLasting, trials.values.contains(where: { $0.briefStarts > 0 }) { return begin + Self.lastingStart }
    let quietSince = trials.values.map(\.since).min() ?? rules.silenced.map { contacts[$0] ?? begin }.min()
    let pause = min(Self.longestPauseBetweenRecords, rules.maxSilence / 8)
    return quietSince.map { max(lastRecord, $0) + pause }
  }
}
