import Energy
import Quantities
import Settings
import Testing
import TextSnapshots

@testable import Tracking

@Suite struct HostPlanTests {
  static let texts = TextSnapshot("tracking")

  typealias Action = HostPlan.Action
  static let start = Moment.zero + .seconds(1000)

  /// A Zero 2 W with its radio off, by measured currents; a halt draws 30 mA.
  static let zero = HostCurrents(
    idle: 75, down: 30, starting: 220, stopping: 150, startTime: .seconds(15), stopTime: .seconds(4))

  static func rules(_ change: (inout HostRules) -> Void = { _ in }) -> HostRules {
    var rules = HostRules(.halt, currents: zero, lead: .seconds(20))
    change(&rules)
    return rules
  }

  static func after(_ seconds: Int) -> Moment { start + .seconds(seconds) }

  static func need(_ seconds: Int, _ purpose: HostNeed.Purpose = .look) -> HostSituation {
    HostSituation(hold: nil, needs: [HostNeed(purpose, at: after(seconds))])
  }

  /// A schedule after its first minutes, without inhibitors since.
  static func quiet(_ rules: HostRules = rules(), _ situation: HostSituation = need(10_000)) -> HostPlan {
    var plan = HostPlan(rules, now: start - .seconds(1000))
    #expect(plan.look(situation, now: start - .seconds(10)).isEmpty)
    return plan
  }

  static func reasons(_ actions: [Action]) -> [String] {
    actions.compactMap { if case .stayUp(let reason, _) = $0 { reason } else { nil } }
  }

  // MARK: Break-even time

  static let boards: [(currents: HostCurrents, seconds: ClosedRange<Double>?)] = [
    // Supply cut, halt, a Pi 5 that halts fully, one without saving.
    (
      HostCurrents(
        idle: 75, down: 0, starting: 220, stopping: 150, startTime: .seconds(15), stopTime: .seconds(4)),
      51...53
    ),
    (zero, 85...95),
    (
      HostCurrents(
        idle: 554, down: 4, starting: 456, stopping: 0, startTime: .seconds(15), stopTime: .zero), 12...13
    ),
    (
      HostCurrents(
        idle: 450, down: 450, starting: 900, stopping: 0, startTime: .seconds(15), stopTime: .zero), nil
    ),
  ]

  @Test(arguments: boards)
  func theBreakEvenTimeFollowsFromTheCurrents(_ row: (currents: HostCurrents, seconds: ClosedRange<Double>?))
  {
    let found = row.currents.breakEven?.inSeconds
    #expect((found != nil) == (row.seconds != nil))
    if let found, let seconds = row.seconds { #expect(seconds.contains(found), "\(found)") }
  }

  static let stretches: [(seconds: Int, least: Int, goes: Bool)] = [
    // The alarm is 20 s before the task, and the break-even time is 86.7 s.
    (60, 10, false), (106, 10, false), (107, 10, true), (319, 300, false), (320, 300, true), (0, 10, false),
    (-50, 10, false),
  ]

  @Test(arguments: stretches)
  func theHostSleepsIfTheTimeIsWorthIt(_ row: (seconds: Int, least: Int, goes: Bool)) {
    let rules = Self.rules { $0.least = .seconds(row.least) }
    let situation = Self.need(row.seconds)
    var plan = Self.quiet(rules, situation)
    let actions = plan.look(situation, now: Self.start)
    let need = HostNeed(.look, at: Self.after(row.seconds))
    let sleep = HostSleep(.halt, since: Self.start, wake: Self.after(row.seconds - 20), need: need)
    #expect(actions == (row.goes ? [.prepare(sleep)] : []))
    if !row.goes, let shortest = rules.shortest {
      let verdict = plan.verdict(now: Self.start)
      #expect(verdict == .tooSoon(need, shortest: shortest))
      let words = verdict.words(now: Self.start)
      #expect(words == Self.texts.expected("host stays awake: next task in \(row.seconds) s", words))
      #expect(plan.nextTimeout == nil, "the remaining time only decreases")
    }
  }

  @Test func aHostWithoutSavingStaysAwake() {
    var plan = Self.quiet(Self.rules { $0.currents?.down = 75 })
    #expect(plan.look(Self.need(10_000), now: Self.start).isEmpty)
    let verdict = plan.verdict(now: Self.start)
    #expect(verdict == .noGain)
    let words = verdict.words(now: Self.start)
    #expect(words == Self.texts.expected("host stays awake: no saving", words))
    var unknown = Self.quiet(Self.rules { $0.currents = nil })
    #expect(!unknown.look(Self.need(10_000), now: Self.start).isEmpty, "the shortest sleep alone decides")
  }

  @Test func theEarliestTaskCountsAndWithoutAnyTheHostWakesOnceADay() {
    let needs = [HostNeed(.send, at: Self.after(4000)), HostNeed(.checkIn, at: Self.after(900))]
    var plan = Self.quiet(Self.rules(), HostSituation(hold: nil, needs: needs))
    let actions = plan.look(HostSituation(hold: nil, needs: needs), now: Self.start)
    #expect(
      actions == [.prepare(HostSleep(.halt, since: Self.start, wake: Self.after(880), need: needs[1]))])
    var idle = Self.quiet(Self.rules(), HostSituation(hold: nil))
    guard case .prepare(let sleep)? = idle.look(HostSituation(hold: nil), now: Self.start).first else {
      Issue.record("the host stays awake")
      return
    }
    #expect(sleep.planned == .seconds(86_400) && sleep.need.purpose == .longest)
  }

