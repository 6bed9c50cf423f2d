import Quantities

extension Configuration {
  /// Applies the values that servers have set for the whole device, then those of the operator. An invalid value is ignored.
  mutating func apply(_ stored: StoredLayers, _ chips: ChipNames) {
    for (key, value) in stored.server.sorted(by: { $0.key < $1.key }) where key.destination == nil {
      storedFaults += apply(
        Override(key: key.path, value: value), from: .server, in: StoredLayers.serverName, chips)
    }
    for (path, value) in stored.operator.sorted(by: { $0.key < $1.key }) {
      storedFaults += apply(
        Override(key: path, value: value), from: .operator, in: StoredLayers.operatorName, chips)
    }
  }

  /// Applies the values of `usage_profile` over defaults and board.
  mutating func applyProfile(_ chips: ChipNames) {
    guard let usageProfile else { return }
    for (path, value) in usageProfile.values where (origins[path] ?? .default) < .profile {
      storedFaults += apply(
        Override(key: path, value: value), from: .profile, in: Schema.usageProfile.path, chips)
    }
  }

  /// Applies the values that servers have set for their own destinations. They override the destination's values in the
  /// file. If there is only one destination, they also apply to the setting itself. The operator's values win.
  mutating func applyDestinationLayer(_ stored: StoredLayers, _ chips: ChipNames) {
    for (key, value) in stored.server.sorted(by: { $0.key < $1.key }) {
      guard let name = key.destination, destinations.contains(where: { $0.name == name }),
        (origins[key.path] ?? .default) < .operator, !isSetByOperator(key.path, of: name)
      else { continue }
      var merged = self
      let faults = merged.apply(
        Override(key: key.path, value: value), from: .server, in: StoredLayers.serverName, chips)
      storedFaults += faults
      guard faults.isEmpty else { continue }
      if destinations.count == 1 { self = merged }
      destinationLayer[name, default: [:]][key.path] = value
    }
  }
}

extension UsageProfile {
  /// The values of the usage profile by path, as in a file.
  public var changes: [(String, String)] { values.map { ($0.path, $0.value) } }

  var values: [(path: String, value: String)] {
    switch self {
    case .highResolution:
      [
        ("main.tracking_mode", "standard"), ("main.pause_automatically", "false"),
        ("main.desired_accuracy", "best"),
      ]
    case .batterySaving:
      [
        ("main.tracking_mode", "both"), ("main.pause_automatically", "true"),
        ("main.resume_with_geofence", "500m"), ("main.desired_accuracy", "100m"),
      ]
    case .significantOnly: [("main.tracking_mode", "significant")]
    }
  }
}
