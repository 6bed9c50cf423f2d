import DaySupport
import Energy
import Quantities
import Settings
import Testing
import TextSnapshots
import Scheduling

@Suite struct HostScheduleTests {
  static let texts = TextSnapshot("tracking")

  typealias Action = HostSchedule.Action
  static let start = Moment.zero + .seconds(1000)

  static func rules(_ change: (inout HostRules) -> Void = { _ in }) -> HostRules {
    var rules = HostRules(.halt, currents: .zero2W, lead: .seconds(20))
    change(&rules)
    return rules
  }

  static func after(_ seconds: Int) -> Moment { start + .seconds(seconds) }

  static func need(_ seconds: Int, _ purpose: HostNeed.Purpose = .look) -> HostSituation {
    HostSituation(inhibitor: nil, needs: [HostNeed(purpose, at: after(seconds))])
  }

  /// A schedule after its first minutes, without inhibitors since.
  static func quiet(_ rules: HostRules = rules(), _ situation: HostSituation = need(10_000)) -> HostSchedule {
    var schedule = HostSchedule(rules, now: start - .seconds(1000))
    #expect(schedule.look(situation, now: start - .seconds(10)).isEmpty)
    return schedule
  }

  static func reasons(_ actions: [Action]) -> [String] {
    actions.compactMap { if case .stayAwake(let reason, _) = $0 { reason } else { nil } }
  }

  // MARK: Break-even time

  static let boards: [(currents: HostCurrents, seconds: ClosedRange<Double>?)] = [
    // Supply cut, halt, a Pi 5 that halts fully, one without saving.
    (
      HostCurrents(
        idle: 75, down: 0, starting: 220, stopping: 150, startTime: .seconds(15), stopTime: .seconds(4)),
      51...53
    ),
    (.zero2W, 85...95),
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

  static let sleepLengths: [(seconds: Int, least: Int, maySleep: Bool)] = [
    // The alarm is 20 s before the task, and the break-even time is 86.7 s.
    (60, 10, false), (106, 10, false), (107, 10, true), (319, 300, false), (320, 300, true), (0, 10, false),
    (-50, 10, false),
  ]

  @Test(arguments: sleepLengths)
  func theHostSleepsIfTheTimeIsWorthIt(_ row: (seconds: Int, least: Int, maySleep: Bool)) {
    let rules = Self.rules { $0.least = .seconds(row.least) }
    let situation = Self.need(row.seconds)
    var schedule = Self.quiet(rules, situation)
    let actions = schedule.look(situation, now: Self.start)
    let need = HostNeed(.look, at: Self.after(row.seconds))
    let sleep = HostSleep(.halt, since: Self.start, wake: Self.after(row.seconds - 20), need: need)
    #expect(actions == (row.maySleep ? [.prepare(sleep)] : []))
    if !row.maySleep, let shortest = rules.shortest {
      let verdict = schedule.verdict(now: Self.start)
      #expect(verdict == .tooSoon(need, shortest: shortest))
      let text = verdict.text(now: Self.start)
      #expect(text == Self.texts.expected("host stays awake: next task in \(row.seconds) s", text))
      #expect(schedule.nextTimeout == nil, "the remaining time only decreases")
    }
  }

  @Test func aHostWithoutSavingStaysAwake() {
    var schedule = Self.quiet(Self.rules { $0.currents?.down = 75 })
    #expect(schedule.look(Self.need(10_000), now: Self.start).isEmpty)
    let verdict = schedule.verdict(now: Self.start)
    #expect(verdict == .noGain)
    let text = verdict.text(now: Self.start)
    #expect(text == Self.texts.expected("host stays awake: no saving", text))
    var unknown = Self.quiet(Self.rules { $0.currents = nil })
    #expect(!unknown.look(Self.need(10_000), now: Self.start).isEmpty, "the shortest sleep alone decides")
  }

  @Test func theEarliestTaskCountsAndWithoutAnyTheHostWakesOnceADay() {
    let needs = [HostNeed(.send, at: Self.after(4000)), HostNeed(.checkIn, at: Self.after(900))]
    var schedule = Self.quiet(Self.rules(), HostSituation(inhibitor: nil, needs: needs))
    let actions = schedule.look(HostSituation(inhibitor: nil, needs: needs), now: Self.start)
    #expect(
      actions == [.prepare(HostSleep(.halt, since: Self.start, wake: Self.after(880), need: needs[1]))])
    var idle = Self.quiet(Self.rules(), HostSituation(inhibitor: nil))
    guard case .prepare(let sleep)? = idle.look(HostSituation(inhibitor: nil), now: Self.start).first else {
      Issue.record("the host stays awake")
      return
    }
    #expect(sleep.planned == .seconds(86_400) && sleep.need.purpose == .longest)
  }

