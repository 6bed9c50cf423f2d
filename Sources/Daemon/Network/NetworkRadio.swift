import Quantities
import SystemLoop
import Tracking

/// Controls the radio: executes the decisions of a ``Tracking/RadioPlan`` and resumes deliveries that wait for the network.
final class NetworkRadio {
  private(set) var plan: RadioPlan
  /// Called with the reason when switching starts to fail, and with nil when it works again.
  var onTrouble: (String?) -> Void = { _ in }
  /// Called when the network is up, so that deliveries that are due soon can share the session.
  var onUp: () -> Void = {}

  private let loop: EventLoop
  private let network: NetworkSwitch
  private var waiting: [UInt64: () -> Void] = [:]
  private var lastToken: UInt64 = 0
  private var timer: LoopTimer?
  private var switchedOffAt: Moment?

  /// The time after switching off within which a lost network is a result of that.
  private static let longestFall = Duration.seconds(30)

  init(_ network: NetworkSwitch, rules: RadioPlan.Rules, loop: EventLoop) {
    self.loop = loop
    self.network = network
    plan = RadioPlan(rules, now: loop.now)
    timer = loop.addTimer("radio") { [unowned self] now in carryOut(plan.handleTimeout(now: now)) }
    arm()
  }

  /// Requests the network. Calls `goOn` when it is up or after a timeout. Pass the returned token to ``done(_:)``.
  func want(_ goOn: @escaping () -> Void) -> UInt64 {
    lastToken &+= 1
    let token = lastToken
    waiting[token] = goOn
    carryOut(plan.wanted(by: token, now: loop.now))
    return token
  }

  /// Ends a request of the network.
  func done(_ token: UInt64) {
    waiting[token] = nil
    plan.done(token, now: loop.now)
    arm()
  }

  /// Stops the control and leaves the network switched on, as it was found.
  func stop() {
    waiting.removeAll()
    if let timer { loop.removeTimer(timer) }
    timer = nil
    network.abandon()
    if plan.stop().contains(.switchOn) { network.leaveOn(atMost: .seconds(10)) }
  }

  private func arm() { timer?.arm(at: plan.nextTimeout, slack: .zero) }

  private func carryOut(_ actions: [RadioPlan.Action]) {
    for action in actions {
      switch action {
      case .switchOn: turn(on: true)
      case .switchOff: turn(on: false)
      case .abandonSwitching: network.abandon()
      case .letGo:
        let all = waiting.sorted { $0.key < $1.key }
        waiting.removeAll()
        for (_, goOn) in all { goOn() }
      case .failing(let reason, let isOn): onTrouble("switching \(isOn ? "on" : "off") failed: \(reason)")
      case .recovered: onTrouble(nil)
      case .callOthers: onUp()
      }
    }
    arm()
  }

  /// True if the radio was switched off within the last 30 s.
  func hasSwitchedOff(now: Moment) -> Bool {
    switchedOffAt.map { now - $0 <= Self.longestFall } ?? false
  }

  private func turn(on isOn: Bool) {
    switchedOffAt = isOn ? nil : loop.now
    network.turn(on: isOn) { [weak self] failure in
      guard let self else { return }
      carryOut(plan.switched(failure: failure, now: loop.now))
    }
  }
}
