import Quantities

/// What servers have set from afar, and whether it has proved itself.
///
/// A change is on trial until, under it, a position was taken, stored and answered by the server that sent it; else it
/// goes back by itself once ``Rules/maxSilence`` is over. At half of that time the box checks in, be it for the trial or
/// because a server has silenced it. The value performs nothing and reads no clock: tell it what happened, carry out
/// what it answers, keep ``record(now:boot:utc:)`` when it says so, and restore from that after a restart: the time goes
/// on where it was.
public struct ServerChanges: Equatable, Sendable {
  /// What the settings say about servers.
  public struct Rules: Equatable, Sendable {
    public var maxSilence: Duration
    /// The destinations that a server may have silenced.
    public var silenced: Set<String>
    /// False while the master switch is off: then nobody checks in.
    public var isTracking: Bool

    public init(maxSilence: Duration = .seconds(86_400), silenced: Set<String> = [], isTracking: Bool = true)
    {
      self.maxSilence = maxSilence
      self.silenced = silenced
      self.isTracking = isTracking
    }
  }

  /// A change that has not proved itself.
  public struct Trial: Equatable, Sendable {
    /// When it began; in the past of this boot's clock where it has lasted longer than the boot.
    public var since: Moment
    /// The destination whose answer counts.
    public var by: String
    /// Locations with greater numbers were taken under it.
    public var afterRecord: Int64
    /// What it goes back to, by key; nil: nothing was set.
    public var before: [ServerKey: String?]
    /// Starts in a row that did not last.
    public var briefStarts = 0
  }

  /// A value that went back, and how often.
  public struct Failure: Equatable, Sendable {
    public var value: String
    public var count: Int
  }

  public enum Event: Equatable, Sendable {
    /// A server wants these values. Records up to `afterRecord` were taken before them.
    case wished([ServerKey: String], by: String, afterRecord: Int64)
    /// A server has taken records; the newest location among them.
    case answered(by: String, newestLocation: Int64?)
    case rules(Rules)
    /// The program is about to leave in good order.
    case stopping
  }

  public enum Action: Equatable, Sendable {
    /// ``values`` are others now: lay them under the operator's.
    case changed
    /// These are on trial from now on.
    case began([ServerKey])
    /// These went back so often that they are not tried again.
    case refused([ServerKey])
    case proved([ServerKey])
    case wentBack([ServerKey], Reason)
    /// Take a fresh position whatever the mode, and send it to these destinations at once.
    case checkIn([String])
    /// Keep ``record(now:boot:utc:)`` for the next start.
    case keep
  }

  /// Why a change went back.
  public enum Reason: Equatable, Sendable {
    case notProved
    /// The program ended again and again soon after its start.
    case crashes
  }

  /// A value that went back so often is not taken again.
  static let mostFailures = 3
  /// So many starts in a row that did not last take a trial back.
  static let mostBriefStarts = 10
  /// A start that lasts so long is no crash.
  static let lastingStart = Duration.seconds(60)
  private static let longestPauseBetweenRecords = Duration.seconds(3600)

  /// What counts now, proven or on trial.
  public internal(set) var values: [ServerKey: String] = [:]
  public internal(set) var trial: Trial?
  public internal(set) var failures: [ServerKey: Failure] = [:]
  public internal(set) var rules: Rules
  /// When a destination answered last.
  var contacts: [String: Moment] = [:]
  /// When the clock of a destination that never answered began.
  var begin: Moment
  var lastCheckIn: Moment?
  var lastRecord: Moment
  /// The crash counter was told that this start lasts.
  var isLasting = false

  public init(rules: Rules = Rules(), now: Moment) {
    self.rules = rules
    begin = now
    lastRecord = now
  }

  // MARK: Times

  /// When the trial ends without proof; nil without a trial.
  public var goesBackAt: Moment? { trial.map { $0.since + rules.maxSilence } }

  /// When the next check-in is due; nil while nobody is silenced and nothing is on trial.
  public var nextCheckIn: Moment? {
    guard rules.isTracking else { return nil }
    let half = rules.maxSilence / 2
    var due: [Moment] = rules.silenced.map { (contacts[$0] ?? begin) + half }
    if let trial { due.append(trial.since + half) }
    guard let earliest = due.min() else { return nil }
    // One that led to no answer is repeated.
    return lastCheckIn.map { max(earliest, $0 + rules.maxSilence / 8) } ?? earliest
  }

