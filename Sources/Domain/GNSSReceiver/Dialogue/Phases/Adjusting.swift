/// Changes one setting of a running receiver, acknowledged and repeated like all settings.
struct Adjusting: Equatable, Sendable {
  /// The setting that is changed.
  enum Subject: Equatable, Sendable {
    /// Satellites in view are reported, or not.
    case satellites(Bool)
    /// The power mode.
    case power(SetUp.Power)
  }

  let subject: Subject
  var run: CommandRun
}