  /// The memory of a receiver holds five minutes, the shortest sleep for any other task.
  @Test func whileTheReceiverStoresEpochsAShorterSleepIsWorthwhile() {
    func planned(_ seconds: Int, _ purpose: HostNeed.Purpose) -> Duration? {
      let situation = Self.need(seconds, purpose)
      var schedule = Self.quiet(Self.rules(), situation)
      guard case .prepare(let sleep)? = schedule.look(situation, now: Self.start).first else { return nil }
      // As short as half of it after slow preparations.
      let isGoing = !schedule.durable(true, now: sleep.wake - .seconds(61)).isEmpty
      return isGoing && schedule.isFalling ? sleep.planned : nil
    }
    #expect(planned(270, .storedEpochs) == .seconds(250))
    #expect(planned(140, .storedEpochs) == .seconds(120))
    #expect(planned(139, .storedEpochs) == nil && planned(270, .look) == nil)
  }

  // MARK: Sleep inhibitors

  @Test(arguments: HostSleepInhibitor.allCases)
  func everySleepInhibitorKeepsTheHostAwake(inhibitor: HostSleepInhibitor) {
    var schedule = Self.quiet()
    let actions = schedule.look(HostSituation(inhibitor: inhibitor), now: Self.start)
    #expect(!schedule.isGoingToSleep && schedule.verdict(now: Self.start) == .inhibited(inhibitor))
    #expect(Self.reasons(actions).isEmpty == (inhibitor != .motionCannotWake))
    #expect(inhibitor.text == Self.texts.expected("sleep inhibitor \(inhibitor.rawValue)", inhibitor.text))
    // The inhibitor has ended: the quiet time starts again.
    #expect(schedule.look(Self.need(10_000), now: Self.after(5)).isEmpty)
    #expect(schedule.nextTimeout == Self.after(10))
    #expect(schedule.look(Self.need(10_000), now: Self.after(10)).count == 1)
  }

  @Test func motionThatCannotWakeTheHostIsReportedOnce() {
    var schedule = Self.quiet()
    var reported = 0
    for second in 0..<5 {
      reported += schedule.look(HostSituation(inhibitor: .motionCannotWake), now: Self.after(second)).count
    }
    #expect(reported == 1)
  }

  @Test func afterAStartTheHostStaysAwakeForAnOperator() {
    var schedule = HostSchedule(Self.rules(), now: Self.start)
    #expect(schedule.look(Self.need(10_000), now: Self.after(1)).isEmpty)
    #expect(schedule.nextTimeout == Self.after(300))
    let text = schedule.verdict(now: Self.after(1)).text(now: Self.after(1))
    #expect(text == Self.texts.expected("host stays awake: after a start", text))
    #expect(schedule.look(Self.need(10_000), now: Self.after(300)).count == 1)
  }

  // MARK: Going to sleep

  static func prepared() -> (schedule: HostSchedule, sleep: HostSleep) {
    var schedule = quiet()
    let sleep = HostSleep(
      .halt, since: start, wake: after(9980), need: HostNeed(.look, at: after(10_000)))
    #expect(schedule.look(need(10_000), now: start) == [.prepare(sleep)])
    return (schedule, sleep)
  }

