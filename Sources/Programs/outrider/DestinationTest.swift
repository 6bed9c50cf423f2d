import Daemon
import EventLoop
import GNSSProtocol
import HTTPClient
import LoggerConfiguration
import MQTTClient
import Quantities
import Settings
import System
import Uplink

/// Tests the connection to a destination of the configuration and prints the findings. It sends no records.
enum DestinationTest {
  /// Returns the exit status: 0 no fault, 1 a fault, 2 no such destination. `arguments` hold the options of
  /// ``ConfigurationFiles`` and `--json`.
  static func run(_ name: String, _ arguments: Arguments) throws -> Int32 {
    let configuration: Configuration
    do { configuration = try ConfigurationFiles(arguments).read() } catch {
      Console.complain("\(error)")
      return 2
    }
    guard let destination = configuration.destination(named: name) else { return 2 }
    return try run(destination, configuration, asJSON: arguments.has("--json"))
  }

  /// Returns the exit status: 0 no fault, 1 a fault.
  static func run(_ destination: DestinationSettings, _ configuration: Configuration, asJSON: Bool) throws
    -> Int32
  {
    var report = try probe(destination, configuration)
    if let trouble = configuration.nameWarning(of: destination) { report.add(.answer, .untold, trouble) }
    if asJSON {
      Console.print(json(report, destination))
    } else {
      Console.print("\(destination.name): \(destination.directory ?? "\(destination.url)")")
      for line in report.lines { Console.print(text(line)) }
    }
    return report.isGood ? 0 : 1
  }

  private static func probe(_ destination: DestinationSettings, _ configuration: Configuration) throws
    -> ProbeReport
  {
    if destination.kind == .file { return ProbeReport(directory: destination.directory ?? "") }
    let loop = try EventLoop()
    let probe = DestinationProbe(loop: loop, client: try HTTPClient(loop: loop), timeout: destination.timeout)
    var report = ProbeReport()
    let done: (ProbeReport) -> Void = {
      report = $0
      loop.stop()
    }
    if destination.url.isBroker {
      probe.probe(MQTTBroker(destination, deviceID: configuration.deviceID), done: done)
    } else {
      probe.probe(HTTPEndpoint(destination), version: Release.version, done: done)
    }
    if report.lines.isEmpty { try loop.run() }
    return report
  }

  private static func text(_ line: ProbeReport.Line) -> String {
    let sign =
      switch line.finding {
      case .good: "ok  "
      case .untold: "?   "
      case .bad: "FAIL"
      }
    let step = line.step.rawValue
    return "  \(sign) \(step)\(String(repeating: " ", count: max(11 - step.count, 1)))\(line.text)"
  }

  private static func json(_ report: ProbeReport, _ destination: DestinationSettings) -> String {
    var text: [UInt8] = Array(#"{"destination":"#.utf8)
    text.appendJSONString(destination.name)
    text += Array(#","good":\#(report.isGood),"steps":["#.utf8)
    for (index, line) in report.lines.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      text += Array(#"{"step":"\#(line.step.rawValue)","finding":"\#(line.finding.rawValue)","words":"#.utf8)
      text.appendJSONString(line.text)
      text.append(UInt8(ascii: "}"))
    }
    text += Array("]}".utf8)
    return String(decoding: text, as: UTF8.self)
  }
}
