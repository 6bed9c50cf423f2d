extension Configuration {
  /// The errors for battery limits in the wrong order, so that one of them is never reached. The limits can come from
  /// different sources.
  var limitsOutOfOrder: [SettingsError] {
    let pairs: [(lower: String, value: Double?, upper: String, limit: Double?, unit: String)] = [
      (Schema.powerCritical.path, power.critical, Schema.powerLow.path, power.low, "%"),
      (Schema.powerCriticalVolts.path, power.criticalVolts, Schema.powerLowVolts.path, power.lowVolts, "V"),
      (Schema.powerUnderVolts.path, power.underVolts, Schema.powerOverVolts.path, power.overVolts, "V"),
    ]
    return pairs.compactMap { pair in
      guard let value = pair.value, let limit = pair.limit, value >= limit else { return nil }
      return .notBelow(
        SettingLocation(file: "", path: pair.lower), got: "\(value) \(pair.unit)", other: pair.upper,
        limit: "\(limit) \(pair.unit)")
    }
  }
}
