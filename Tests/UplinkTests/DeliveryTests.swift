import EventLoop
import Formats
import HTTPClient
import Quantities
import Records
import TestSupport
import Testing
import TextSnapshots
import Uplink

@Suite struct DeliveryTests {
  /// A log in memory that responds immediately, and stops the loop when everything is delivered.
  final class MemoryLog: DeliveryLog {
    let loop: EventLoop
    var records: [StoredRecord] = []
    var acknowledged = RecordID.zero
    var taken: [TakenRecords] = []
    var boundary = RecordID.zero
    var reports: [String] = []
    /// The values behind `reports`.
    var reported: [DeliveryReport] = []
    /// Records that were set aside, with the message.
    var setAside: [(record: RecordID, message: String)] = []
    /// The records that are held.
    var held: [RecordID: HeldRecord] = [:]
    var stopsOnFailure = false
    var stopsAt: RecordID?
    var retriesAtOnce = false
    /// True for records in a privacy zone.
    var isHidden: (LogRecord) -> Bool = { _ in false }
    /// The boundaries of supplied or shortened batches.
    private var ends: Set<RecordID> = []
    /// Requested starts that are no known boundary: a log could only start again there.
    var unknownEnds: [RecordID] = []
    /// Called before an acknowledgement is stored.
    var onAcknowledge: (RecordID) -> Void = { _ in }

    init(_ loop: EventLoop, records count: Int) throws {
      self.loop = loop
      for id in 1...Int32(count) {
        let coordinate = try #require(Coordinate(latitudeE7: 525_000_000 + id, longitudeE7: 133_000_000))
        records.append(
          StoredRecord(
            id: RecordID(Int64(id)), boot: 1,
            record: LogRecord(
              moment: .zero, time: Timestamp(milliseconds: 1_772_360_102_000 + Int64(id) * 1000),
              timeQuality: .receiver, body: .location(LocationRecord(coordinate: coordinate, deviceID: "van"))
            )))
      }
    }

    func loadBatch(for delivery: Delivery, _ request: BatchRequest) {
      if let id = request.held {
        guard held[id] != nil, let stored = records.first(where: { $0.id == id }) else {
          return delivery.loaded(nil)
        }
        var batch = Batch(records: [stored], through: id, boundary: .stored, hasMore: false, isLate: false)
        batch.isHeld = true
        return delivery.loaded(batch)
      }
      let after = request.after?.through
      if let after, !ends.contains(after) { unknownEnds.append(after) }
      let start = Int((after ?? acknowledged).rawValue)
      let end = min(
        start + request.size, records.count, boundary.rawValue > start ? Int(boundary.rawValue) : .max)
      guard end > start else { return delivery.loaded(nil) }
      let whole = Batch(
        records: Array(records[start..<end]), through: RecordID(Int64(end)),
        boundary: boundary.rawValue == end ? .stored : .counted, hasMore: end < records.count, isLate: false)
      guard var batch = request.cut.map(whole.cut) ?? whole else { return delivery.loaded(nil) }
      ends.insert(batch.through)
      if !batch.isReproducible(size: request.size), batch.records.count <= request.largestToSend {
        boundary = batch.through
        batch.boundary = .stored
      }
      delivery.loaded(batch)
    }

    func commitBatchBoundary(for delivery: Delivery, at position: BatchPosition) {
      boundary = position.through
      ends.insert(boundary)
      delivery.batchBoundaryCommitted(through: boundary)
    }

    func acknowledge(
      for delivery: Delivery, at position: BatchPosition, taken: TakenRecords?, next: BatchRequest?
    ) {
      defer { if let next { loadBatch(for: delivery, next) } }
      let through = position.through
      switch position.held {
      case .hold(let record): held[record.id] = record
      case .update(let record):
        held[record.id] = record
        return
      case .end(let id):
        held[id] = nil
        if let taken { self.taken.append(taken) }
        return
      case nil: break
      }
      onAcknowledge(through)
      if let taken { self.taken.append(taken) }
      acknowledged = through
      delivery.acknowledged(through: through)
      if through == records.last?.id || through == stopsAt { loop.stop() }
    }

    func runningTrip(for delivery: Delivery) -> [UInt8]? { nil }
    func report(for delivery: Delivery) -> [UInt8]? { nil }
    func disclosed(_ record: LogRecord, for delivery: Delivery) -> LogRecord? {
      isHidden(record) ? nil : record
    }
    func delivery(_ delivery: Delivery, wasAnswered body: [UInt8]) {}
    func newestFix(for delivery: Delivery) -> LogRecord? { records.last?.record }

