extension SettingKind where Value == Duration {
  /// A duration with its unit, exact to 1 ms.
  static func duration(_ range: ClosedRange<Duration>) -> Self {
    let bounds = (text(range.lowerBound), text(range.upperBound))
    return .withUnit(
      "a duration from \(bounds.0) to \(bounds.1) with its unit (\(UnitTable.duration.names))", .duration,
      text: text
    ) { milliseconds in
      let duration = Duration.milliseconds(milliseconds)
      return range.contains(duration) ? duration : nil
    }.shaped(SettingShape(.duration, "s", from: range.lowerBound.inSeconds, to: range.upperBound.inSeconds))
  }

  @Sendable private static func text(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    return UnitTable.duration.text(of: seconds &* 1000 &+ attoseconds / 1_000_000_000_000_000)
  }
}

extension SettingKind where Value == Double {
  /// A distance with its unit, in metres, exact to 1 mm.
  static func distance(_ range: ClosedRange<Double>) -> Self {
    let bounds = (text(range.lowerBound), text(range.upperBound))
    return .withUnit(
      "a distance from \(bounds.0) to \(bounds.1) with its unit (\(UnitTable.distance.names))", .distance,
      text: text
    ) { millimetres in
      let metres = Double(millimetres) / 1000
      return range.contains(metres) ? metres : nil
    }.shaped(SettingShape(.distance, "m", from: range.lowerBound, to: range.upperBound))
  }

  @Sendable private static func text(_ metres: Double) -> String {
    Int64(exactly: (metres * 1000).rounded()).map(UnitTable.distance.text) ?? "\(metres)m"
  }
}

extension SettingKind where Value == Int64 {
  /// A storage size with its unit, in bytes.
  static func bytes(atLeast least: Int64) -> Self {
    .withUnit(
      "a size of at least \(UnitTable.bytes.text(of: least)) with its unit (\(UnitTable.bytes.names))",
      .bytes,
      text: { UnitTable.bytes.text(of: $0) }
    ) { bytes in bytes >= least ? bytes : nil }.shaped(SettingShape(.size, "B", from: Double(least)))
  }
}

extension SettingKind {
  /// A number with a unit of `table`. `value` returns nil for a count out of range. A bare number is rejected because it
  /// has no unit.
  fileprivate static func withUnit(
    _ expected: String, _ table: UnitTable, text: @escaping @Sendable (Value) -> String,
    value: @escaping @Sendable (Int64) -> Value?
  ) -> Self {
    SettingKind(expected, text: text) { given in
      guard case .text(let written) = given else { return .wrongType }
      return table.value(of: written).flatMap(value).map(Outcome.value) ?? .badValue
    }
  }
}
