import Formats
import Glibc
import MQTTClient
import Quantities
import Records
import TestSupport
import Testing
import TextSnapshots
import Uplink

/// Delivery to a real broker on the loopback interface.
@Suite(
  .enabled(
    if: MosquittoProgram.isInstalled,
    "mosquitto or openssl is absent: sudo apt-get install mosquitto openssl"))
struct MQTTTests {
  final class Bench {
    let http: HTTPBench
    let program: MosquittoProgram
    let log: DeliveryTests.MemoryLog
    private(set) var broker: MQTTBroker

    init(
      records: Int, isEncrypted: Bool = true, user: (name: String, password: String)? = nil,
      requiresCertificate: Bool = false, writable: String? = nil
    ) throws {
      http = try HTTPBench()
      program = try MosquittoProgram(
        admitting: user, requiresCertificate: requiresCertificate, writable: writable)
      broker = MQTTBroker(
        host: isEncrypted ? "localhost" : "127.0.0.1", port: isEncrypted ? program.tlsPort : program.port,
        isEncrypted: isEncrypted, clientID: "outridertest")
      broker.authorityFile = program.authorityFile
      log = try DeliveryTests.MemoryLog(http.loop, records: records)
      for index in log.records.indices {
        guard case .location(var location) = log.records[index].record.body else {
          Issue.record("no location")
          continue
        }
        location.deviceID = "fleet/van7"
        log.records[index].record.body = .location(location)
      }
    }

    func delivery(
      isNewestOnly: Bool = false, acceptsUnrouted: Bool = true, batchSize: Int = 1,
      _ change: (inout MQTTBroker) -> Void = { _ in }
    ) -> Delivery {
      change(&broker)
      var settings = DeliveryMachine.Settings()
      settings.pacing = .whenDue
      settings.isNewestOnly = isNewestOnly
      if !isNewestOnly { settings.batchSize = batchSize }
      return Delivery(
        name: "broker",
        transport: MQTTTransport(
          broker, deviceID: "fleet/van7", trackerID: nil, isNewestOnly: isNewestOnly,
          acceptsUnrouted: acceptsUnrouted, inFlight: 20, loop: http.loop),
        settings: settings, loop: http.loop, log: log, seed: 1)
    }

    /// Waits until the listener has received `count` messages. Its own thread does not wake the loop.
    func received(_ count: Int, by listener: MQTTListener) throws -> Bool {
      for _ in 0..<1000 where listener.messages.count < count { try http.run(for: .milliseconds(10)) }
      return listener.messages.count == count
    }

    func message(_ index: Int) -> String? { OwnTracksText.text(log.records[index].record) }
  }

  enum OwnTracksText {
    static func text(_ record: LogRecord) -> String? {
      guard let message = OwnTracksMessage(record) else { return nil }
      var text: [UInt8] = []
      message.append(to: &text)
      return String(decoding: text, as: UTF8.self)
    }
  }

  @Test(arguments: [false, true])
  func everyRecordIsPublishedOnceAndInOrder(isEncrypted: Bool) throws {
    let bench = try Bench(records: 20, isEncrypted: isEncrypted)
    let listener = try #require(MQTTListener(port: bench.program.port))
    let delivery = bench.delivery()
    delivery.start()
    #expect(try bench.http.run { bench.log.acknowledged == RecordID(20) })
    #expect(try bench.received(20, by: listener))
    #expect(listener.messages.map(\.payload) == (0..<20).map { bench.message($0) })
    #expect(listener.messages.allSatisfy { $0.topic == "owntracks/fleet/van7" && !$0.isRetained })
    #expect(bench.log.reports.isEmpty)
  }

  /// One message per round trip of 100 ms would take 60 s.
  @Test func aWindowIsInFlightOverASlowConnection() throws {
    let bench = try Bench(records: 600, isEncrypted: false)
    let listener = try #require(MQTTListener(port: bench.program.port))
    let proxy = try #require(DelayingProxy(to: bench.program.port, roundTrip: 100))
    let delivery = bench.delivery(batchSize: 500) { $0.port = proxy.port }
    let began = bench.http.loop.now
    delivery.start()
    #expect(try bench.http.run(for: .seconds(60)) { bench.log.acknowledged == RecordID(600) })
    let duration = bench.http.loop.now - began
    #expect(duration < .seconds(20))
    print("600 messages over a round trip of 100 ms: \(duration)")
    #expect(try bench.received(600, by: listener))
    #expect(listener.messages.map(\.payload) == (0..<600).map { bench.message($0) })
    #expect(bench.log.reports.isEmpty)
  }

