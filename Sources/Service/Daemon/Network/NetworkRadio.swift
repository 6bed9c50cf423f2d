import EventLoop
import Quantities
import Scheduling

/// Controls the radio: executes the decisions of a ``RadioSchedule`` and resumes deliveries that wait for the network.
final class NetworkRadio {
  private(set) var schedule: RadioSchedule
  /// Called with the reason when switching starts to fail, and with nil when it works again.
  var onFault: (String?) -> Void = { _ in }
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

  init(_ network: NetworkSwitch, rules: RadioSchedule.Rules, loop: EventLoop) {
    self.loop = loop
    self.network = network
    schedule = RadioSchedule(rules, now: loop.now)
    timer = loop.addTimer("radio") { [unowned self] now in carryOut(schedule.handleTimeout(now: now)) }
    arm()
  }

  /// Requests the network. Calls `proceed` when it is up or after a timeout. Pass the returned token to ``done(_:)``.
  func requestNetwork(_ proceed: @escaping () -> Void) -> UInt64 {
    lastToken &+= 1
    let token = lastToken
    waiting[token] = proceed
    carryOut(schedule.requested(by: token, now: loop.now))
    return token
  }

  /// Ends a request of the network.
  func done(_ token: UInt64) {
    waiting[token] = nil
    schedule.done(token, now: loop.now)
    arm()
  }

  /// Stops the control and leaves the network switched on, as it was found.
  func stop() {
    waiting.removeAll()
    if let timer { loop.removeTimer(timer) }
    timer = nil
    network.abandon()
    if schedule.stop().contains(.switchOn) { network.leaveOn(atMost: .seconds(10)) }
  }

  private func arm() { timer?.arm(at: schedule.nextTimeout, slack: .zero) }

  private func carryOut(_ actions: [RadioSchedule.Action]) {
    for action in actions {
      switch action {
      case .switchOn: turn(on: true)
      case .switchOff: turn(on: false)
      case .abandonSwitching: network.abandon()
      case .admitRequests:
        let all = waiting.sorted { $0.key < $1.key }
        waiting.removeAll()
        for (_, proceed) in all { proceed() }
      case .failing(let reason, let isOn): onFault("switching \(isOn ? "on" : "off") failed: \(reason)")
      case .recovered: onFault(nil)
      case .sendDueTasks: onUp()
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
      carryOut(schedule.switched(failure: failure, now: loop.now))
    }
  }
}
