import Quantities
import Scheduling
import Testing

@Suite struct AlarmRecordTests {
  static func waking(_ reason: StartReason?, slept: Int? = 3600, planned: Int? = 3600) -> HostWaking {
    HostWaking(slept: slept.map { .seconds($0) }, planned: planned.map { .seconds($0) }, reason: reason)
  }

  struct Case: Sendable {
    let wakings: [HostWaking]
    let proven: Int
    let missed: Int
    /// The longest sleep without a dead-man timer in s; nil for no limit.
    var longest: Int?
  }

  static let sixHours = Duration.seconds(6 * 3600)
  static let cases: [Case] = [
    Case(wakings: [], proven: 0, missed: 0, longest: 3600),
    Case(wakings: Array(repeating: waking(.alarm), count: 9), proven: 9, missed: 0, longest: 3600),
    Case(wakings: Array(repeating: waking(.alarm), count: 10), proven: 10, missed: 0, longest: nil),
    Case(wakings: [waking(.alarm), waking(.delayedAlarm)], proven: 2, missed: 0, longest: 3600),
    Case(wakings: [waking(.alarm), waking(.deadMan)], proven: 0, missed: 1, longest: 3600),
    Case(wakings: [waking(.deadMan), waking(.deadMan)], proven: 0, missed: 2, longest: 3600),
    Case(
      wakings: [waking(.deadMan), waking(.deadMan), waking(.alarm)], proven: 1, missed: 0,
      longest: 3600),
    // Motion, a person or the supply came first: nothing is known about the alarm.
    Case(
      wakings: [waking(.alarm), waking(.button, slept: 60), waking(.supply), waking(.lowVoltage)], proven: 1,
      missed: 0, longest: 3600),
    // A board without reasons: the time decides.
    Case(wakings: [waking(nil)], proven: 1, missed: 0, longest: 3600),
    Case(wakings: [waking(nil, slept: 60)], proven: 0, missed: 0, longest: 3600),
    Case(wakings: [waking(nil, slept: 3600 + 301)], proven: 0, missed: 1, longest: 3600),
    Case(wakings: [waking(nil, slept: nil)], proven: 0, missed: 0, longest: 3600),
    Case(wakings: [waking(.deadMan, planned: nil)], proven: 0, missed: 0, longest: 3600),
  ]

