import EventLoop
import HTTPClient
import LocalAPI
import LoggerConfiguration
import MQTTClient
import Quantities
import Settings
import System
import Uplink

/// Tests destinations on request, beside their deliveries, of which it uses nothing but the HTTP client and the radio.
///
/// A test sends no record. There is one at a time for each destination.
final class DestinationProbes {
  /// The most results that are kept.
  static let limit = 20

  /// A test in progress: one of its parts, and the request for the radio.
  private struct Running {
    var id: Int
    var probe: DestinationProbe?
    var directory: BackgroundTask<ProbeReport>?
    var radio: (NetworkRadio, token: UInt64)?
  }

  private let loop: EventLoop
  private let client: HTTPClient
  private var running: [String: Running] = [:]
  private var lastID = 0
  private var servers: [String: (url: Endpoint, name: String)] = [:]
  /// The results, newest first.
  private(set) var results: [TestsReport.Result] = []
  /// Returns the time in UTC; nil while it is unknown.
  var time: () -> Timestamp? = { nil }
  /// Called when a result has been added.
  var ended: () -> Void = {}

  init(loop: EventLoop, client: HTTPClient) {
    self.loop = loop
    self.client = client
  }

  var isBusy: Bool { !running.isEmpty }

  /// The name of the server by the last test without a fault; nil without one, or if its address has changed since.
  func server(of destination: DestinationSettings) -> String? {
    servers[destination.name].flatMap { $0.url == destination.url ? $0.name : nil }
  }

  /// Abandons all tests. Nothing is called afterwards.
  func stop() {
    for name in Array(running.keys) { endRunning(name) }
  }

  /// Starts a test; returns its number, or nil while another one of this destination is in progress.
  func begin(_ destination: DestinationSettings, deviceID: String, radio: NetworkRadio?) -> Int? {
    let name = destination.name
    guard running[name] == nil else { return nil }
    lastID += 1
    let id = lastID
    running[name] = Running(id: id)
    guard destination.form != .file else {
      testDirectory(destination, id)
      return id
    }
    guard let radio else {
      probe(destination, deviceID: deviceID, id)
      return id
    }
    let token = radio.requestNetwork { [weak self] in self?.probe(destination, deviceID: deviceID, id) }
    // If the network was up and the test has failed at once, it is over.
    if running[name]?.id == id { running[name]?.radio = (radio, token) } else { radio.done(token) }
    return id
  }

  private func testDirectory(_ destination: DestinationSettings, _ id: Int) {
    let path = destination.directory ?? ""
    do throws(SystemError) {
      running[destination.name]?.directory = try BackgroundTask(
        "test", loop: loop, { ProbeReport(directory: path) },
        completion: { [weak self] report in self?.end(destination, id, report) })
    } catch {
      var report = ProbeReport()
      report.add(.directory, .bad, "\(path): not tested: \(error); retry later")
      end(destination, id, report)
    }
  }

  private func probe(_ destination: DestinationSettings, deviceID: String, _ id: Int) {
    guard running[destination.name]?.id == id else { return }
    let probe = DestinationProbe(loop: loop, client: client, timeout: destination.timeout)
    running[destination.name]?.probe = probe
    let done: (ProbeReport) -> Void = { [weak self, loop] report in
      // The end releases the probe, which is still calling.
      loop.callNextTurn { self?.end(destination, id, report) }
    }
    if destination.url.isBroker {
      var broker = MQTTBroker(destination, deviceID: deviceID)
      // A second session with the identifier of the delivery would end the first.
      broker.clientID += "t"
      probe.probe(broker, done: done)
    } else {
      probe.probe(HTTPEndpoint(destination), version: Release.version, done: done)
    }
  }

  private func end(_ destination: DestinationSettings, _ id: Int, _ report: ProbeReport) {
    let name = destination.name
    guard running[name]?.id == id else { return }
    endRunning(name)
    let secrets = destination.secrets
    if report.isGood {
      servers[name] = report.server.map { (destination.url, Self.hiding(secrets, in: $0)) }
    }
    results.insert(
      TestsReport.Result(
        id: id, destination: name, time: time()?.iso8601(), ok: report.isGood,
        sentence: Self.hiding(secrets, in: report.sentence),
        server: report.server.map { Self.hiding(secrets, in: $0) }), at: 0)
    if results.count > Self.limit { results.removeLast() }
    ended()
  }

  private func endRunning(_ name: String) {
    guard let test = running.removeValue(forKey: name) else { return }
    if let (radio, token) = test.radio { radio.done(token) }
  }

  /// The text, or a remark in its place if it repeats a secret.
  private static func hiding(_ secrets: [String], in text: String) -> String {
    secrets.contains { !$0.isEmpty && text.contains($0) }
      ? "(hidden: the response repeats a secret)" : text
  }
}

extension DestinationSettings {
  /// What must not be shown of a response.
  var secrets: [String] {
    [token, password].compactMap { $0?.revealed } + headers.map(\.value.revealed)
  }
}
