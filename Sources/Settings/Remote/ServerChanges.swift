import Quantities

/// What servers have set from afar, and whether it has proved itself.
///
/// Each setting is on trial by itself until, under it, a position was taken, stored and answered by the server that sent
/// it; else it goes back to its last proven value once ``Rules/maxSilence`` is over, whatever became of the others. At
/// half of that time the box checks in, be it for a trial or because a server has silenced it. The value performs nothing
/// and reads no clock: tell it what happened, carry out what it answers, keep ``record(now:boot:utc:)`` when it says so,
/// and restore from that after a restart: the time goes on where it was.
///
/// A value counts only while the server that set it may set it (``Rules/say``). Where two servers want different values for
/// the whole device, the one whose destination comes first in the file has it.
public struct ServerChanges: Equatable, Sendable {
  /// What the settings say about servers.
  public struct Rules: Equatable, Sendable {
    public var maxSilence: Duration
    /// The destinations that a server may have silenced.
    public var silenced: Set<String>
    /// False while the master switch is off: then nobody checks in.
    public var isTracking: Bool
    /// Who may set what; nil: that is not known yet, and everything counts.
    public var say: ServerSay?

    public init(
      maxSilence: Duration = .seconds(86_400), silenced: Set<String> = [], isTracking: Bool = true,
      say: ServerSay? = nil
    ) {
      self.say = say
      self.maxSilence = maxSilence
      self.silenced = silenced
      self.isTracking = isTracking
    }
  }

  /// A setting whose value has not proved itself.
  public struct Trial: Equatable, Sendable {
    /// Since when the setting has no proven value; in the past of this boot's clock where that is longer than the boot. A
    /// further value during the trial does not begin it anew.
    public var since: Moment
    /// The destination whose answer counts.
    public var by: String
    /// Locations with greater numbers were taken under the present value.
    public var afterRecord: Int64
    /// The last proven value; nil: nothing was set.
    public var before: String?
    /// The destination whose server set that; nil where nobody knows.
    public var beforeBy: String?
    /// Starts in a row that did not last.
    public var briefStarts = 0
  }

  /// A value that went back, and how often.
  public struct Failure: Equatable, Sendable {
    public var value: String
    public var count: Int
    /// The destination whose server had set it; nil where nobody knows.
    public var by: String?
    /// That server has wanted another value since: it may want this one again.
    public var isWantedAnew = false
  }

  /// A wish of one server that another's value stands against.
  public struct Outranked: Equatable, Sendable {
    public var key: ServerKey
    /// What was wished.
    public var value: String
    /// What counts, and the destination whose server set it.
    public var present: String
    public var setter: String
  }

  public enum Event: Equatable, Sendable {
    /// A server wants these values. Records up to `afterRecord` were taken before them.
    case wished([ServerKey: String], by: String, afterRecord: Int64)
    /// A server has taken records; the newest location among them, and the paths of the settings under which that was
    /// kept only because somebody asked for it: these it does not prove.
    case answered(by: String, newestLocation: Int64?, inSpiteOf: Set<String> = [])
    case rules(Rules)
    /// The operator wants nothing of what servers have set at these paths.
    case unset(Set<String>)
    /// The program is about to leave in good order.
    case stopping
  }

  public enum Action: Equatable, Sendable {
    /// ``values`` are others now: lay them under the operator's.
    case changed
    /// These are on trial from now on.
    case began([ServerKey])
    /// These went back and were not changed by their server since, or went back too often: they are not tried again.
    case refused([ServerKey])
    /// These were changed so often within ``hour`` by this server that they stay as they are for now, and are taken later;
    /// `isNew` while that was not yet told since the last change.
    case hasToWait([ServerKey], isNew: Bool)
    /// The hour of these is over: what the server wanted last is to be wished once more, as ``Event/wished(_:by:afterRecord:)``.
    case due([ServerKey: String], by: String)
    /// These stay as a server that comes first wants them.
    case outranked([Outranked])
    case proved([ServerKey])
    /// These went back, all set by one destination's server; no name where nobody knows whose.
    case wentBack([ServerKey], by: String, Reason)
    /// Take a fresh position whatever the mode, and send it to these destinations at once.
    case checkIn([String])
    /// Keep ``record(now:boot:utc:)`` for the next start.
    case keep
  }

