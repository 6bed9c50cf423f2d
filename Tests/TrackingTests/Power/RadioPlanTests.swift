import Quantities
import Testing
import TextSnapshots

@testable import Tracking

@Suite struct RadioPlanTests {
  static let texts = TextSnapshot("tracking")

  typealias Action = RadioPlan.Action
  static let start = Moment.zero + .seconds(100)

  /// A radio that was switched off after the start.
  static func down(_ change: (inout RadioPlan.Rules) -> Void = { _ in }) -> (plan: RadioPlan, now: Moment) {
    var rules = RadioPlan.Rules()
    change(&rules)
    var plan = RadioPlan(rules, now: start)
    let now = start + rules.afterStart
    #expect(plan.handleTimeout(now: now) == [.switchOff])
    #expect(plan.switched(failure: nil, now: now).isEmpty && !plan.isOn)
    return (plan, now)
  }

  static func after(_ moment: Moment, _ seconds: Int) -> Moment { moment + .seconds(seconds) }

  @Test func afterTheStartTheNetworkStaysOnForAnOperator() {
    var plan = RadioPlan(RadioPlan.Rules(), now: Self.start)
    #expect(plan.isUp && plan.nextTimeout == Self.after(Self.start, 300))
    #expect(plan.wanted(by: 1, now: Self.start) == [.letGo])
    #expect(plan.handleTimeout(now: Self.after(Self.start, 299)).isEmpty)
  }

  @Test func theNetworkIsOnWhileSendingAndALittleLonger() {
    var (plan, now) = Self.down()
    #expect(plan.nextTimeout == nil)
    #expect(plan.wanted(by: 1, now: now) == [.switchOn])
    #expect(plan.wanted(by: 2, now: now).isEmpty, "one session for both")
    now = Self.after(now, 20)
    #expect(plan.switched(failure: nil, now: now) == [.letGo, .callOthers])
    plan.done(1, now: now)
    #expect(plan.nextTimeout == Self.after(now, 900))
    plan.done(2, now: now)
    #expect(plan.nextTimeout == Self.after(now, 5))
    #expect(plan.wanted(by: 3, now: Self.after(now, 3)) == [.letGo])
    plan.done(3, now: Self.after(now, 4))
    #expect(plan.handleTimeout(now: Self.after(now, 9)) == [.switchOff])
    #expect(plan.sessions == 1 && plan.isOn)
    #expect(plan.switched(failure: nil, now: Self.after(now, 10)).isEmpty && !plan.isOn)
  }

  @Test func aFailedSwitchBlocksNoUploadAndIsReportedOnce() {
    var (plan, now) = Self.down()
    var told: [Action] = []
    for token in 1...5 as ClosedRange<UInt64> {
      _ = plan.wanted(by: token, now: now)
      let actions = plan.switched(failure: "left with status 1", now: now)
      #expect(actions.contains(.letGo))
      told += actions.filter { if case .failing = $0 { true } else { false } }
      plan.done(token, now: now)
      now = Self.after(now, 5)
      _ = plan.handleTimeout(now: now)
      _ = plan.switched(failure: "left with status 1", now: now)
    }
    #expect(told == [.failing(reason: "left with status 1", isOn: true)] && plan.failures == 10)
    _ = plan.wanted(by: 9, now: now)
    #expect(plan.switched(failure: nil, now: now) == [.recovered, .letGo, .callOthers])
  }

  @Test func aSwitchThatHangsTimesOutAndUploadsAreTriedNevertheless() throws {
    var (plan, now) = Self.down()
    _ = plan.wanted(by: 1, now: now)
    now = Self.after(now, 60)
    let actions = plan.handleTimeout(now: now)
    let reasons: [String] = actions.compactMap {
      if case .failing(let reason, _) = $0 { reason } else { nil }
    }
    let reason = try #require(reasons.first)
    #expect(reason == Self.texts.expected("radio switch timed out", reason))
    #expect(
      actions == [.abandonSwitching, .failing(reason: reason, isOn: true), .letGo, .callOthers])
    #expect(plan.switched(failure: nil, now: now).isEmpty, "the late end is ignored")
  }

  @Test func theSettlingTimeOfANetworkIsRespected() {
    var (plan, now) = Self.down { $0.settling = .seconds(8) }
    _ = plan.wanted(by: 1, now: now)
    #expect(plan.switched(failure: nil, now: now).isEmpty && !plan.isUp)
    now = Self.after(now, 8)
    #expect(plan.handleTimeout(now: now) == [.letGo, .callOthers])
  }

  @Test func aSessionThatIsTooLongIsEnded() {
    var (plan, now) = Self.down()
    _ = plan.wanted(by: 1, now: now)
    _ = plan.switched(failure: nil, now: now)
    now = Self.after(now, 900)
    #expect(plan.handleTimeout(now: now) == [.switchOff])
    #expect(plan.switched(failure: nil, now: now).isEmpty && !plan.isOn)
    plan.done(1, now: now)
    #expect(plan.wanted(by: 2, now: now) == [.switchOn])
  }

  @Test func aRequestDuringSwitchOffIsServedByTheNextSession() {
    var (plan, now) = Self.down()
    _ = plan.wanted(by: 1, now: now)
    _ = plan.switched(failure: nil, now: now)
    plan.done(1, now: now)
    now = Self.after(now, 5)
    #expect(plan.handleTimeout(now: now) == [.switchOff])
    #expect(plan.wanted(by: 2, now: now).isEmpty)
    #expect(plan.switched(failure: nil, now: now) == [.switchOn])
  }

  @Test func theProgramLeavesTheNetworkOn() {
    var (plan, _) = Self.down()
    #expect(plan.stop() == [.switchOn])
    var up = RadioPlan(RadioPlan.Rules(), now: Self.start)
    #expect(up.stop().isEmpty)
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func everyRequestMaySendWithinTheLimit(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var (plan, now) = Self.down { $0.settling = .seconds(3) }
    var waiting: [UInt64: Moment] = [:]
    var sending: Set<UInt64> = []
    var isOn = false
    for step in 0..<5000 as Range<UInt64> {
      now = Self.after(now, Int.random(in: 0...30, using: &random))
      var actions: [Action] = []
      while let due = plan.nextTimeout, due <= now { actions += plan.handleTimeout(now: now) }
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        waiting[step] = now
        actions += plan.wanted(by: step, now: now)
      case 1: actions += plan.switched(failure: Bool.random(using: &random) ? "no" : nil, now: now)
      case 2: if let token = sending.popFirst() { plan.done(token, now: now) }
      default: break
      }
      for action in actions {
        switch action {
        case .letGo:
          sending.formUnion(waiting.keys)
          waiting = [:]
        case .switchOn:
          #expect(!isOn)
          isOn = true
        case .switchOff:
          #expect(isOn || step < 50)
          isOn = false
        case .abandonSwitching, .failing, .recovered, .callOthers: break
        }
      }
      for (_, since) in waiting { #expect(now - since <= .seconds(2 * 60 + 3 + 60)) }
    }
    #expect(plan.sessions > 50)
  }
}
