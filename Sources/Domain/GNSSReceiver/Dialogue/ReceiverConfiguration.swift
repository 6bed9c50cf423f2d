/// What a receiver is told to do: the complete configuration, and what changes while it runs.
struct ReceiverConfiguration: Equatable, Sendable {
  /// The complete configuration; nil leaves the receiver's own.
  var setUp: SetUp?
  /// The power mode while the receiver runs.
  var power = SetUp.Power.continuous
  /// True if the receiver reports the satellites in view besides the complete configuration.
  var reportsSatellites = false

  /// True if the complete configuration makes the receiver report satellites all the time.
  var reportsSatellitesAnyway: Bool { setUp?.satellitesEvery ?? 0 > 0 }

  /// The first setting of a running receiver, configured like this, that differs from the desired one.
  /// `canReport` is false if the receiver has no command for reports of the satellites.
  func firstDifference(from desired: ReceiverConfiguration, canReport: Bool) -> Adjusting.Subject? {
    if desired.power != power { return .power(desired.power) }
    guard desired.reportsSatellites != reportsSatellites, !reportsSatellitesAnyway, canReport else {
      return nil
    }
    return .satellites(desired.reportsSatellites)
  }
}
