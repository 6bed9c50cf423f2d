import LoggerConfiguration
import LocalAPI
import Quantities
import Records
import Scheduling
import Settings
import System
import Uplink

// Radio sessions. Without a switch, or if switching fails, the network is used as it is.
extension Logger {
  /// Starts the control of the radio, by the configured switch or by `given`.
  func startNetwork(by given: NetworkSwitch? = nil) {
    guard radio == nil else { return }
    do throws(SystemError) {
      var network = given
      if given == nil { network = try NetworkSwitch(configuration.network, loop: loop) }
      guard let network else { return }
      let radio = NetworkRadio(network, rules: RadioSchedule.Rules(configuration.network), loop: loop)
      radio.onFault = { [unowned self] trouble in reportNetworkFault(trouble) }
      radio.onUp = { [unowned self] in sendDueDeliveries() }
      self.radio = radio
    } catch {
      journal.log(
        .warning, "network.line: \(error); the network is not switched; check the line and the group gpio")
    }
  }

  /// Reports that switching fails, or works again if `trouble` is nil.
  private func reportNetworkFault(_ trouble: String?) {
    process(.occurred(EventRecord(network: trouble, failures: radio?.schedule.failures)), now: loop.now)
  }

  /// Starts all deliveries that are due soon, so that they share the radio session.
  private func sendDueDeliveries() {
    let now = loop.now
    for pipeline in deliveries.values where pipeline.isDueSoon(now: now) { pipeline.delivery?.sendNow() }
  }

  /// The transport, preceded by the switching of the radio if that is configured.
  func throughRadio(_ transport: any BatchTransport, to destination: DestinationSettings)
    -> any BatchTransport
  {
    guard let radio, destination.form != .file else { return transport }
    return RadioTransport(transport, radio: radio, timeout: destination.timeout, loop: loop)
  }

  var networkReport: StatusReport.Network? {
    guard let schedule = radio?.schedule else { return nil }
    return StatusReport.Network(
      state: schedule.isUp ? "up" : schedule.isOn ? "switching" : "down",
      sessions: Int(clamping: schedule.sessions),
      failures: Int(clamping: schedule.failures))
  }
}

extension DeliveryPipeline {
  /// True if half of the send interval has passed, or a failed batch is to be retried.
  func isDueSoon(now: Moment) -> Bool {
    guard let machine = delivery?.machine else { return false }
    switch machine.phase {
    case .idle:
      guard let due = machine.nextTimeout, let interval = machine.settings.sendInterval else { return false }
      return due - now <= interval / 2
    case .backingOff: return machine.settings.sendInterval != nil
    case .loading, .shortening, .committingBatchBoundary, .awaitingAcknowledgement, .posting: return false
    }
  }
}
