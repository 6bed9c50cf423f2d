import Quantities
import Settings
import System

/// The sources of the configuration (files and stored layers), with the state of remote settings and destinations.
///
/// Owned by the logger. ``stored(now:)`` is the part that survives a restart.
struct SettingsState {
  /// The files; nil if they are unknown: then no setting can change at run time.
  var sources: ConfigurationSources?
  /// The values of the operator by path.
  var `operator`: [String: String]
  /// The state of `tracking` that the end of a trip restores.
  var tripOverride: TripOverride?
  /// The state machine of remote settings.
  var server: ServerChanges
  /// The outcome of the settings that servers sent, by destination and path. The name is empty for values of an unknown
  /// server from before this start.
  private(set) var outcomes: [String: [String: RemoteOutcome]] = [:]
  /// The settings in the last response of every server, by destination.
  var lastItems: [String: [ServerSet.Item]] = [:]
  /// The limits of log lines, by destination.
  var logLimiters: [String: SettingsLogLimiter] = [:]
  /// The address and record form with which destinations were last served.
  var destinationStates: [String: DestinationState]
  /// The new addresses of destinations that are not reported yet.
  var moved: [String: DestinationState] = [:]
  /// The last older record of the queue of a new destination, by name.
  var newcomers: [String: Int64]
  /// Destinations of the log that are no longer configured, which was reported.
  var departed: Set<String>
  /// Destinations of the log that are no longer configured, to be reported.
  var departing: Set<String> = []
  /// Destinations that are being removed from the log.
  var forgotten: Set<String> = []
  /// The number of writes in progress.
  var writesInProgress = 0
  /// True if the settings changed after the last write was started.
  var isWriteWaiting = false
  /// The failure of the last write; nil after a success.
  var writeFailure: SystemError?
  /// True if the stored settings could not be read completely, so that they must be written again.
  let needsRewrite: Bool
  private let utc: () -> Timestamp

  init(
    sources: ConfigurationSources?, stored: StoredSettings, isUnread: Bool = false, now: Moment,
    utc: @escaping () -> Timestamp
  ) {
    self.sources = sources
    self.utc = utc
    `operator` = stored.operator
    tripOverride = stored.tripOverride
    destinationStates = stored.destinations ?? [:]
    newcomers = stored.newcomers ?? [:]
    departed = Set(stored.departed ?? [])
    needsRewrite = isUnread || !stored.faults.isEmpty
    server = ServerChanges(
      stored.server, now: now, boot: ProcessEnvironment.bootIdentity, utc: utc())
    for key in server.values.keys {
      let trial = server.trials[key]
      outcomes[key.destination ?? server.setters[key] ?? "", default: [:]][key.path] = RemoteOutcome(
        kind: trial == nil ? .persisted : .applied, reason: "set before this start")
    }
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
    stored.operator = `operator`
    stored.server = server.record(
      now: now, boot: ProcessEnvironment.bootIdentity, utc: utc())
    stored.tripOverride = tripOverride
    stored.destinations = destinationStates.isEmpty ? nil : destinationStates
    stored.newcomers = newcomers.isEmpty ? nil : newcomers
    stored.departed = departed.isEmpty ? nil : departed.sorted()
    return stored
  }

  /// True while the present settings are being saved.
  var isBeingWritten: Bool { writesInProgress > 0 || isWriteWaiting }

  /// True if the present settings are saved.
  var isDurable: Bool { !isBeingWritten && writeFailure == nil }

  /// The reason why settings cannot be saved, and the consequence; nil if they can.
  var trouble: String? {
    writeFailure.map { "\($0); changes last only until the logger stops" }
  }
}

/// The outcome of a setting that a server sent, for the status.
struct RemoteOutcome: Equatable {
  /// The kinds, with the words of the JSON of the status.
  enum Kind: String {
    case applied, persisted, unchanged, ignored, refused
    case rolledBack = "went back"

    /// True if the value is in force.
    var isInForce: Bool {
      switch self {
      case .applied, .persisted, .unchanged: true
      case .ignored, .refused, .rolledBack: false
      }
    }
  }

  var kind: Kind
  /// The reason for an ignored value; empty if there is nothing to explain.
  var reason: String
  /// The time of the outcome; nil if it is older than this start.
  var at: Moment?
}
