extension Configuration {
  /// What is allowed and cannot be meant, each with key, reason and remedy; empty as a rule.
  public var warnings: [String] {
    profiles.indices.compactMap { index in
      neverCounts(index).map { "profiles[\(index)] (\(profiles[index].when.rawValue)): never counts: \($0)" }
    }
      + destinations.enumerated().flatMap { index, destination in
        destination.withoutEffect.map { "destinations[\(index)] (\(destination.name)): \($0)" }
      }
  }

  private func neverCounts(_ index: Int) -> String? {
    if let reason = cannotHold(profiles[index].when) { return reason }
    let before = profiles[..<index].map(\.when)
    if let whole = before.first(where: holdsAlways) {
      return "\(whole.rawValue) stands before it and holds at all times; put this one before that"
    }
    if before.contains(.moving), before.contains(.stop) {
      return "moving and stop stand before it, and one of them holds at all times; put this one before them"
    }
    return nil
  }

  /// A box without a gauge counts as full on mains and in a vehicle.
  private func holdsAlways(_ condition: ProfileCondition) -> Bool {
    switch condition {
    case .always: true
    case .charging: gauge == nil && supply != .battery
    case .lowBattery, .inZone, .trip, .moving, .stop: false
    }
  }

  private func cannotHold(_ condition: ProfileCondition) -> String? {
    switch condition {
    case .inZone:
      return zones.contains(where: \.hasProfile) ? nil : "no zone has profile: true; give it to one of zones"
    case .charging:
      return gauge == nil && supply == .battery
        ? "without a gauge nobody knows whether the battery is charged; name one (gauge)" : nil
    case .lowBattery:
      switch supply {
      case .mains: return "supply is mains, which is never low; remove it, or set supply"
      case .vehicle where power.lowVolts == nil && power.criticalVolts == nil:
        return "no voltage of the vehicle counts as low; set power.low_V"
      case .vehicle, .battery:
        return gauge == nil ? "without a gauge nobody knows that the battery is low; name one (gauge)" : nil
      }
    case .trip, .moving, .stop, .always: return nil
    }
  }
}

extension DestinationSettings {
  /// What is given and does nothing, each with its remedy.
  fileprivate var withoutEffect: [String] {
    var lines: [String] = []
    if user != nil, password == nil {
      if url.isBroker {
        if token == nil { lines.append("user: logs in without a password; give password too") }
      } else if kind == .query || kind == .overland && records != .owntracks {
        lines.append("user: has no effect without password; give both or neither")
      }
    }
    if let size = batchSize, size > 1 {
      switch kind {
      case .overland: break
      case .owntracks, .query:
        lines.append("batch_size: has no effect: \(kind.rawValue) takes one record a request; leave it out")
      case .file: lines.append("batch_size: has no effect: files are written by the hour; leave it out")
      }
    }
    return lines
  }
}
