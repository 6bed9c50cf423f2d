/// How long a receiver was without signals before a start, in the steps that matter to ephemerides.
public enum OffTime: Int, Sendable, CaseIterable {
  case underTenMinutes
  case underHalfAnHour
  case underTwoHours
  case underFourHours
  case longer
  /// Nobody knows: the logger has just started.
  case unknown

  /// A negative duration is unknown.
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
