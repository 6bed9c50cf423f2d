import Daemon
import Doctor
import EventLoop
import HTTPClient
import LoggerConfiguration
import MQTTClient
import Quantities
import Settings
import System
import Uplink

/// Tests the destinations as `outrider send --test` does, all at the same time. It sends no record.
struct DestinationInspection {
  var settings: Configuration
  /// The status of the running logger; nil without one.
  var report: LoggerReport?
  var isLoggerRunning: Bool
  /// True while the logger has switched the network off.
  var isSwitchedOff: Bool

  /// Returns the findings that arrived within `limit`.
  func facts(within limit: Duration) -> [NetworkFacts.Destination] {
    var facts = settings.destinations.map(Self.described)
    guard limit > .zero else { return facts.map { Self.untested($0, "time limit reached") } }
    do {
      let loop = try EventLoop()
      let client = try HTTPClient(loop: loop)
      var probes: [DestinationProbe] = []
      var pending = 0
      for (index, destination) in settings.destinations.enumerated() {
        if let known = withoutTest(destination, facts[index]) {
          facts[index] = known
          continue
        }
        let probe = DestinationProbe(loop: loop, client: client, timeout: min(destination.timeout, limit))
        probes.append(probe)
        pending += 1
        let done: (ProbeReport) -> Void = { report in
          facts[index].take(report)
          pending -= 1
          if pending == 0 { loop.stop() }
        }
        if destination.url.isBroker {
          probe.probe(MQTTBroker(destination, deviceID: settings.deviceID), done: done)
        } else {
          probe.probe(HTTPEndpoint(destination), version: Release.version, done: done)
        }
      }
      let timer = loop.addTimer("doctor") { _ in loop.stop() }
      timer.arm(at: loop.now + limit)
      if pending > 0 { try loop.run() }
      loop.removeTimer(timer)
      withExtendedLifetime(probes) {}
    } catch {
      return facts.map { Self.untested($0, "\(error)") }
    }
    return facts.map { $0.steps.isEmpty && $0.untested == nil ? Self.untested($0, "time limit reached") : $0 }
  }

  private static func described(_ destination: DestinationSettings) -> NetworkFacts.Destination {
    var facts = NetworkFacts.Destination(
      name: destination.name, host: destination.kind == .file ? nil : destination.url.host)
    facts.port = destination.url.port
    facts.isBroker = destination.url.isBroker
    facts.isEncrypted = ["https", "mqtts"].contains(destination.url.scheme)
    facts.proxy = destination.proxy
    return facts
  }

  private static func untested(_ facts: NetworkFacts.Destination, _ reason: String)
    -> NetworkFacts.Destination
  {
    var facts = facts
    facts.untested = facts.steps.isEmpty ? facts.untested ?? reason : nil
    return facts
  }

  /// The facts of a destination that must not be tested; nil for all others.
  private func withoutTest(
    _ destination: DestinationSettings, _ facts: NetworkFacts.Destination
  ) -> NetworkFacts.Destination? {
    if destination.kind == .file { return Self.untested(facts, "a directory has no server") }
    if isSwitchedOff {
      return Self.untested(facts, "the logger switches the network on when it sends")
    }
    // A second session with the logger's identifier would close the logger's own.
    guard destination.url.isBroker, isLoggerRunning || report != nil else { return nil }
    var facts = facts
    guard let status = report?.destinations.first(where: { $0.name == destination.name }) else {
      return Self.untested(facts, "the running logger uses the broker")
    }
    if let trouble = status.trouble {
      facts.steps[NetworkFacts.brokerStep(ofFault: trouble)] = .bad(trouble)
    } else if status.lastSuccessAge != nil {
      facts.steps["answer"] = .good("connected")
    } else {
      return Self.untested(facts, "the running logger uses the broker")
    }
    return facts
  }
}

extension NetworkFacts.Destination {
  /// Takes the steps of a test.
  fileprivate mutating func take(_ report: ProbeReport) {
    for line in report.lines {
      steps[line.step.rawValue] =
        switch line.finding {
        case .good: .good(line.text)
        case .untold: .unknown(line.text)
        case .bad: .bad(line.text)
        }
    }
    certificateSeconds = report.certificateEnd.map { ($0 - SystemClock.timestamp()).wholeSeconds }
  }
}
