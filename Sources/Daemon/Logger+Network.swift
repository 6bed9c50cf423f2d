import LocalAPI
import Quantities
import Records
import Settings
import SystemLoop
import Tracking
import Uplink

// The radio, where the logger switches it. Without that, or where it fails, a network that is there is used all the same.
extension Logger {
  /// Switches what the configuration names, or what is given in its place.
  func startNetwork(by given: NetworkSwitch? = nil) {
    guard radio == nil else { return }
    do throws(SystemError) {
      var network = given
      if given == nil { network = try NetworkSwitch(configuration.network, loop: loop) }
      guard let network else { return }
      let radio = NetworkRadio(network, rules: RadioPlan.Rules(configuration.network), loop: loop)
      radio.onTrouble = { [unowned self] trouble in tellNetwork(trouble) }
      radio.onUp = { [unowned self] in callOthers() }
      self.radio = radio
    } catch {
      journal.say(
        .warning, "network.line: \(error); the network stays as it is (is the user in the group gpio?)")
    }
  }

  private func tellNetwork(_ trouble: String?) {
    tell(.occurred(EventRecord(network: trouble, failures: radio?.plan.failures)), now: loop.now)
  }

  /// A session serves all that would want one soon.
  private func callOthers() {
    let now = loop.now
    for lane in deliveries.values where lane.isDueSoon(now: now) { lane.delivery?.sendNow() }
  }

  /// The transport, with the radio before it where that is switched.
  func throughRadio(_ transport: any BatchTransport, to destination: DestinationSettings)
    -> any BatchTransport
  {
    guard let radio, destination.form != .file else { return transport }
    return RadioTransport(transport, radio: radio, timeout: destination.timeout, loop: loop)
  }

  var networkReport: StatusReport.Network? {
    guard let plan = radio?.plan else { return nil }
    return StatusReport.Network(
      state: plan.isUp ? "up" : plan.isOn ? "switching" : "down", sessions: Int(clamping: plan.sessions),
      failures: Int(clamping: plan.failures))
  }
}

extension RadioPlan.Rules {
  init(_ settings: NetworkSettings) {
    self.init()
    patience = settings.patience
    settling = settings.settling
    longest = settings.longest
  }
}

extension DestinationLane {
  /// Half of its interval has passed, or a failure waits for its next attempt.
  func isDueSoon(now: Moment) -> Bool {
    guard let machine = delivery?.machine else { return false }
    switch machine.phase {
    case .resting:
      guard let due = machine.nextTimeout, let interval = machine.settings.sendInterval else { return false }
      return due - now <= interval / 2
    case .backingOff: return machine.settings.sendInterval != nil
    case .loading, .shortening, .committingBorder, .awaitingAcknowledgement, .posting: return false
    }
  }
}