  @Test(arguments: [1, 4, 10]) func everyDeviceIDHasItsOwnTopic(batchSize: Int) throws {
    let bench = try Bench(records: 6)
    let listener = try #require(MQTTListener(port: bench.program.port))
    for index in [2, 3] {
      guard case .location(var location) = bench.log.records[index].record.body else {
        Issue.record("no location")
        return
      }
      location.deviceID = "fleet/van8"
      bench.log.records[index].record.body = .location(location)
    }
    let delivery = bench.delivery(batchSize: batchSize)
    delivery.start()
    #expect(try bench.http.run { bench.log.acknowledged == RecordID(6) })
    #expect(try bench.received(6, by: listener))
    let topics = [7, 7, 8, 8, 7, 7].map { "owntracks/fleet/van\($0)" }
    #expect(listener.messages.map(\.topic) == topics && bench.log.reports.isEmpty)
  }

  @Test func theNewestMessageIsRetainedForLaterSubscribers() throws {
    let bench = try Bench(records: 5)
    let delivery = bench.delivery(isNewestOnly: true)
    delivery.start()
    #expect(try bench.http.run { bench.log.acknowledged == RecordID(5) })
    let listener = try #require(MQTTListener(port: bench.program.port))
    #expect(try bench.received(1, by: listener))
    let newest = try #require(bench.message(4))
    let expected = MQTTListener.Message(topic: "owntracks/fleet/van7", payload: newest, isRetained: true)
    #expect(listener.messages == [expected])
  }

  @Test func aMessageWithoutASubscriberIsQueuedUntilThereIsOne() throws {
    let bench = try Bench(records: 3, isEncrypted: false)
    let delivery = bench.delivery(acceptsUnrouted: false)
    delivery.start()
    #expect(try bench.http.run { !bench.log.reports.isEmpty })
    #expect(delivery.machine.lastRefusal?.kind == .unrouted && bench.log.acknowledged == .zero)
    #expect(bench.log.reports.first?.contains("owntracks/fleet/van7") == true, "\(bench.log.reports)")
    guard case .backingOff? = Optional(delivery.machine.phase) else {
      Issue.record("\(delivery.machine.phase)")
      return
    }
    let listener = try #require(MQTTListener(port: bench.program.port))
    delivery.sendNow()
    #expect(try bench.http.run { bench.log.acknowledged == RecordID(3) })
    #expect(try bench.received(3, by: listener))
    #expect(listener.messages.map(\.payload) == (0..<3).map { bench.message($0) })
  }

  @Test(arguments: [true, false])
  func aMessageWithoutASubscriberCountsIfRetainedOrAllowed(isNewestOnly: Bool) throws {
    let bench = try Bench(records: 3, isEncrypted: false)
    let delivery = bench.delivery(isNewestOnly: isNewestOnly, acceptsUnrouted: !isNewestOnly)
    delivery.start()
    #expect(try bench.http.run { bench.log.acknowledged == RecordID(3) })
    #expect(bench.log.reports.isEmpty)
  }

  @Test func aKilledBrokerLosesNothing() throws {
    let bench = try Bench(records: 3)
    let delivery = bench.delivery()
    bench.program.kill()
    delivery.start()
    #expect(try bench.http.run { !bench.log.reports.isEmpty })
    #expect(delivery.machine.lastRefusal?.kind == .unreachable)
    try bench.program.start()
    let listener = try #require(MQTTListener(port: bench.program.port))
    delivery.sendNow()
    #expect(try bench.http.run { bench.log.acknowledged == RecordID(3) })
    #expect(try bench.received(3, by: listener))
    bench.program.kill()
    guard case .recovered? = bench.log.reported.last else {
      Issue.record("\(bench.log.reports)")
      return
    }
  }

  @Test func theBrokerPublishesTheWillOfALostClient() throws {
    let bench = try Bench(records: 1, isEncrypted: false)
    let listener = try #require(MQTTListener(port: bench.program.port))
    var isConnected = false
    let will = MQTTMessage(topic: "owntracks/fleet/van7", payload: Array("gone".utf8), isRetained: false)
    var session: MQTTSession? = try MQTTSession(bench.broker, will: will, loop: bench.http.loop) {
      if $0 == .connected { isConnected = true }
    }
    #expect(try bench.http.run { isConnected })
    session?.drop()
    session = nil
    #expect(try bench.received(1, by: listener))
    #expect(listener.messages.map(\.payload) == ["gone"])
  }

