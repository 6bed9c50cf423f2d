extension Configuration {
  /// Lays what servers have set for the whole device, then what the operator has set. A fault costs its own setting.
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

  /// Lays what `usage_profile` stands for over defaults and board.
  mutating func applyProfile(_ chips: ChipNames) {
    guard let usageProfile else { return }
    for (path, value) in usageProfile.values where (origins[path] ?? .default) < .profile {
      storedFaults += apply(
        Override(key: path, value: value), from: .profile, in: Schema.usageProfile.path, chips)
    }
  }

  /// What a server has set for its own destination, before what the file says of that one. Where there is no other
  /// destination it is the setting itself too. The operator's word wins.
  mutating func applyDestinationLayer(_ stored: StoredLayers, _ chips: ChipNames) {
    for (key, value) in stored.server.sorted(by: { $0.key < $1.key }) {
      guard let name = key.destination, destinations.contains(where: { $0.name == name }),
        (origins[key.path] ?? .default) < .operator, !isOperators(key.path, of: name)
      else { continue }
      var laid = self
      let faults = laid.apply(
        Override(key: key.path, value: value), from: .server, in: StoredLayers.serverName, chips)
      storedFaults += faults
      guard faults.isEmpty else { continue }
      if destinations.count == 1 { self = laid }
      destinationLayer[name, default: [:]][key.path] = value
    }
  }
}

extension UsageProfile {
  /// By path, in the words of a file.
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
