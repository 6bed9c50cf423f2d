/// Tells a receiver that runs one thing, acknowledged and repeated like all settings.
struct Adjusting: Equatable, Sendable {
  enum Subject: Equatable, Sendable {
    /// Sentences of satellites in view come, or do not.
    case satellites(Bool)
    /// The way in which it saves charge.
    case power(SetUp.Power)
  }

  let subject: Subject
  var run: CommandRun
}
