import Quantities
import Testing
import TextSnapshots
import Scheduling

@Suite struct RadioScheduleTests {
  static let texts = TextSnapshot("tracking")

  typealias Action = RadioSchedule.Action
  static let start = Moment.zero + .seconds(100)

  /// A radio that was switched off after the start.
  static func down(_ change: (inout RadioSchedule.Rules) -> Void = { _ in }) -> (
    schedule: RadioSchedule, now: Moment
  ) {
    var rules = RadioSchedule.Rules()
    change(&rules)
    var schedule = RadioSchedule(rules, now: start)
    let now = start + rules.afterStart
    #expect(schedule.handleTimeout(now: now) == [.switchOff])
    #expect(schedule.switched(failure: nil, now: now).isEmpty && !schedule.isOn)
    return (schedule, now)
  }

  static func after(_ moment: Moment, _ seconds: Int) -> Moment { moment + .seconds(seconds) }

  @Test func afterTheStartTheNetworkStaysOnForAnOperator() {
    var schedule = RadioSchedule(RadioSchedule.Rules(), now: Self.start)
    #expect(schedule.isUp && schedule.nextTimeout == Self.after(Self.start, 300))
    #expect(schedule.requested(by: 1, now: Self.start) == [.admitRequests])
    #expect(schedule.handleTimeout(now: Self.after(Self.start, 299)).isEmpty)
  }

  @Test func theNetworkIsOnWhileSendingAndALittleLonger() {
    var (schedule, now) = Self.down()
    #expect(schedule.nextTimeout == nil)
    #expect(schedule.requested(by: 1, now: now) == [.switchOn])
    #expect(schedule.requested(by: 2, now: now).isEmpty, "one session for both")
    now = Self.after(now, 20)
    #expect(schedule.switched(failure: nil, now: now) == [.admitRequests, .sendDueTasks])
    schedule.done(1, now: now)
    #expect(schedule.nextTimeout == Self.after(now, 900))
    schedule.done(2, now: now)
    #expect(schedule.nextTimeout == Self.after(now, 5))
    #expect(schedule.requested(by: 3, now: Self.after(now, 3)) == [.admitRequests])
    schedule.done(3, now: Self.after(now, 4))
    #expect(schedule.handleTimeout(now: Self.after(now, 9)) == [.switchOff])
    #expect(schedule.sessions == 1 && schedule.isOn)
    #expect(schedule.switched(failure: nil, now: Self.after(now, 10)).isEmpty && !schedule.isOn)
  }

  @Test func aFailedSwitchBlocksNoUploadAndIsReportedOnce() {
    var (schedule, now) = Self.down()
    var reported: [Action] = []
    for token in 1...5 as ClosedRange<UInt64> {
      _ = schedule.requested(by: token, now: now)
      let actions = schedule.switched(failure: "left with status 1", now: now)
      #expect(actions.contains(.admitRequests))
      reported += actions.filter { if case .failing = $0 { true } else { false } }
      schedule.done(token, now: now)
      now = Self.after(now, 5)
      _ = schedule.handleTimeout(now: now)
      _ = schedule.switched(failure: "left with status 1", now: now)
    }
    #expect(reported == [.failing(reason: "left with status 1", isOn: true)] && schedule.failures == 10)
    _ = schedule.requested(by: 9, now: now)
    #expect(schedule.switched(failure: nil, now: now) == [.recovered, .admitRequests, .sendDueTasks])
  }

  @Test func aSwitchThatHangsTimesOutAndUploadsAreTriedNevertheless() throws {
    var (schedule, now) = Self.down()
    _ = schedule.requested(by: 1, now: now)
    now = Self.after(now, 60)
    let actions = schedule.handleTimeout(now: now)
    let reasons: [String] = actions.compactMap {
      if case .failing(let reason, _) = $0 { reason } else { nil }
    }
    let reason = try #require(reasons.first)
    #expect(reason == Self.texts.expected("radio switch timed out", reason))
    #expect(
      actions == [.abandonSwitching, .failing(reason: reason, isOn: true), .admitRequests, .sendDueTasks])
    #expect(schedule.switched(failure: nil, now: now).isEmpty, "the late end is ignored")
  }

  @Test func theSettlingTimeOfANetworkIsRespected() {
    var (schedule, now) = Self.down { $0.settling = .seconds(8) }
    _ = schedule.requested(by: 1, now: now)
    #expect(schedule.switched(failure: nil, now: now).isEmpty && !schedule.isUp)
    now = Self.after(now, 8)
    #expect(schedule.handleTimeout(now: now) == [.admitRequests, .sendDueTasks])
  }

  @Test func aSessionThatIsTooLongIsEnded() {
    var (schedule, now) = Self.down()
    _ = schedule.requested(by: 1, now: now)
    _ = schedule.switched(failure: nil, now: now)
    now = Self.after(now, 900)
    #expect(schedule.handleTimeout(now: now) == [.switchOff])
    #expect(schedule.switched(failure: nil, now: now).isEmpty && !schedule.isOn)
    schedule.done(1, now: now)
    #expect(schedule.requested(by: 2, now: now) == [.switchOn])
  }

  @Test func aRequestDuringSwitchOffIsServedByTheNextSession() {
    var (schedule, now) = Self.down()
    _ = schedule.requested(by: 1, now: now)
    _ = schedule.switched(failure: nil, now: now)
    schedule.done(1, now: now)
    now = Self.after(now, 5)
    #expect(schedule.handleTimeout(now: now) == [.switchOff])
    #expect(schedule.requested(by: 2, now: now).isEmpty)
    #expect(schedule.switched(failure: nil, now: now) == [.switchOn])
  }

  @Test func theProgramLeavesTheNetworkOn() {
    var (schedule, _) = Self.down()
    #expect(schedule.stop() == [.switchOn])
    var up = RadioSchedule(RadioSchedule.Rules(), now: Self.start)
    #expect(up.stop().isEmpty)
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func everyRequestMaySendWithinTheLimit(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var (schedule, now) = Self.down { $0.settling = .seconds(3) }
    var waiting: [UInt64: Moment] = [:]
    var sending: Set<UInt64> = []
    var isOn = false
    for step in 0..<5000 as Range<UInt64> {
      now = Self.after(now, Int.random(in: 0...30, using: &random))
      var actions: [Action] = []
      while let due = schedule.nextTimeout, due <= now { actions += schedule.handleTimeout(now: now) }
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        waiting[step] = now
        actions += schedule.requested(by: step, now: now)
      case 1: actions += schedule.switched(failure: Bool.random(using: &random) ? "no" : nil, now: now)
      case 2: if let token = sending.popFirst() { schedule.done(token, now: now) }
      default: break
      }
      for action in actions {
        switch action {
        case .admitRequests:
          sending.formUnion(waiting.keys)
          waiting = [:]
        case .switchOn:
          #expect(!isOn)
          isOn = true
        case .switchOff:
          #expect(isOn || step < 50)
          isOn = false
        case .abandonSwitching, .failing, .recovered, .sendDueTasks: break
        }
      }
      for (_, since) in waiting { #expect(now - since <= .seconds(2 * 60 + 3 + 60)) }
    }
    #expect(schedule.sessions > 50)
  }
}