    func delivery(_ delivery: Delivery, reports report: DeliveryReport) {
      let message = EventRecord(report, of: delivery.name).detail
      reports.append(message)
      reported.append(report)
      if case .setAside(let record, _, _) = report { setAside.append((record, message)) }
      if stopsOnFailure { loop.stop() }
      if retriesAtOnce, case .failing = report { delivery.sendNow() }
    }
  }

  final class Bench {
    let loop: EventLoop
    let server: ScriptedServer
    let client: HTTPClient
    let log: MemoryLog

    init(_ script: [ScriptedServer.Reply], records: Int) throws {
      loop = try EventLoop()
      server = try ScriptedServer(loop, script)
      client = try HTTPClient(loop: loop)
      log = try MemoryLog(loop, records: records)
    }

    func delivery(
      to url: String? = nil, _ change: (inout DeliveryMachine.Settings) -> Void = { _ in }
    ) -> Delivery { delivery(to: url, at: { _ in }, change) }

    func delivery(
      to url: String? = nil, at endpointChange: (inout HTTPEndpoint) -> Void,
      _ change: (inout DeliveryMachine.Settings) -> Void = { _ in }
    ) -> Delivery {
      var endpoint = HTTPEndpoint(url: url ?? server.url("/in?key=secret"))
      endpoint.credentials = .bearer("s3cret")
      endpointChange(&endpoint)
      var settings = DeliveryMachine.Settings()
      settings.batchSize = 10
      change(&settings)
      return Delivery(
        name: "home",
        transport: HTTPTransport(endpoint, loop: loop, client: client, version: "1.2.3"),
        settings: settings, loop: loop, log: log, seed: 1)
    }

    /// `message` without the parts that differ from run to run: the port, libcurl's reason in parentheses, and
    /// milliseconds of a timeout.
    func stable(_ message: String) -> String {
      message.replacing("127.0.0.1:\(server.port)", with: "127.0.0.1:PORT")
        .replacing(/\(.*\)/, with: "(reason)")
        .replacing(/within [0-9.]+ s/, with: "within N s")
    }
  }

  static let texts = TextSnapshot("uplink")

