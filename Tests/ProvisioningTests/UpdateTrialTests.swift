import Provisioning
import Quantities
import Testing

/// The judgement of a new version against the previous one.
@Suite struct UpdateTrialTests {
  /// A logger whose log ended at 100 before the upgrade.
  private static func health(
    _ acknowledged: Int?..., locations: Bool = true, cause: String? = nil, works: Bool? = nil,
    fault: String? = nil, isOffline: Bool = false, lastID: Int = 100, storage: String? = nil
  ) -> LoggerHealth {
    let names = ["home", "work"]
    let servers = zip(names, acknowledged).map { name, id in
      (name, LoggerHealth.Delivery(works: works ?? (id != nil), acknowledgedID: id ?? 0, fault: fault))
    }
    return LoggerHealth(
      hasLocations: locations, noLocationCause: cause, servers: Dictionary(uniqueKeysWithValues: servers),
      isOffline: isOffline, lastID: lastID, storageFault: storage)
  }

  private static let before = health(100)
  private static let both = health(100, 100)
  private static let sound = health(120, lastID: 120)
  private static let refused = health(100, works: false, fault: "HTTP status 401", lastID: 120)
  private static let garage = health(100, locations: false, cause: "no fix", works: false, lastID: 102)
  private static let withoutReception = health(100, locations: false, works: false, lastID: 102)
  private static let offline = health(100, works: false, isOffline: true, lastID: 120)
  private static let draining = health(60, works: true, lastID: 120)
  private static let oneOfTwo = LoggerHealth(
    hasLocations: true,
    servers: [
      "home": .init(works: true, acknowledgedID: 120),
      "work": .init(works: false, acknowledgedID: 100, fault: "HTTP status 503"),
    ], lastID: 120)
  private static let full = health(120, lastID: 120, storage: "disk full")
  private static let nothing = LoggerHealth()

  struct Case: Sendable {
    var before: LoggerHealth?
    var now: LoggerHealth?
    /// Minutes since the upgrade; the limit is a day.
    var minutes: Int
    var verdict: UpdateTrial.Verdict
  }

  private static let dayMinutes = 1440
  private static let day = Duration.seconds(86_400)

  static let cases: [Case] = [
    Case(
      before: before, now: sound, minutes: 5, verdict: .waiting("proven as soon as it has run for 10 min")),
    Case(before: before, now: sound, minutes: 10, verdict: .proven),
    Case(
      before: before, now: withoutReception, minutes: dayMinutes - 1,
      verdict: .waiting("no location stored; nothing delivered to home")),
    Case(
      before: before, now: withoutReception, minutes: dayMinutes,
      verdict: .failed("no location stored; nothing delivered to home")),
    Case(
      before: before, now: refused, minutes: dayMinutes - 1,
      verdict: .waiting("nothing delivered to home: HTTP status 401")),
    Case(
      before: before, now: refused, minutes: dayMinutes,
      verdict: .failed("nothing delivered to home: HTTP status 401")),
    Case(before: before, now: nil, minutes: 10, verdict: .waiting("the logger does not respond")),
    Case(before: before, now: nil, minutes: dayMinutes, verdict: .failed("the logger does not respond")),
    // A garage, a dead network, a long queue and one of two servers prove nothing against a version for a week.
    Case(
      before: before, now: garage, minutes: 7 * dayMinutes - 1,
      verdict: .waiting("no location stored: no fix; nothing delivered to home")),
    Case(
      before: before, now: garage, minutes: 7 * dayMinutes,
      verdict: .failed("no location stored: no fix; nothing delivered to home")),
    Case(
      before: before, now: offline, minutes: 2 * dayMinutes, verdict: .waiting("nothing delivered to home")),
    Case(
      before: before, now: offline, minutes: 7 * dayMinutes, verdict: .failed("nothing delivered to home")),
    Case(
      before: before, now: draining, minutes: 2 * dayMinutes, verdict: .waiting("nothing delivered to home")),
    Case(
      before: both, now: oneOfTwo, minutes: 2 * dayMinutes,
      verdict: .waiting("nothing delivered to work: HTTP status 503")),
    Case(
      before: both, now: oneOfTwo, minutes: 7 * dayMinutes,
      verdict: .failed("nothing delivered to work: HTTP status 503")),
    // Records in memory cannot wait for a day.
    Case(before: before, now: full, minutes: 5, verdict: .unwritable("the log cannot be written: disk full")),
    Case(
      before: before, now: full, minutes: 9000, verdict: .unwritable("the log cannot be written: disk full")),
    // Records of the previous version prove nothing about this one; those of a new log do.
    Case(
      before: before, now: health(100, lastID: 120), minutes: 10,
      verdict: .waiting("nothing delivered to home")),
    Case(before: before, now: health(5, lastID: 5), minutes: 10, verdict: .proven),
    // A destination that was removed is not missed.
    Case(before: both, now: sound, minutes: 10, verdict: .proven),
    // No worse than before.
    Case(before: health(100, storage: "disk full"), now: full, minutes: 10, verdict: .proven),
    Case(before: nothing, now: withoutReception, minutes: 10, verdict: .proven),
    Case(before: nothing, now: nil, minutes: dayMinutes, verdict: .failed("the logger does not respond")),
    Case(before: health(nil), now: refused, minutes: 10, verdict: .proven),
    // A version that hung promised nothing; the new one must answer.
    Case(before: nil, now: withoutReception, minutes: 10, verdict: .proven),
    Case(before: nil, now: nil, minutes: 10, verdict: .waiting("the logger does not respond")),
    Case(before: nil, now: full, minutes: 10, verdict: .unwritable("the log cannot be written: disk full")),
  ]

  @Test(arguments: cases.indices)
  func aNewVersionMustAchieveWhatThePreviousOneDid(index: Int) {
    let each = Self.cases[index]
    let trial = UpdateTrial(before: each.before, limit: Self.day)
    #expect(trial.verdict(each.now, elapsed: .seconds(60 * each.minutes)) == each.verdict)
  }

  @Test func aHealthyLoggerStoresAndDelivers() {
    #expect(Self.sound.faults.isEmpty)
    #expect(Self.full.faults == ["the log cannot be written: disk full"])
    #expect(Self.garage.faults == ["no location stored: no fix", "nothing delivered to home"])
    #expect(Self.refused.faults == ["nothing delivered to home: HTTP status 401"])
    #expect(Self.nothing.faults == ["no location stored"])
  }

  @Test func aDeviceThatSendsRarelyHasTimeForTwoDeliveries() {
    let trial = UpdateTrial(before: Self.before, limit: Self.day, sendInterval: Self.day)
    #expect(
      trial.verdict(Self.refused, elapsed: Self.day) == .waiting("nothing delivered to home: HTTP status 401")
    )
    #expect(
      trial.verdict(Self.refused, elapsed: Self.day * 2)
        == .failed("nothing delivered to home: HTTP status 401"))
  }
}