  @Test(arguments: cases.indices) func theAlarmsSoFarLimitTheNextSleep(_ index: Int) {
    let row = Self.cases[index]
    var record = AlarmRecord()
    for waking in row.wakings { _ = record.note(waking) }
    #expect(record.proven == row.proven && record.missed == row.missed)
    #expect(record.longestSleep(deadMan: nil) == row.longest.map { .seconds($0) })
    #expect(
      record.longestSleep(deadMan: Self.sixHours) == Self.sixHours - .seconds(600), "the alarm comes first")
    #expect(AlarmRecord(text: record.text) == record)
  }

  @Test(arguments: ["", "1", "1 2 3", "-1 0", "a b", "70000 0"]) func anotherTextIsNoRecord(
    _ text: String
  ) {
    #expect(AlarmRecord(text: text) == nil)
  }

  @Test func aBoardWithoutDeadManTimerSleepsAtMostAnHourUntilItHasProvenItself() {
    var rules = HostScheduleTests.rules()
    rules.cut = SupplyCutRules(deadMan: nil, longestWake: .seconds(27 * 86_400))
    var schedule = HostScheduleTests.quiet(rules, HostScheduleTests.need(50_000))
    func planned() -> Duration? {
      guard case .maySleep(let sleep) = schedule.verdict(now: HostScheduleTests.start) else { return nil }
      return sleep.planned
    }
    #expect(planned() == .seconds(3600))
    for _ in 0..<10 { _ = schedule.alarms.note(Self.waking(.alarm)) }
    #expect(planned() == .seconds(50_000 - 20))
    rules.cut?.longestWake = .seconds(7200)
    schedule = HostScheduleTests.quiet(rules, HostScheduleTests.need(50_000))
    for _ in 0..<10 { _ = schedule.alarms.note(Self.waking(.alarm)) }
    #expect(planned() == .seconds(7200), "no longer than the board can")
  }

  struct Start: Sendable {
    let reason: StartReason?
    let slept: Int
    let wakesOnMotion: Bool
    /// True if nobody came: the logger continues where it was.
    let isUnattended: Bool
    let checksNow: Bool
  }

  static let starts: [Start] = [
    Start(reason: .alarm, slept: 3600, wakesOnMotion: false, isUnattended: true, checksNow: false),
    Start(reason: .delayedAlarm, slept: 9000, wakesOnMotion: false, isUnattended: true, checksNow: false),
    Start(reason: .deadMan, slept: 7200, wakesOnMotion: false, isUnattended: true, checksNow: true),
    Start(reason: .button, slept: 60, wakesOnMotion: true, isUnattended: true, checksNow: true),
    Start(reason: .button, slept: 60, wakesOnMotion: false, isUnattended: false, checksNow: false),
    Start(reason: .supply, slept: 60, wakesOnMotion: true, isUnattended: false, checksNow: false),
    Start(reason: .lowVoltage, slept: 3600, wakesOnMotion: true, isUnattended: false, checksNow: false),
    Start(reason: .other(200), slept: 3600, wakesOnMotion: true, isUnattended: false, checksNow: false),
    Start(reason: nil, slept: 3590, wakesOnMotion: false, isUnattended: true, checksNow: false),
    Start(reason: nil, slept: 60, wakesOnMotion: true, isUnattended: false, checksNow: false),
  ]

  @Test(arguments: starts.indices) func aStartThatNobodyCausedContinuesTheSleepOfTheReceiver(_ index: Int) {
    let row = Self.starts[index]
    let waking = Self.waking(row.reason, slept: row.slept)
    let resumption = waking.resumption(wakesOnMotion: row.wakesOnMotion, uptime: .seconds(20))
    #expect((resumption != nil) == row.isUnattended)
    if let resumption {
      #expect(resumption == Resumption(pause: .seconds(row.slept + 20), checksNow: row.checksNow))
    }
    var rules = HostScheduleTests.rules()
    rules.wakesOnMotion = row.wakesOnMotion
    var schedule = HostSchedule(rules, now: .zero)
    _ = schedule.restored(waking, now: .zero)
    _ = schedule.look(HostScheduleTests.need(100_000), now: .zero)
    let pause = row.isUnattended ? rules.afterAlarm : rules.afterStart
    #expect(schedule.nextTimeout == Moment.zero + pause)
  }

  @Test func savedSleepsSurviveAndPassTime() throws {
    var sleep = SavedSleep(
      remaining: .seconds(900), lacksReception: true, stationary: .seconds(7200),
      checkInterval: .seconds(14_400),
      backOff: .seconds(240))
    #expect(SavedSleep(words: sleep.words) == sleep)
    (sleep.silence, sleep.time) = (.seconds(60), Timestamp(milliseconds: 1_774_087_200_000))
    #expect(SavedSleep(words: sleep.words) == sleep)
    let later = sleep.after(.seconds(600), checksNow: false)
    #expect(
      later.remaining == .seconds(300) && later.silence == .seconds(660) && later.stationary == .seconds(7800)
    )
    #expect(later.time == Timestamp(milliseconds: 1_774_087_800_000) && later.backOff == .seconds(240))
    #expect(sleep.after(.seconds(10_000), checksNow: false).remaining == .zero)
    #expect(sleep.after(.zero, checksNow: true).remaining == .zero)
    for words in [
      [], ["stationary"], ["asleep", "1", "-", "1", "-", "-", "1"],
      ["stationary", "-1", "-", "1", "-", "-", "1"],
    ] { #expect(SavedSleep(words: words) == nil) }
  }
}
