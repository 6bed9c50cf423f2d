/// The settings of sending that a server may change for its own destination.
public struct DeliverySettings: Equatable, Sendable {
  /// Interval of uploads; nil if off.
  public var sendInterval: Duration?
  public var batchSize: Int
  public var loggingMode: LoggingMode
  /// Batch size during a trip.
  public var tripBatchSize: Int
  public var tripLoggingMode: LoggingMode

  init(_ configuration: Configuration) {
    sendInterval = configuration.sendInterval
    batchSize = configuration.main.batchSize
    loggingMode = configuration.main.loggingMode
    let trip = configuration.usualTrip
    tripBatchSize = trip.batchSize
    tripLoggingMode = trip.loggingMode
  }
}

extension Configuration {
  /// The effective values of a destination: those that its server has set for it, otherwise its own, otherwise the general
  /// ones.
  public func delivery(to name: String) -> DeliverySettings {
    var own = self
    if let destination = destinations.first(where: { $0.name == name }) {
      if let interval = destination.sendInterval { own.sendInterval = interval }
      if let size = destination.batchSize { (own.main.batchSize, own.trip.batchSize) = (size, size) }
      if let mode = destination.loggingMode ?? destination.usualLoggingMode {
        (own.main.loggingMode, own.trip.loggingMode) = (mode, mode)
      }
    }
    for (path, value) in destinationLayer[name] ?? [:] {
      _ = own.apply(
        Override(key: path, value: value), from: .server, in: StoredLayers.serverName, ChipNames())
    }
    return DeliverySettings(own)
  }

  /// True if the operator has given this destination its own value of a setting that its server could change.
  func isSetByOperator(_ path: String, of name: String) -> Bool {
    guard (origins[Schema.destinations.path] ?? .default) >= .operator,
      let destination = destinations.first(where: { $0.name == name })
    else { return false }
    return switch path {
    case Schema.sendInterval.path: destination.sendInterval != nil
    case Schema.batchSize.path, Schema.tripBatchSize.path: destination.batchSize != nil
    case Schema.loggingMode.path, Schema.tripLoggingMode.path: destination.loggingMode != nil
    default: false
    }
  }

  /// The destinations with their effective values; during a trip, with those of `trip`.
  public func effectiveDestinations(duringTrip: Bool) -> [DestinationSettings] {
    destinations.map { destination in
      let sending = delivery(to: destination.name)
      var effective = destination
      effective.sendInterval = .some(sending.sendInterval)
      effective.batchSize = duringTrip ? sending.tripBatchSize : sending.batchSize
      effective.loggingMode = duringTrip ? sending.tripLoggingMode : sending.loggingMode
      return effective
    }
  }

  /// True if the server of a destination may change settings. By default, that of the first destination may.
  public func maySet(_ name: String) -> Bool {
    guard let index = destinations.firstIndex(where: { $0.name == name }) else { return false }
    return destinations[index].maySet ?? (index == 0)
  }

  /// The destinations to which a server may have stopped sending: by a value that reduces or delays locations, such as an
  /// interval of a day or a distance that the device never covers.
  public var silencedByServer: Set<String> {
    let isRecordingLess = Self.quieting.contains { origins[$0] == .server }
    return Set(
      destinations.map(\.name).filter { name in
        isRecordingLess && maySet(name)
          || destinationLayer[name]?.keys.contains(where: Self.quieting.contains) ?? false
      })
  }

  /// The paths of the settings that would have rejected a location of this accuracy. If it was recorded anyway, it was
  /// requested, as by a check-in, and does not prove these settings. Settings that compare locations with each other, and
  /// `main.tracking_mode`, which omits locations by design, do not apply to a single location.
  public func settingsAgainst(accuracyMetres: Double?) -> Set<String> {
    guard let limit = main.maxAccuracyMetres, main.accuracyRetry == nil,
      accuracyMetres.map({ $0 > limit }) ?? true
    else { return [] }
    return [Schema.maxAccuracy.path]
  }

  /// The settings by which a server can reduce or delay locations.
  private static let quieting = Set(
    settings.filter { $0.fromServer != .never && !harmless.contains($0.path) }.map(\.path))
  private static let harmless: Set<String> = [
    "main.visit_tracking", "main.activity_type", "main.background_indicator", "trip_mode",
    "trip.activity_type",
    "trip.background_indicator", "trip.prevent_screen_lock",
  ]

  func changesOfDestinations(to next: Configuration) -> [String] {
    // With a single destination the setting itself has the value, which may not have changed.
    let isAlone = destinations.count == 1 && next.destinations.count == 1
    return Set(destinationLayer.keys).union(next.destinationLayer.keys).sorted().flatMap { name in
      let (before, after) = (destinationLayer[name] ?? [:], next.destinationLayer[name] ?? [:])
      return Set(before.keys).union(after.keys).sorted().filter { path in
        guard before[path] != after[path] else { return false }
        return !isAlone || Schema.table[path]?.differs(self, next) != true
      }
      .map { "\($0) of \(name)" }
    }
  }
}

extension Configuration {
  /// True if the setting already has this value, given as for `--set`.
  public func has(_ value: String, for key: ServerKey) -> Bool {
    var other = self
    if let destination = key.destination {
      let before = delivery(to: destination)
      guard other.apply(Override(key: key.path, value: value), from: .server, in: "", ChipNames()).isEmpty
      else {
        return false
      }
      other.destinationLayer[destination, default: [:]][key.path] = value
      return other.delivery(to: destination) == before
    }
    guard other.apply(Override(key: key.path, value: value), from: .server, in: "", ChipNames()).isEmpty,
      let setting = Schema.table[key.path]
    else { return false }
    return !setting.differs(self, other)
  }
}