  // MARK: Sleep inhibitors

  @Test(arguments: HostHold.allCases)
  func everySleepInhibitorKeepsTheHostAwake(hold: HostHold) {
    var plan = Self.quiet()
    let actions = plan.look(HostSituation(hold: hold), now: Self.start)
    #expect(!plan.isGoing && plan.verdict(now: Self.start) == .held(hold))
    #expect(Self.reasons(actions).isEmpty == (hold != .deafToMotion))
    #expect(hold.words == Self.texts.expected("sleep inhibitor \(hold.rawValue)", hold.words))
    // The inhibitor has ended: the quiet time starts again.
    #expect(plan.look(Self.need(10_000), now: Self.after(5)).isEmpty)
    #expect(plan.nextTimeout == Self.after(15))
    #expect(plan.look(Self.need(10_000), now: Self.after(15)).count == 1)
  }

  @Test func motionThatCannotWakeTheHostIsReportedOnce() {
    var plan = Self.quiet()
    var told = 0
    for second in 0..<5 {
      told += plan.look(HostSituation(hold: .deafToMotion), now: Self.after(second)).count
    }
    #expect(told == 1)
  }

  @Test func afterAStartTheHostStaysAwakeForAnOperator() {
    var plan = HostPlan(Self.rules(), now: Self.start)
    #expect(plan.look(Self.need(10_000), now: Self.after(1)).isEmpty)
    #expect(plan.nextTimeout == Self.after(300))
    let words = plan.verdict(now: Self.after(1)).words(now: Self.after(1))
    #expect(words == Self.texts.expected("host stays awake: after a start", words))
    #expect(plan.look(Self.need(10_000), now: Self.after(300)).count == 1)
  }

  // MARK: Going to sleep

  static func prepared() -> (plan: HostPlan, sleep: HostSleep) {
    var plan = quiet()
    let sleep = HostSleep(
      .halt, since: start, wake: after(9980), need: HostNeed(.look, at: after(10_000)))
    #expect(plan.look(need(10_000), now: start) == [.prepare(sleep)])
    return (plan, sleep)
  }

  @Test func theHostSleepsOnceEverythingIsDurableAndNothingIsInProgress() {
    var (plan, sleep) = Self.prepared()
    #expect(plan.look(HostSituation(hold: .sending), now: Self.after(1)).isEmpty)
    #expect(plan.durable(true, now: Self.after(2)).isEmpty, "the record itself is being sent")
    #expect(plan.look(Self.need(10_000), now: Self.after(4)) == [.goDown(sleep)])
    #expect(plan.isFalling)
    #expect(plan.look(HostSituation(hold: .motion), now: Self.after(5)).isEmpty, "the command is final")
    #expect(plan.commanded(failure: nil, now: Self.after(6)).isEmpty)
  }

  @Test func motionDuringThePreparationCancelsTheSleep() {
    var (plan, _) = Self.prepared()
    let actions = plan.look(HostSituation(hold: .motion), now: Self.after(1))
    #expect(Self.reasons(actions) == [HostHold.motion.words] && !plan.isGoing && plan.failures == 0)
    #expect(plan.durable(true, now: Self.after(2)).isEmpty)
  }

