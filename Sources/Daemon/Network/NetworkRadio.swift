import Quantities
import SystemLoop
import Tracking

/// The radio at work: carries out what a ``Tracking/RadioPlan`` decides, and lets those go on who wait for the network.
final class NetworkRadio {
  private(set) var plan: RadioPlan
  /// Called when switching begins to fail, with the reason, and when it works again, with nil.
  var onTrouble: (String?) -> Void = { _ in }
  /// The network has come up: whoever is due soon may send now.
  var onUp: () -> Void = {}

  private let loop: EventLoop
  private let network: NetworkSwitch
  private var waiting: [UInt64: () -> Void] = [:]
  private var lastToken: UInt64 = 0
  private var timer: LoopTimer?
  private var switchedOffAt: Moment?

  /// A network that is lost so soon after the radio was switched off was lost by that.
  private static let longestFall = Duration.seconds(30)

  init(_ network: NetworkSwitch, rules: RadioPlan.Rules, loop: EventLoop) {
    self.loop = loop
    self.network = network
    plan = RadioPlan(rules, now: loop.now)
    timer = loop.addTimer("radio") { [unowned self] now in carryOut(plan.handleTimeout(now: now)) }
    arm()
  }

  /// Calls `goOn` once the network is up, or has been waited for long enough. The answer is for ``done(_:)``.
  func want(_ goOn: @escaping () -> Void) -> UInt64 {
    lastToken &+= 1
    let token = lastToken
    waiting[token] = goOn
    carryOut(plan.wanted(by: token, now: loop.now))
    return token
  }

  /// Served, or not wanted any more.
  func done(_ token: UInt64) {
    waiting[token] = nil
    plan.done(token, now: loop.now)
    arm()
  }

  /// Leaves the network as it was found.
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
      case .failing(let reason, let isOn): onTrouble("switching it \(isOn ? "on" : "off"): \(reason)")
      case .recovered: onTrouble(nil)
      case .callOthers: onUp()
      }
    }
    arm()
  }

  /// True if the radio was switched off just now.
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
