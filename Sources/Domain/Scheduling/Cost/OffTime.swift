/// Time without signals before a start, in the steps that matter for ephemerides.
public enum OffTime: Int, Sendable, CaseIterable {
  case underTenMinutes
  case underHalfAnHour
  case underTwoHours
  case underFourHours
  case longer
  /// Unknown, because the logger has just started.
  case unknown

  /// The step of `duration`; unknown if it is negative or nil.
  public init(_ duration: Duration?) {
    guard let duration, duration >= .zero else {
      self = .unknown
      return
    }
    self =
      if duration < .seconds(600) {
        .underTenMinutes
      } else if duration < .seconds(1800) {
        .underHalfAnHour
      } else if duration < EphemerisAge.surelyUsable {
        .underTwoHours
      } else if duration < EphemerisAge.hardlyUsable {
        .underFourHours
      } else {
        .longer
      }
  }
}
