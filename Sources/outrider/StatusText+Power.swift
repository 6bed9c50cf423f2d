import LocalAPI

extension StatusText {
  /// The level of the battery.
  static func rows(_ power: StatusReport.Power) -> [(String, String)] {
    [("power level", "\(power.level): \(power.reason)")]
  }
}
