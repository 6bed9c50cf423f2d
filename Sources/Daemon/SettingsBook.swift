import Quantities
import Settings
import SystemLoop

/// What the configuration is made of: the files as they were read last, and what was set while running.
struct SettingsBook {
  /// Nil where nobody said what the configuration was made of: then nothing can be set while running.
  var sources: ConfigurationSources?
  /// What the operator has set.
  var `operator`: [String: String]
  var tripSwitchedTrackingOn: Bool
  var server: ServerChanges
  /// What became of each setting that a server sent last, by path.
  var outcomes: [String: RemoteOutcome] = [:]
  /// What each destination's server sent last.
  var lastItems: [String: [ServerSet.Item]] = [:]
  /// Writes asked for and not yet answered.
  var writesUnderWay = 0
  var writeFailure: SystemError?

  init(sources: ConfigurationSources?, stored: StoredSettings, now: Moment) {
    self.sources = sources
    `operator` = stored.operator
    tripSwitchedTrackingOn = stored.tripSwitchedTrackingOn ?? false
    server = ServerChanges(
      stored.server, now: now, boot: ProcessSurroundings.bootIdentity, utc: SystemClock.timestamp())
    for key in server.values.keys {
      let isOnTrial = server.trial.map { $0.before.keys.contains(key) } ?? false
      outcomes[key.path] = RemoteOutcome(
        kind: isOnTrial ? .applied : .persisted, reason: "since before this start",
        destination: key.destination ?? (isOnTrial ? server.trial?.by : nil) ?? "")
    }
  }

  var layers: StoredLayers {
    var layers = StoredLayers()
    layers.operator = `operator`
    layers.server = server.values
    return layers
  }

  func stored(now: Moment) -> StoredSettings {
    var stored = StoredSettings()
    stored.operator = `operator`
    stored.server = server.record(
      now: now, boot: ProcessSurroundings.bootIdentity, utc: SystemClock.timestamp())
    stored.tripSwitchedTrackingOn = tripSwitchedTrackingOn ? true : nil
    return stored
  }

  var isDurable: Bool { writesUnderWay == 0 && writeFailure == nil }
}

/// What became of a setting that a server sent.
struct RemoteOutcome: Equatable {
  enum Kind: String {
    case applied, persisted, unchanged, ignored, refused
    case wentBack = "went back"
  }

  var kind: Kind
  var reason: String
  /// Whose server sent it.
  var destination: String
}