  static let ok = ScriptedServer.Reply.answer(200, body: #"{"result":"ok"}"#)

  static func body(_ request: ScriptedServer.Request) -> String {
    String(decoding: request.body, as: UTF8.self)
  }

  @Test func aRetrySendsNoCurrentThatIsInTheBatch() throws {
    let bench = try Bench([.answer(503), Self.ok], records: 3)
    bench.log.stopsOnFailure = true
    let delivery = bench.delivery()
    delivery.start()
    #expect(try bench.loop.runUntilStopped())
    // Records that this destination does not receive.
    delivery.recordsDurable(count: 50)
    delivery.sendNow()
    #expect(try bench.loop.runUntilStopped())
    let bodies = bench.server.requests.map(Self.body)
    #expect(bodies.count == 2 && bodies.first == bodies.last)
    #expect(bodies.allSatisfy { !$0.contains(#""current""#) })
  }

  @Test func aBacklogIsSentInOrderOverOneConnection() throws {
    let bench = try Bench([Self.ok], records: 30)
    let delivery = bench.delivery()
    delivery.start()
    #expect(try bench.loop.runUntilStopped())
    let requests = bench.server.requests
    #expect(requests.count == 3 && bench.server.connectionCount == 1)
    for (index, request) in requests.enumerated() {
      let records = bench.log.records[(index * 10)..<(index * 10 + 10)]
      let current = index == 2 ? nil : bench.log.records.last.flatMap { OverlandFeature($0.record) }
      #expect(request.body == Array(OverlandBatch(records).body(current: current).joined()))
    }
    let headers = try #require(requests.first).headers
    #expect(headers["content-type"] == "application/json" && headers["authorization"] == "Bearer s3cret")
    #expect(headers["user-agent"] == "Outrider/1.2.3" && headers["expect"] == nil)
    #expect(bench.log.reports.isEmpty)
  }

  @Test func withoutATokenThereIsNoAuthorization() throws {
    let bench = try Bench([Self.ok], records: 1)
    let delivery = bench.delivery(at: { $0.credentials = .none })
    delivery.start()
    #expect(try bench.loop.runUntilStopped())
    #expect(bench.server.requests.first?.headers["authorization"] == nil)
  }

  static let failures: [(String, ScriptedServer.Reply)] = [
    ("500", .answer(500, body: "broken")), ("web page", .answer(200, body: "<html>")),
    ("302", .answer(302, headers: ["Location: /login"])), ("closed connection", .close),
    ("incomplete body", .rawThenClose("HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n{\"result\"")),
    ("401", .answer(401, body: #"{"error":"token"}"#)), ("307 without Location", .answer(307)),
    ("no response", .silence), ("redirect to FTP", .answer(308, headers: ["Location: ftp://127.0.0.1/"])),
    ("503", .answer(503, headers: ["Retry-After: 1"])), ("204", .answer(204)),
  ]

  @Test(arguments: failures)
  func aRejectedBatchIsSentAgainByteForByte(name: String, failure: ScriptedServer.Reply) throws {
    let bench = try Bench([failure, Self.ok], records: 3)
    bench.log.retriesAtOnce = true
    let delivery = bench.delivery { $0.timeout = .milliseconds(300) }
    delivery.start()
    #expect(try bench.loop.runUntilStopped())
    #expect(bench.server.requests.count == 2)
    #expect(bench.server.requests.first?.body == bench.server.requests.last?.body)
    #expect(bench.log.reports.count == 2)
    let first = try #require(bench.log.reports.first)
    #expect(
      first.hasPrefix("upload home: http://127.0.0.1:\(bench.server.port): ")
        && !first.contains("secret"))
    let message = bench.stable(first)
    #expect(message == Self.texts.expected("first failure: \(name)", message))
    let last = try #require(bench.log.reports.last)
    #expect(last == Self.texts.expected("delivery recovered after one attempt", last))
  }

  @Test(arguments: [307, 308])
  func redirectsThatKeepTheMethodAreFollowed(status: Int) throws {
    let bench = try Bench([.answer(status, headers: ["Location: /moved/in"]), Self.ok], records: 3)
    let delivery = bench.delivery()
    delivery.start()
    #expect(try bench.loop.runUntilStopped())
    #expect(bench.server.requests.map(\.line) == ["POST /in?key=secret HTTP/1.1", "POST /moved/in HTTP/1.1"])
    #expect(bench.server.requests.first?.body == bench.server.requests.last?.body)
    #expect(bench.server.requests.last?.headers["authorization"] == "Bearer s3cret")
    #expect(bench.log.reports.isEmpty)
  }

  @Test func theTokenIsNotSentToARedirectTarget() throws {
    let bench = try Bench([Self.ok], records: 3)
    let other = try ScriptedServer(
      bench.loop, [.answer(307, headers: ["Location: \(bench.server.url("/far"))"])])
    let delivery = bench.delivery(to: other.url("/in"))
    delivery.start()
    #expect(try bench.loop.runUntilStopped())
    #expect(other.requests.first?.headers["authorization"] == "Bearer s3cret")
    #expect(bench.server.requests.first?.headers["authorization"] == nil)
    #expect(bench.server.requests.first?.body == other.requests.first?.body)
  }

  @Test func aRedirectLoopIsAFailure() throws {
    let bench = try Bench([.answer(308, headers: ["Location: /in"])], records: 3)
    bench.log.stopsOnFailure = true
    let delivery = bench.delivery()
    delivery.start()
    #expect(try bench.loop.runUntilStopped())
    #expect(bench.server.requests.count == 6)
    #expect(delivery.machine.lastRefusal?.kind == .redirected)
  }

  @Test func anUnreachableDestinationDoesNotDelayAnother() throws {
    let bench = try Bench([Self.ok], records: 30)
    let dead = bench.delivery(to: "http://127.9.8.7:1/")
    let alive = bench.delivery()
    dead.start()
    alive.start()
    #expect(try bench.loop.runUntilStopped())
    #expect(bench.server.requests.count == 3)
    #expect(dead.machine.lastRefusal?.kind == .unreachable)
  }

  @Test func aRecordWithoutATimeWaitsUntilItIsDated() throws {
    let bench = try Bench([Self.ok], records: 8)
    let dated = bench.log.records[5].record.time
    bench.log.records[5].record.time = nil
    let delivery = bench.delivery()
    bench.log.stopsAt = RecordID(5)
    delivery.start()
    #expect(try bench.loop.runUntilStopped())
    bench.log.records[5].record.time = dated
    delivery.sendNow()
    #expect(try bench.loop.runUntilStopped())
    let batches = [bench.log.records[..<5], bench.log.records[5...]]
    #expect(bench.server.requests.map(\.body) == batches.map { Array(OverlandBatch($0).body().joined()) })
  }

  @Test func anInvalidURLKeepsTheRecords() throws {
    let bench = try Bench([Self.ok], records: 3)
    bench.log.stopsOnFailure = true
    let delivery = bench.delivery(to: "not a url")
    delivery.start()
    #expect(try bench.loop.runUntilStopped())
    #expect(delivery.machine.lastRefusal?.kind == .configuration)
    #expect(bench.log.acknowledged == .zero)
  }
}
