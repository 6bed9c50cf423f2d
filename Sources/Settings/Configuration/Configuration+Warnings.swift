extension Configuration {
  /// What is allowed and cannot be meant, each with key, reason and remedy; empty as a rule.
  public var warnings: [String] {
    profiles.indices.compactMap { index in
      neverCounts(index).map { "profiles[\(index)] (\(profiles[index].when.rawValue)): never counts: \($0)" }
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
