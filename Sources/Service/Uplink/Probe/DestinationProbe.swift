import EventLoop
import HTTPClient
import MQTTClient
import Quantities
import System

/// Tests a destination without sending a record: name, connection, encryption, token and response, if possible.
public final class DestinationProbe {
  private let loop: EventLoop
  private let client: HTTPClient
  private var session: NegotiatedSession?
  private var timer: LoopTimer?
  private var isDone = false

  /// The time limit of the test.
  private let timeout: Duration

  public init(loop: EventLoop, client: HTTPClient, timeout: Duration) {
    self.loop = loop
    self.client = client
    self.timeout = timeout
  }

  deinit {
    session?.close()
    if let timer { loop.removeTimer(timer) }
  }

  /// Tests an HTTP server. `done` is called once, later. `version` is the version of the program.
  public func probe(_ endpoint: HTTPEndpoint, version: String, done: @escaping (ProbeReport) -> Void) {
    client.perform(endpoint.probeRequest(version: version, timeout: timeout)) {
      done(ProbeReport($0, of: endpoint))
    }
  }

  /// Connects to the broker and disconnects. `done` is called once, later.
  public func probe(_ broker: MQTTBroker, done: @escaping (ProbeReport) -> Void) {
    func finish(_ report: ProbeReport) {
      guard !isDone else { return }
      isDone = true
      done(report)
    }
    timer = loop.addTimer("probe") { [timeout] _ in
      var report = ProbeReport()
      report.add(
        .connection, .bad,
        "\(broker.displayURL): no response within \(timeout.wholeSeconds) s; check the broker")
      finish(report)
    }
    timer?.arm(at: loop.now + timeout)
    do throws(MQTTFailure) {
      session = try NegotiatedSession(broker, memory: VersionMemory(), will: nil, loop: loop) {
        [weak self] event in
        switch event {
        case .connected: finish(ProbeReport(admittedBy: broker, self?.session?.version ?? .five))
        case .published, .unrouted, .refused, .received, .notSubscribed: break
        case .ended(let failure): finish(ProbeReport(failure, of: broker))
        }
      }
    } catch {
      finish(ProbeReport(error, of: broker))
    }
  }
}

extension ProbeReport {
  init(admittedBy broker: MQTTBroker, _ version: MQTTVersion) {
    self.init()
    addConnection(broker)
    add(
      .token, .good,
      broker.user == nil ? "the broker requires none" : "the broker accepts user \(broker.user ?? "")")
    switch version {
    case .five: add(.answer, .good, "MQTT 5; the first record shows whether the topic is accepted")
    case .threeOneOne:
      add(.answer, .untold, "MQTT 3.1.1 does not report rejected topics; check the broker's access list")
    }
  }

  init(_ failure: MQTTFailure, of broker: MQTTBroker) {
    self.init()
    switch failure {
    case .nameNotResolved: add(.name, .bad, failure.description)
    case .unreachable, .versionRefused, .notAccepted, .crashed, .invalid:
      add(.connection, .bad, failure.description)
    case .tls:
      add(.name, .good, "resolved")
      add(.encryption, .bad, failure.description)
    case .notAdmitted:
      addConnection(broker)
      add(.token, .bad, failure.description)
    case .busy, .flooded, .interrupted, .topicRefused, .messageRefused, .faulty:
      addConnection(broker)
      add(.answer, .bad, failure.description)
    }
  }

  private mutating func addConnection(_ broker: MQTTBroker) {
    add(.name, .good, "resolved")
    add(.connection, .good, "established")
    if broker.isEncrypted {
      add(.encryption, .good, "TLS, trusted certificate")
    } else {
      add(.encryption, .untold, "none: password and locations are sent in clear text")
    }
  }
}