  @Test func failuresAreRetriedWithBackOff() {
    var plan = Self.quiet(Self.rules { $0.longestPause = .seconds(3600) }, Self.need(1_000_000))
    var now = Self.start
    for pause in [600, 1200, 2400, 3600, 3600] {
      #expect(plan.look(Self.need(1_000_000), now: now).count == 1)
      #expect(plan.durable(true, now: now).count == 1)
      let told = plan.commanded(failure: "left with status 1", now: now)
      #expect(told == [.stayUp(reason: "left with status 1", retry: .seconds(pause))])
      #expect(plan.look(Self.need(1_000_000), now: now + .seconds(pause - 1)).isEmpty)
      now = now + .seconds(pause)
    }
    #expect(plan.failures == 5)
    #expect(plan.look(Self.need(1_000_000), now: now).count == 1)
    #expect(plan.durable(true, now: now).count == 1)
    // A successful sleep makes the next failure the first.
    let woke = HostWaking(slept: .seconds(995_000), planned: .seconds(1_000_000 - 20 - 13_600))
    #expect(
      plan.resumed(after: .seconds(995_000), now: now + .seconds(995_000)).first.map {
        if case .woke = $0 { true } else { false }
      } == true, "\(woke)")
  }

  @Test func aHostThatIsStillAwakeAfterTheCommandHasFailed() throws {
    var (plan, _) = Self.prepared()
    _ = plan.durable(true, now: Self.after(1))
    #expect(plan.nextTimeout == Self.after(91))
    let reasons = Self.reasons(plan.handleTimeout(now: Self.after(91)))
    let reason = try #require(reasons.first)
    #expect(reason == Self.texts.expected("host still awake after the command", reason))
  }

  @Test func aLogThatCannotBeWrittenKeepsTheHostAwake() throws {
    var (plan, _) = Self.prepared()
    let failures = Self.reasons(plan.durable(false, now: Self.after(1)))
    let failed = try #require(failures.first)
    #expect(failures.count == 1)
    #expect(failed == Self.texts.expected("host stays awake: log failed", failed))
    var (slow, _) = Self.prepared()
    let timeouts = Self.reasons(slow.handleTimeout(now: Self.after(90)))
    let late = try #require(timeouts.first)
    #expect(late == Self.texts.expected("host stays awake: log too slow", late))
  }

  // MARK: Waking

  @Test func theHostStaysAwakeBrieflyAfterTheAlarmAndLongerOtherwise() {
    var (plan, sleep) = Self.prepared()
    _ = plan.durable(true, now: Self.after(1))
    var early = plan
    let planned = HostWaking(slept: .seconds(9979), planned: sleep.planned)
    #expect(plan.resumed(after: .seconds(9979), now: Self.after(9980)) == [.woke(planned)])
    #expect(planned.isAsPlanned && plan.sleeps == 1 && plan.slept == .seconds(9979))
    #expect(plan.look(Self.need(20_000), now: Self.after(9981)).isEmpty)
    #expect(plan.nextTimeout == Self.after(9980 + 30))
    #expect(early.resumed(after: .seconds(50), now: Self.after(52)).count == 1)
    _ = early.look(Self.need(20_000), now: Self.after(53))
    #expect(early.nextTimeout == Self.after(52 + 300), "an operator may have pressed the button")
  }

  static let notes: [(now: Int64?, uptime: Int, slept: Int?, isAsPlanned: Bool)] = [
    (1_003_600, 25, 3575, true), (1_000_600, 25, 575, false), (nil, 25, nil, false),
    // A clock that was set, and one that ran backwards.
    (999_000, 25, nil, false), (.max, 25, nil, false), (1_000_010, 25, 0, false),
  ]

  @Test(arguments: notes)
  func theNextLoggerKnowsHowLongTheHostSlept(
    _ row: (now: Int64?, uptime: Int, slept: Int?, isAsPlanned: Bool)
  ) throws {
    let note = HostNote(boot: "a", depth: .halt, planned: .seconds(3580), clockChip: 1_000_000)
    let read = try #require(HostNote(text: note.text))
    #expect(read == note)
    let waking = try #require(read.waking(boot: "b", uptime: .seconds(row.uptime), clockChip: row.now))
    #expect(waking.slept == row.slept.map { .seconds($0) } && waking.isAsPlanned == row.isAsPlanned)
    #expect(read.waking(boot: "a", uptime: .seconds(25), clockChip: row.now) == nil, "the host did not sleep")
  }

  @Test(arguments: ["", "1 halt", "2 halt 5 - a", "1 nap 5 - a", "1 halt -5 - a", "1 halt 99999999999 - a"])
  func anyOtherTextIsRejectedAsANote(text: String) { #expect(HostNote(text: text) == nil) }
}