  /// When ``handleTimeout(now:)`` is wanted.
  public var nextTimeout: Moment? {
    [goesBackAt, nextCheckIn, nextRecord].compactMap { $0 }.min()
  }

  /// When the time that has passed is written down; only while something depends on it.
  private var nextRecord: Moment? {
    if trial?.briefStarts ?? 0 > 0, !isLasting { return begin + Self.lastingStart }
    let quietSince = trial?.since ?? rules.silenced.map { contacts[$0] ?? begin }.min()
    let pause = min(Self.longestPauseBetweenRecords, rules.maxSilence / 8)
    return quietSince.map { max(lastRecord, $0) + pause }
  }

  // MARK: Events

  public mutating func handle(_ event: Event, now: Moment) -> [Action] {
    switch event {
    case .wished(let wishes, let by, let afterRecord):
      return take(wishes, by: by, afterRecord: afterRecord, now: now)
    case .answered(let by, let newestLocation): return noteAnswer(by: by, newest: newestLocation, now: now)
    case .rules(let rules):
      self.rules = rules
      return []
    case .stopping:
      guard trial != nil || !rules.silenced.isEmpty else { return [] }
      trial?.briefStarts = 0
      lastRecord = now
      return [.keep]
    }
  }

  public mutating func handleTimeout(now: Moment) -> [Action] {
    if let goesBackAt, goesBackAt <= now { return goBack(.notProved, now: now) }
    if let trial, trial.briefStarts >= Self.mostBriefStarts { return goBack(.crashes, now: now) }
    var actions: [Action] = []
    if let nextCheckIn, nextCheckIn <= now {
      lastCheckIn = now
      actions.append(.checkIn(Set([trial?.by].compactMap { $0 }).union(rules.silenced).sorted()))
    }
    if let nextRecord, nextRecord <= now {
      if begin + Self.lastingStart <= now {
        isLasting = true
        trial?.briefStarts = 0
      }
      lastRecord = now
      actions.append(.keep)
    }
    return actions
  }

  private mutating func take(
    _ wishes: [ServerKey: String], by: String, afterRecord: Int64, now: Moment
  ) -> [Action] {
    var began: [ServerKey] = []
    var refused: [ServerKey] = []
    for (key, value) in wishes.sorted(by: { $0.key < $1.key }) where values[key] != value {
      if let failure = failures[key], failure.value == value, failure.count >= Self.mostFailures {
        refused.append(key)
      } else {
        began.append(key)
      }
    }
    var actions: [Action] = refused.isEmpty ? [] : [.refused(refused)]
    guard !began.isEmpty else { return actions }
    var before = trial?.before ?? [:]
    for key in began {
      if before[key] == nil { before[key] = .some(values[key]) }
      values[key] = wishes[key]
    }
    // What is as it was before needs no proof.
    before = before.filter { values[$0.key] != $0.value }
    // What is on trial already gets no more time by what joins it.
    trial =
      before.isEmpty
      ? nil : Trial(since: trial?.since ?? now, by: by, afterRecord: afterRecord, before: before)
    lastCheckIn = nil
    lastRecord = now
    actions += [.began(began), .changed, .keep]
    return actions
  }

  private mutating func noteAnswer(by: String, newest: Int64?, now: Moment) -> [Action] {
    contacts[by] = now
    let isWatched = rules.silenced.contains(by)
    let wasWaiting = isWatched && lastCheckIn != nil
    if isWatched { lastCheckIn = nil }
    guard let trial, trial.by == by, let newest, newest > trial.afterRecord else {
      // How long a silenced box was out of reach has to be known after a restart, but not to the minute.
      guard isWatched, wasWaiting || now - lastRecord >= rules.maxSilence / 8 else { return [] }
      lastRecord = now
      return [.keep]
    }
    let keys = trial.before.keys.sorted()
    self.trial = nil
    lastCheckIn = nil
    for key in keys { failures[key] = nil }
    lastRecord = now
    return [.proved(keys), .keep]
  }

  private mutating func goBack(_ reason: Reason, now: Moment) -> [Action] {
    guard let trial else { return [] }
    let keys = trial.before.keys.sorted()
    for (key, before) in trial.before {
      if let value = values[key] {
        let count = failures[key].flatMap { $0.value == value ? $0.count : nil } ?? 0
        failures[key] = Failure(value: value, count: count + 1)
      }
      values[key] = before
    }
    self.trial = nil
    lastCheckIn = nil
    lastRecord = now
    return [.wentBack(keys, reason), .changed, .keep]
  }
}
