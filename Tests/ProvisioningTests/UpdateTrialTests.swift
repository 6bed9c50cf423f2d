import Provisioning
import Quantities
import Testing

/// The judgement of a new version against the previous one.
@Suite struct UpdateTrialTests {
  private static let sound = LoggerHealth(hasLocations: true, hasDelivered: true)
  private static let empty = LoggerHealth(hasLocations: false, hasDelivered: false)
  private static let full = LoggerHealth(hasLocations: true, hasDelivered: true, storageFault: "disk full")
  private static let refused = LoggerHealth(
    hasLocations: true, hasDelivered: false, deliveryFault: "home: HTTP status 401")

  struct Case: Sendable {
    var before: LoggerHealth?
    var now: LoggerHealth?
    /// Minutes since the upgrade; the limit is a day.
    var minutes: Int
    var verdict: UpdateTrial.Verdict
  }

  static let cases: [Case] = [
    Case(before: sound, now: sound, minutes: 5, verdict: .waiting("proven as soon as it has run for 10 min")),
    Case(before: sound, now: sound, minutes: 10, verdict: .proven),
    Case(before: sound, now: empty, minutes: 10, verdict: .waiting("no location stored; nothing delivered")),
    Case(before: sound, now: empty, minutes: 1440, verdict: .failed("no location stored; nothing delivered")),
    Case(
      before: sound, now: refused, minutes: 1439,
      verdict: .waiting("nothing delivered: home: HTTP status 401")),
    Case(
      before: sound, now: refused, minutes: 1440, verdict: .failed("nothing delivered: home: HTTP status 401")
    ),
    Case(before: sound, now: nil, minutes: 10, verdict: .waiting("the logger does not answer")),
    Case(before: sound, now: nil, minutes: 1440, verdict: .failed("the logger does not answer")),
    // Records in memory cannot wait for a day.
    Case(before: sound, now: full, minutes: 5, verdict: .waiting("the log cannot be written: disk full")),
    Case(before: sound, now: full, minutes: 10, verdict: .failed("the log cannot be written: disk full")),
    // No worse than before.
    Case(before: full, now: full, minutes: 10, verdict: .proven),
    Case(before: empty, now: empty, minutes: 10, verdict: .proven),
    Case(before: empty, now: nil, minutes: 1440, verdict: .failed("the logger does not answer")),
    Case(before: refused, now: refused, minutes: 10, verdict: .proven),
    // A version that hung promised nothing.
    Case(before: nil, now: empty, minutes: 10, verdict: .proven),
    Case(before: nil, now: nil, minutes: 1440, verdict: .proven),
    Case(before: nil, now: full, minutes: 10, verdict: .failed("the log cannot be written: disk full")),
  ]

  @Test(arguments: cases.indices)
  func aNewVersionMustAchieveWhatThePreviousOneDid(index: Int) {
    let each = Self.cases[index]
    let trial = UpdateTrial(before: each.before, limit: .seconds(86_400))
    #expect(trial.verdict(each.now, elapsed: .seconds(60 * each.minutes)) == each.verdict)
  }
}