  /// Why a change went back.
  public enum Reason: Hashable, Sendable {
    case notProved
    /// The program ended again and again soon after its start.
    case crashes
    /// The server may not set it, with the reason; it counts no more, proven or not.
    case mayNotSet(String)
    /// The operator took it back.
    case unset
  }

  /// A value that went back so often is not taken again.
  static let mostFailures = 3
  /// One server changes one setting so often within ``hour``; the last that it wants then is taken when the hour allows.
  public static let mostChanges = 6
  static let hour = Duration.seconds(3600)
  /// So many starts in a row that did not last take a trial back.
  static let mostBriefStarts = 10
  /// A start that lasts so long is no crash.
  static let lastingStart = Duration.seconds(60)
  private static let longestPauseBetweenRecords = Duration.seconds(3600)

  /// What counts now, proven or on trial.
  public internal(set) var values: [ServerKey: String] = [:]
  /// The destination whose server set each value; none where nobody knows.
  public internal(set) var setters: [ServerKey: String] = [:]
  public internal(set) var trials: [ServerKey: Trial] = [:]
  public internal(set) var failures: [ServerKey: Failure] = [:]
  public internal(set) var rules: Rules
  /// When a destination answered last.
  var contacts: [String: Moment] = [:]
  /// When the clock of a destination that never answered began.
  var begin: Moment
  var lastCheckIn: Moment?
  var lastRecord: Moment
  /// What each server changed within the last hour. Not kept for the next start.
  var paces: [Changer: Pace] = [:]
  /// What each server wants last of a setting that it has changed too often, until the hour allows it.
  var waiting: [Changer: String] = [:]
  /// The crash counter was told that this start lasts.
  var isLasting = false

  public init(rules: Rules = Rules(), now: Moment) {
    self.rules = rules
    begin = now
    lastRecord = now
  }

  // MARK: Times

  /// What the destination's server wants of the choice of records has not proved itself.
  public func isLoggingModeOnTrial(for destination: String) -> Bool {
    trials.keys.contains { $0.isLoggingMode && ($0.destination ?? destination) == destination }
  }

  /// When a setting goes back without proof; nil for one that is not on trial.
  public func goesBackAt(_ key: ServerKey) -> Moment? { trials[key].map { $0.since + rules.maxSilence } }

  /// When the first of them goes back; nil while nothing is on trial.
  public var goesBackAt: Moment? { trials.values.map(\.since).min().map { $0 + rules.maxSilence } }

  /// When the next check-in is due; nil while nobody is silenced and nothing is on trial.
  public var nextCheckIn: Moment? {
    guard rules.isTracking else { return nil }
    let half = rules.maxSilence / 2
    var due: [Moment] = rules.silenced.map { (contacts[$0] ?? begin) + half }
    due += trials.values.map { $0.since + half }
    guard let earliest = due.min() else { return nil }
    // One that led to no answer is repeated.
    return lastCheckIn.map { max(earliest, $0 + rules.maxSilence / 8) } ?? earliest
  }

  /// When ``handleTimeout(now:)`` is wanted.
  public var nextTimeout: Moment? {
    [goesBackAt, nextCheckIn, nextRecord, nextWaiting].compactMap { $0 }.min()
  }

  /// When the time that has passed is written down; only while something depends on it.
  var nextRecord: Moment? {
    if !isLasting, trials.values.contains(where: { $0.briefStarts > 0 }) { return begin + Self.lastingStart }
    let quietSince = trials.values.map(\.since).min() ?? rules.silenced.map { contacts[$0] ?? begin }.min()
    let pause = min(Self.longestPauseBetweenRecords, rules.maxSilence / 8)
    return quietSince.map { max(lastRecord, $0) + pause }
  }
}