  @Test func theHostSleepsOnceEverythingIsDurableAndNothingIsInProgress() {
    var (schedule, sleep) = Self.prepared()
    #expect(schedule.look(HostSituation(inhibitor: .sending), now: Self.after(1)).isEmpty)
    #expect(schedule.durable(true, now: Self.after(2)).isEmpty, "the record itself is being sent")
    #expect(schedule.look(Self.need(10_000), now: Self.after(4)) == [.goDown(sleep)])
    #expect(schedule.isFalling)
    #expect(
      schedule.look(HostSituation(inhibitor: .motion), now: Self.after(5)).isEmpty, "the command is final")
    #expect(schedule.commanded(failure: nil, now: Self.after(6)).isEmpty)
  }

  @Test func motionDuringThePreparationCancelsTheSleep() {
    var (schedule, _) = Self.prepared()
    let actions = schedule.look(HostSituation(inhibitor: .motion), now: Self.after(1))
    #expect(
      Self.reasons(actions) == [HostSleepInhibitor.motion.text] && !schedule.isGoingToSleep
        && schedule.failures == 0)
    #expect(schedule.durable(true, now: Self.after(2)).isEmpty)
  }

  @Test func failuresAreRetriedWithBackOff() {
    var schedule = Self.quiet(Self.rules { $0.longestPause = .seconds(3600) }, Self.need(1_000_000))
    var now = Self.start
    for pause in [600, 1200, 2400, 3600, 3600] {
      #expect(schedule.look(Self.need(1_000_000), now: now).count == 1)
      #expect(schedule.durable(true, now: now).count == 1)
      let reported = schedule.commanded(failure: "left with status 1", now: now)
      #expect(reported == [.stayAwake(reason: "left with status 1", retry: .seconds(pause))])
      #expect(schedule.look(Self.need(1_000_000), now: now + .seconds(pause - 1)).isEmpty)
      now = now + .seconds(pause)
    }
    #expect(schedule.failures == 5)
    #expect(schedule.look(Self.need(1_000_000), now: now).count == 1)
    #expect(schedule.durable(true, now: now).count == 1)
    // A successful sleep makes the next failure the first.
    let woke = HostWaking(slept: .seconds(995_000), planned: .seconds(1_000_000 - 20 - 13_600))
    #expect(
      schedule.resumed(after: .seconds(995_000), now: now + .seconds(995_000)).first.map {
        if case .woke = $0 { true } else { false }
      } == true, "\(woke)")
  }

  @Test func aHostThatIsStillAwakeAfterTheCommandHasFailed() throws {
    var (schedule, _) = Self.prepared()
    _ = schedule.durable(true, now: Self.after(1))
    #expect(schedule.nextTimeout == Self.after(91))
    let reasons = Self.reasons(schedule.handleTimeout(now: Self.after(91)))
    let reason = try #require(reasons.first)
    #expect(reason == Self.texts.expected("host still awake after the command", reason))
  }

  @Test func aLogThatCannotBeWrittenKeepsTheHostAwake() throws {
    var (schedule, _) = Self.prepared()
    let failures = Self.reasons(schedule.durable(false, now: Self.after(1)))
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
    var (schedule, sleep) = Self.prepared()
    _ = schedule.durable(true, now: Self.after(1))
    var early = schedule
    let planned = HostWaking(slept: .seconds(9979), planned: sleep.planned)
    #expect(schedule.resumed(after: .seconds(9979), now: Self.after(9980)) == [.woke(planned)])
    #expect(planned.isAsPlanned && schedule.sleeps == 1 && schedule.slept == .seconds(9979))
    #expect(schedule.look(Self.need(20_000), now: Self.after(9981)).isEmpty)
    #expect(schedule.nextTimeout == Self.after(9980 + 10))
    #expect(early.resumed(after: .seconds(50), now: Self.after(52)).count == 1)
    _ = early.look(Self.need(20_000), now: Self.after(53))
    #expect(early.nextTimeout == Self.after(52 + 300), "an operator may have pressed the button")
  }

  static let wakeUps: [(now: Int64?, uptime: Int, slept: Int?, isAsPlanned: Bool)] = [
    (1_003_600, 25, 3575, true), (1_000_600, 25, 575, false), (nil, 25, nil, false),
    // A clock that was set, and one that ran backwards.
    (999_000, 25, nil, false), (.max, 25, nil, false), (1_000_010, 25, 0, false),
  ]

  @Test(arguments: wakeUps)
  func theNextLoggerKnowsHowLongTheHostSlept(
    _ row: (now: Int64?, uptime: Int, slept: Int?, isAsPlanned: Bool)
  ) throws {
    let savedSleep = SavedHostSleep(boot: "a", depth: .halt, planned: .seconds(3580), clockChip: 1_000_000)
    let read = try #require(SavedHostSleep(text: savedSleep.text))
    #expect(read == savedSleep)
    let waking = try #require(read.waking(boot: "b", uptime: .seconds(row.uptime), clockChip: row.now))
    #expect(waking.slept == row.slept.map { .seconds($0) } && waking.isAsPlanned == row.isAsPlanned)
    #expect(read.waking(boot: "a", uptime: .seconds(25), clockChip: row.now) == nil, "the host did not sleep")
  }

  @Test(arguments: ["", "1 halt", "2 halt 5 - a", "1 nap 5 - a", "1 halt -5 - a", "1 halt 99999999999 - a"])
  func anyOtherTextIsRejectedAsASavedSleep(text: String) { #expect(SavedHostSleep(text: text) == nil) }
}