  @Test func aCertificateOfAnotherAuthorityIsNotTrusted() throws {
    let bench = try Bench(records: 1)
    let delivery = bench.delivery { $0.authorityFile = nil }
    delivery.start()
    #expect(try bench.http.run { !bench.log.reports.isEmpty })
    #expect(delivery.machine.lastRefusal?.kind == .unreachable)
    #expect(
      bench.log.reports.first?.contains("certificate verify failed") == true, "\(bench.log.reports)")
    #expect(bench.log.acknowledged == .zero)
  }

  @Test func aCertificateForAnotherNameIsNotTrusted() throws {
    let bench = try Bench(records: 1)
    let delivery = bench.delivery { $0.host = "127.0.0.1" }
    delivery.start()
    #expect(try bench.http.run { !bench.log.reports.isEmpty })
    #expect(bench.log.acknowledged == .zero)
  }

  @Test func aClientCertificateIsSentIfRequired() throws {
    let bench = try Bench(records: 1, requiresCertificate: true)
    let delivery = bench.delivery {
      $0.clientCertificateFile = bench.program.clientCertificateFile
      $0.clientKeyFile = bench.program.clientKeyFile
    }
    delivery.start()
    #expect(try bench.http.run { bench.log.acknowledged == RecordID(1) })
  }

  @Test(arguments: ["right", "wrong"])
  func userAndPasswordAreChecked(password: String) throws {
    let bench = try Bench(records: 1, user: ("van", "right"))
    let delivery = bench.delivery {
      $0.user = "van"
      $0.password = password
    }
    delivery.start()
    #expect(try bench.http.run { bench.log.acknowledged == RecordID(1) || !bench.log.reports.isEmpty })
    #expect((bench.log.acknowledged == RecordID(1)) == (password == "right"))
    if password == "wrong" { #expect(delivery.machine.lastRefusal?.kind == .credentials) }
  }

  @Test(arguments: ["fleet/van7", "fleet/van8"])
  func aRejectedTopicKeepsTheRecordAndIsReported(writable: String) throws {
    let bench = try Bench(records: 1, writable: "owntracks/\(writable)")
    let delivery = bench.delivery()
    delivery.start()
    #expect(try bench.http.run { bench.log.acknowledged == RecordID(1) || !bench.log.reports.isEmpty })
    guard writable == "fleet/van8" else { return #expect(bench.log.acknowledged == RecordID(1)) }
    #expect(bench.log.acknowledged == .zero && delivery.machine.lastRefusal?.kind == .credentials)
    let report = try #require(bench.log.reports.first)
    let message = report.replacing(":\(bench.broker.port):", with: ":PORT:")
    #expect(message == DeliveryTests.texts.expected("topic rejected by the broker", message))
  }

  @Test(arguments: [0, 1, 2])
  func aMissingFileIsReported(index: Int) throws {
    let bench = try Bench(records: 1, requiresCertificate: true)
    let delivery = bench.delivery {
      $0.clientCertificateFile = bench.program.clientCertificateFile
      $0.clientKeyFile = bench.program.clientKeyFile
      let paths = [\MQTTBroker.authorityFile, \.clientCertificateFile, \.clientKeyFile]
      $0[keyPath: paths[index]] = "/nowhere/x.pem"
    }
    delivery.start()
    #expect(try bench.http.run { !bench.log.reports.isEmpty })
    let key = ["ca_file", "client_certificate", "client_key"][index]
    #expect(bench.log.reports.first?.contains("\(key) /nowhere/x.pem: no such file") == true)
  }

  @Test(arguments: [0, 1, 2])
  func aPipeInsteadOfAFileIsReportedAndHoldsNothing(index: Int) throws {
    let fifo = "/tmp/outrider-mqtt-pipe-\(getpid())-\(index)"
    unlink(fifo)
    mkfifo(fifo, 0o600)
    defer { unlink(fifo) }
    let bench = try Bench(records: 1, requiresCertificate: true)
    let delivery = bench.delivery {
      $0.clientCertificateFile = bench.program.clientCertificateFile
      $0.clientKeyFile = bench.program.clientKeyFile
      let paths: [WritableKeyPath<MQTTBroker, String?>] = [
        \.authorityFile, \.clientCertificateFile, \.clientKeyFile,
      ]
      $0[keyPath: paths[index]] = String?.some(fifo)
    }
    delivery.start()
    #expect(try bench.http.run { !bench.log.reports.isEmpty })
    #expect(bench.log.reports.first?.contains("\(fifo): is a pipe, not a regular file") == true)
  }

  @Test func anUnresolvedNameIsReported() throws {
    let bench = try Bench(records: 1)
    // A name with two dots is invalid, so no DNS server is queried.
    let delivery = bench.delivery { $0.host = "nobody..invalid" }
    delivery.start()
    #expect(try bench.http.run { !bench.log.reports.isEmpty })
    #expect(bench.log.reports.first?.contains("nobody..invalid") == true)
    #expect(delivery.machine.lastRefusal?.kind == .unreachable)
  }

  @Test func aDeliveryMayEndWhileItConnects() throws {
    let bench = try Bench(records: 5)
    for _ in 0..<5 {
      let delivery = bench.delivery()
      delivery.start()
      try bench.http.run(for: .milliseconds(1))
    }
    try bench.http.run(for: .milliseconds(50))
    #expect(bench.log.reports.isEmpty)
  }
}
