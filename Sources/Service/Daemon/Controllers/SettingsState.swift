import Quantities
import Settings
import System

/// The sources of the configuration (files and stored layers), with the state of remote settings. ``stored(now:)`` is the part
/// that survives a restart.
struct SettingsState {
  /// The files; nil if they are unknown: then no setting can change at run time.
  private(set) var sources: ConfigurationSources?
  /// The values of the operator by path.
  private(set) var `operator`: [String: String]
  /// The state of `tracking` that the end of a trip restores.
  private(set) var tripOverride: TripOverride?
  /// The settings of the operator on trial; nil if there are none.
  private(set) var trial: SettingTrial?
  /// The settings whose trial the end of the previous run has ended, until that is reported.
  private var interruptedTrial: [String]
  /// The state machine of remote settings.
  private(set) var server: ServerChanges
  /// The outcome of the settings that servers sent, by destination and path. The name is empty for values of an unknown
  /// server from before this start.
  private(set) var outcomes: [String: [String: RemoteOutcome]] = [:]
  /// The settings in the last response of every server, by destination.
  private var lastItems: [String: [ServerSet.Item]] = [:]
  private let utc: () -> Timestamp
  /// Returns the present time with its quality; nil while it is unknown.
  private let wall: (Moment) -> WallTime?

  init(
    sources: ConfigurationSources?, stored: StoredSettings, now: Moment, utc: @escaping () -> Timestamp,
    wall: @escaping (Moment) -> WallTime?
  ) {
    self.sources = sources
    self.utc = utc
    self.wall = wall
    `operator` = stored.operator
    tripOverride = stored.tripOverride
    interruptedTrial = stored.trial ?? []
    server = ServerChanges(
      stored.server, now: now, boot: ProcessEnvironment.bootIdentity, utc: utc())
    for key in server.values.keys {
      let trial = server.trials[key]
      outcomes[key.destination ?? server.setters[key] ?? "", default: [:]][key.path] = RemoteOutcome(
        kind: trial == nil ? .persisted : .applied, reason: "set before this start")
    }
  }

  /// Takes over new files.
  mutating func replaceSources(_ sources: ConfigurationSources) { self.sources = sources }

  /// Takes over values of the operator and the override of a trip on `tracking`. Returns true if either has changed.
  mutating func adopt(operator values: [String: String], override: TripOverride?) -> Bool {
    defer { (`operator`, tripOverride) = (values, override) }
    return `operator` != values || tripOverride != override
  }

  // MARK: Trials of the operator

  /// Starts a trial; the values of the operator follow.
  mutating func begin(_ trial: SettingTrial) { self.trial = trial }

  /// Ends the trial of settings that the operator sets in another way. Returns true if one of them was on trial.
  mutating func endTrial(of paths: Set<String>) -> Bool {
    let hasLeft = trial?.leave(paths) ?? false
    if trial?.paths.isEmpty == true { trial = nil }
    return hasLeft
  }

  /// Ends the trial and keeps its values.
  mutating func keepTrial() { trial = nil }

  /// Ends the trial with the previous values. Returns its settings.
  mutating func rollTrialBack() -> [String] {
    guard let trial else { return [] }
    `operator` = trial.stored(`operator`)
    self.trial = nil
    return trial.paths
  }

  /// Returns the settings whose trial the end of the previous run has ended, once.
  mutating func takeInterruptedTrial() -> [String] {
    defer { interruptedTrial = [] }
    return interruptedTrial
  }

  // MARK: Servers

  /// Passes an event to the state machine of remote settings.
  mutating func handle(_ event: ServerChanges.Event, now: Moment) -> [ServerChanges.Action] {
    followClock(now: now)
    return server.handle(event, now: now)
  }

  /// Passes a deadline to the state machine of remote settings.
  mutating func handleTimeout(now: Moment) -> [ServerChanges.Action] {
    followClock(now: now)
    return server.handleTimeout(now: now)
  }

  private mutating func followClock(now: Moment) {
    if let time = wall(now) { _ = server.handle(.dated(time), now: now) }
  }

  /// Keeps the settings of a response. Returns true if they differ from those of the last response of this server.
  mutating func take(_ items: [ServerSet.Item], from name: String) -> Bool {
    defer { lastItems[name] = items }
    return lastItems[name] != items
  }

  // MARK: Outcomes

  /// The maximum number of outcomes that are kept for one destination.
  static let mostOutcomes = 200

  /// Records the outcome of a setting that the server of a destination sent.
  mutating func record(_ outcome: RemoteOutcome, _ path: String, by destination: String) {
    var known = outcomes[destination] ?? [:]
    if known[path] == nil, known.count >= Self.mostOutcomes {
      known = known.filter { $0.value.kind.isInForce }
    }
    known[path] = outcome
    outcomes[destination] = known
  }

  /// Records that a server sent a value that is in force already.
  ///
  /// A value of the same server keeps its outcome. A value of an unknown server from before the start is now this server's.
  mutating func recordUnchanged(_ key: ServerKey, by destination: String, at now: Moment? = nil) {
    guard outcomes[destination]?[key.path]?.kind.isInForce != true else { return }
    let isSetByServer = server.values[key] != nil
    let unassigned = isSetByServer ? outcomes[""]?.removeValue(forKey: key.path) : nil
    record(unassigned ?? RemoteOutcome(kind: .unchanged, reason: "", at: now), key.path, by: destination)
  }

  /// Records that a server replaced the device setting of other servers.
  mutating func supersede(_ key: ServerKey, by destination: String, at now: Moment? = nil) {
    guard key.destination == nil else { return }
    outcomes[""]?[key.path] = nil
    for name in outcomes.keys where name != destination {
      guard outcomes[name]?[key.path]?.kind.isInForce == true else { continue }
      outcomes[name]?[key.path] = RemoteOutcome(
        kind: .ignored, reason: "replaced by a value from \(destination)", at: now)
    }
  }

  // MARK: Layers

  /// The layers of operator and servers.
  var layers: StoredLayers {
    var layers = StoredLayers()
    layers.operator = `operator`
    layers.server = server.values
    layers.setters = server.setters
    return layers
  }

  /// The settings to be saved.
  func stored(now: Moment) -> StoredSettings {
    var stored = StoredSettings()
    stored.operator = trial?.stored(`operator`) ?? `operator`
    stored.server = server.record(
      now: now, boot: ProcessEnvironment.bootIdentity, utc: utc())
    stored.tripOverride = tripOverride
    let onTrial = Set(interruptedTrial).union(trial?.paths ?? [])
    stored.trial = onTrial.isEmpty ? nil : onTrial.sorted()
    return stored
  }
}

/// The outcome of a setting that a server sent, for the status.
struct RemoteOutcome: Equatable {
  /// The kinds, with the words of the JSON of the status.
  enum Kind: String {
    case applied, persisted, unchanged, ignored, refused, unset
    case rolledBack = "went back"

    /// True if the value is in force.
    var isInForce: Bool {
      switch self {
      case .applied, .persisted, .unchanged: true
      case .ignored, .refused, .rolledBack, .unset: false
      }
    }
  }

  var kind: Kind
  /// The reason for an ignored value; empty if there is nothing to explain.
  var reason: String
  /// The time of the outcome; nil if it is older than this start.
  var at: Moment?
}
