import Quantities
import Settings
import SystemLoop

/// What the configuration is made of: the files as they were read last, and what was set while running.
struct SettingsBook {
  /// Nil where nobody said what the configuration was made of: then nothing can be set while running.
  var sources: ConfigurationSources?
  /// What the operator has set.
  var `operator`: [String: String]
  /// What the end of a trip that switched tracking on puts back.
  var tripClaim: TrackingClaim?
  var server: ServerChanges
  /// What became of each setting that a server sent last, by destination and path; under no name stands what some server
  /// set before this start.
  private(set) var outcomes: [String: [String: RemoteOutcome]] = [:]
  /// What each destination's server sent last.
  var lastItems: [String: [ServerSet.Item]] = [:]
  /// What is said of that, by destination.
  var complaints: [String: ServerComplaints] = [:]
  /// What each destination was last served with.
  var standings: [String: DestinationStanding]
  /// What takes their place once it was told that records go elsewhere.
  var moved: [String: DestinationStanding] = [:]
  /// The last record that a destination which is new to the log has not had yet, by its name.
  var newcomers: [String: Int64]
  /// Destinations of the log that are configured no more, and of which that was told.
  var departed: Set<String>
  /// Those of which it has to be told.
  var departing: Set<String> = []
  /// Those that the log was asked to forget.
  var forgotten: Set<String> = []
  /// Writes asked for and not yet answered.
  var writesUnderWay = 0
  /// Something has changed since the last of them was asked for.
  var isWriteWaiting = false
  var writeFailure: SystemError?
  /// What was kept could not be read, or not all of it: the rest is to be written without it, or to be said why not.
  let isMended: Bool

  init(sources: ConfigurationSources?, stored: StoredSettings, isUnread: Bool = false, now: Moment) {
    self.sources = sources
    `operator` = stored.operator
    tripClaim = stored.tripClaim
    standings = stored.destinations ?? [:]
    newcomers = stored.newcomers ?? [:]
    departed = Set(stored.departed ?? [])
    isMended = isUnread || !stored.faults.isEmpty
    server = ServerChanges(
      stored.server, now: now, boot: ProcessSurroundings.bootIdentity, utc: SystemClock.timestamp())
    for key in server.values.keys {
      let trial = server.trials[key]
      outcomes[key.destination ?? server.setters[key] ?? "", default: [:]][key.path] = RemoteOutcome(
        kind: trial == nil ? .persisted : .applied, reason: "since before this start")
    }
  }

  // MARK: Outcomes

  /// The most that are remembered of one destination.
  static let mostOutcomes = 200

  /// What became of a setting that the destination's server sent.
  mutating func note(_ outcome: RemoteOutcome, _ path: String, by destination: String) {
    var known = outcomes[destination] ?? [:]
    if known[path] == nil, known.count >= Self.mostOutcomes {
      known = known.filter { $0.value.kind.isInForce }
    }
    known[path] = outcome
    outcomes[destination] = known
  }

  /// The setting counts already. What the same server set keeps its standing; where nobody knew who had set it before
  /// the start, this one has.
  mutating func noteUnchanged(_ key: ServerKey, by destination: String, at now: Moment? = nil) {
    guard outcomes[destination]?[key.path]?.kind.isInForce != true else { return }
    let isSetByServer = server.values[key] != nil
    let unclaimed = isSetByServer ? outcomes[""]?.removeValue(forKey: key.path) : nil
    note(unclaimed ?? RemoteOutcome(kind: .unchanged, reason: "", at: now), key.path, by: destination)
  }

  /// What other servers have set for the whole device counts no more: this one has set it since.
  mutating func supersede(_ key: ServerKey, by destination: String, at now: Moment? = nil) {
    guard key.destination == nil else { return }
    outcomes[""]?[key.path] = nil
    for name in outcomes.keys where name != destination {
      guard outcomes[name]?[key.path]?.kind.isInForce == true else { continue }
      outcomes[name]?[key.path] = RemoteOutcome(
        kind: .ignored, reason: "\(destination) has set it since", at: now)
    }
  }

  // MARK: Layers

  var layers: StoredLayers {
    var layers = StoredLayers()
    layers.operator = `operator`
    layers.server = server.values
    layers.setters = server.setters
    return layers
  }

  func stored(now: Moment) -> StoredSettings {
    var stored = StoredSettings()
    stored.operator = `operator`
    stored.server = server.record(
      now: now, boot: ProcessSurroundings.bootIdentity, utc: SystemClock.timestamp())
    stored.tripClaim = tripClaim
    stored.destinations = standings.isEmpty ? nil : standings
    stored.newcomers = newcomers.isEmpty ? nil : newcomers
    stored.departed = departed.isEmpty ? nil : departed.sorted()
    return stored
  }

  /// What is set now is on its way to the medium.
  var isBeingWritten: Bool { writesUnderWay > 0 || isWriteWaiting }

  var isDurable: Bool { !isBeingWritten && writeFailure == nil }

  /// Why nothing of it can be written, and what that means.
  var trouble: String? {
    writeFailure.map { "\($0); what is set while running counts until the logger ends" }
  }
}

/// What became of a setting that a server sent.
struct RemoteOutcome: Equatable {
  enum Kind: String {
    case applied, persisted, unchanged, ignored, refused
    case wentBack = "went back"

    /// The value that was sent counts.
    var isInForce: Bool {
      switch self {
      case .applied, .persisted, .unchanged: true
      case .ignored, .refused, .wentBack: false
      }
    }
  }

  var kind: Kind
  var reason: String
  /// When that came about; nil: before this start.
  var at: Moment?
}
