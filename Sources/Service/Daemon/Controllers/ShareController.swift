import Devices
import EventLoop
import GNSSProtocol
import GNSSReport
import GPSDProtocol
import HTTPServer
import LocalAPI
import Quantities

/// Serves gpsd's protocol to other programs while `share.gpsd` has an address. It causes no wake-up of its own:
/// everything is sent at the end of a wake-up that has another cause.
final class ShareController {
  /// Handlers, set before ``follow()``.
  struct Outputs {
    /// Returns the receiver; nil without one.
    var device: () -> SharedDevice? = { nil }
    /// Returns true while the device is in a privacy zone, which can be set around it at any time.
    var isPrivate: () -> Bool = { true }
    /// What the clients watch may have changed.
    var watchersChanged: () -> Void = {}
    /// The address could not be served, with the reason, or is served or off again.
    var failed: (_ address: String, _ reason: String?) -> Void = { _, _ in }
  }

  private let context: LoggerContext
  var outputs = Outputs()
  private var server: GPSDServer?
  /// The address that was requested last, and the reason why it is not served.
  private var requested: String?
  private var failure: String?
  /// The last epoch, for the first POLL of a client; the last satellites, while a client shows them.
  private var reports = SharedReports()
  /// The objects and sentences of this wake-up.
  private var objects: [UInt8] = []
  private var sentences: [UInt8] = []
  /// The time since which the receiver is known to be open.
  private var activated: Timestamp?

  init(_ context: LoggerContext) { self.context = context }

  /// True if a client gets positions and satellites.
  var wantsReports: Bool { server?.wantsReports ?? false }
  /// True if a client gets satellites, or polls for them.
  var wantsSatellites: Bool { server?.wantsSatellites ?? false }
  /// True if a client shows the sentences of the receiver.
  var wantsSentences: Bool { server?.wantsSentences ?? false }
  /// True if the address could not be opened, and another attempt may help.
  var isRefused: Bool {
    guard failure != nil, case .tcp? = requested.flatMap({ ListenAddress($0) }) else { return false }
    return true
  }
  private var hasClients: Bool { server?.clientCount ?? 0 > 0 }

  // MARK: The setting

  /// Follows `share.gpsd`: starts, stops, or tries again after a failure.
  func follow() {
    let wanted = context.configuration.share.gpsd
    guard wanted != requested || failure != nil else { return }
    if wanted != requested { stop() }
    let former = (address: requested, reason: failure)
    (requested, failure) = (wanted, nil)
    if let wanted { open(wanted) }
    if let address = former.address, former.reason != nil, address != wanted || failure == nil {
      outputs.failed(address, nil)
    }
    guard let wanted, let failure, failure != former.reason || wanted != former.address else { return }
    context.journal.log(.warning, "share.gpsd: \(failure); tried again")
    outputs.failed(wanted, failure)
  }

  private func open(_ text: String) {
    guard case .tcp(let address, let port)? = ListenAddress(text) else {
      failure = "\(text): not a valid address; expected an address such as 127.0.0.1:2947"
      return
    }
    do throws(HTTPServerError) {
      let server = try GPSDServer(
        loop: context.loop, address: address, port: port, version: Release.version)
      server.outputs = GPSDServer.Outputs(
        situation: { [weak self] in self?.situation },
        clientsChanged: { [weak self] in self?.clientsChanged() })
      self.server = server
      context.journal.log(
        .notice, "share.gpsd: clients of gpsd can connect to \(server.address.map { "\($0)" } ?? text)")
    } catch { failure = "\(error)" }
  }

  /// Disconnects all clients.
  func stop() {
    server?.stop()
    server = nil
    clientsChanged()
  }

  private func clientsChanged() {
    if !wantsSatellites { reports.forgetSatellites() }
    if !hasClients { (objects, sentences) = ([], []) }
    outputs.watchersChanged()
  }

  // MARK: The receiver

  /// An epoch was processed. A private one is reported without a fix.
  func epoch(_ fix: Fix, isPrivate: Bool) {
    reports.keep(fix, isPrivate: isPrivate)
    if wantsReports { SharedReports.append(fix, isPrivate: isPrivate, of: device, to: &objects) }
  }

  /// The receiver reported its satellites, which may be shown.
  func satellites(_ sky: [UInt8]) {
    guard wantsSatellites else { return }
    reports.keep(sky: sky)
    if wantsReports { SharedReports.append(sky: sky, of: device, to: &objects) }
  }

  /// The receiver sent a message, which may be shown.
  func message(_ message: RawMessage) {
    if wantsSentences { message.appendSentence(to: &sentences) }
  }

  /// Sends what the wake-up has brought.
  func endWakeUp() {
    guard !objects.isEmpty || !sentences.isEmpty else { return }
    let (reports, lines) = (objects, sentences)
    (objects, sentences) = ([], [])
    server?.publish(reports: reports, sentences: lines)
  }

  private var situation: GPSDClient.Situation {
    if outputs.isPrivate() { reports.hide() }
    return GPSDClient.Situation(device: device, reports: reports, time: context.loop.clock.timestamp())
  }

  private var device: SharedDevice? {
    guard var device = outputs.device() else { return nil }
    if device.activated == nil {
      activated = nil
    } else {
      activated = activated ?? device.activated
    }
    device.activated = activated
    return device
  }

  // MARK: The status

  /// The section of the status; nil without the setting.
  var report: StatusReport.Share? {
    guard let requested else { return nil }
    var gpsd = StatusReport.Share.GPSD(address: server?.address.map { "\($0)" } ?? requested)
    gpsd.clients = server?.clientCount ?? 0
    gpsd.watching = server?.watchingCount ?? 0
    gpsd.trouble = failure
    return StatusReport.Share(gpsd: gpsd)
  }
}

extension SharedDevice {
  /// The receiver at a serial port. It counts as active from `time` on while the port is open.
  init(_ line: ReceiverLine, time: Timestamp) {
    self.init(path: line.path)
    let identity = line.receiver
    subtype = identity?.firmware
    subtype1 = identity?.module ?? identity?.hardware
    speed = line.provenSpeed.map(Int.init)
    activated = line.isOpen ? time : nil
    let statistics = line.statistics
    isBinary = MessageKind.allCases.contains {
      $0.wireProtocol != .nmea && statistics.count(of: $0) > 0
    }
    hasSentData = statistics.frames > 0
    switch identity?.family {
    case .ubloxMessages, .ubloxKeys: driver = SharedReports.ubloxDriver
    case .sirf: driver = "SiRF"
    case .mediaTek, .airoha, .quectel, .casic, .unknown: driver = "NMEA0183"
    case nil: driver = statistics.frames > 0 ? (isBinary ? nil : "NMEA0183") : nil
    }
  }

  /// The receiver that another gpsd shares.
  init(_ gpsd: GPSDSource, time: Timestamp) {
    self.init(path: gpsd.address)
    driver = gpsd.device?.driver
    activated = gpsd.isOpen ? time : nil
    hasSentData = gpsd.device != nil
  }
}
