/// The settings of sending that a server may change for its own destination.
public struct DeliverySettings: Equatable, Sendable {
  /// Nil: off.
  public var sendInterval: Duration?
  public var batchSize: Int
  public var loggingMode: LoggingMode
  /// During a trip.
  public var tripBatchSize: Int
  public var tripLoggingMode: LoggingMode

  init(_ configuration: Configuration) {
    sendInterval = configuration.sendInterval
    batchSize = configuration.main.batchSize
    loggingMode = configuration.main.loggingMode
    tripBatchSize = configuration.trip.batchSize
    tripLoggingMode = configuration.trip.loggingMode
  }
}

extension Configuration {
  /// What counts for a destination: what its server has set for it, else its own settings, else those of all.
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

  /// The destinations with what counts for each of them; during a trip that is what `trip` says.
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

  /// Whether the settings that a destination's server sends are obeyed: by default those of the first one.
  public func maySet(_ name: String) -> Bool {
    guard let index = destinations.firstIndex(where: { $0.name == name }) else { return false }
    return destinations[index].maySet ?? (index == 0)
  }

  /// The destinations to which a server has silenced the box: nothing is sent, or no position is recorded.
  public var silencedByServer: Set<String> {
    let recordsNothing =
      main.trackingMode == .off && origins[Schema.trackingMode.path] == .server
    return Set(
      destinations.map(\.name).filter { name in
        if recordsNothing, maySet(name) { return true }
        guard delivery(to: name).sendInterval == nil else { return false }
        return destinationLayer[name]?[Schema.sendInterval.path] != nil
          || origins[Schema.sendInterval.path] == .server
      })
  }

  func changesOfDestinations(to next: Configuration) -> [String] {
    Set(destinationLayer.keys).union(next.destinationLayer.keys).sorted().flatMap { name in
      let (before, after) = (destinationLayer[name] ?? [:], next.destinationLayer[name] ?? [:])
      return Set(before.keys).union(after.keys).sorted().filter { before[$0] != after[$0] }
        .map { "\($0) of \(name)" }
    }
  }
}

extension Configuration {
  /// Whether a setting counts with this value already, as `--set` takes it.
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
