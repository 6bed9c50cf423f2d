import Foundation
import LocalAPI
import Quantities
import Settings
import TestSupport
import Testing
@testable import Daemon

/// Tests of destinations by `POST /test`, while the logger delivers to them.
@Suite struct DestinationProbeTests {
  private static func results(_ logger: Logger) throws -> [TestsReport.Result] {
    guard case .done(let json) = logger.tests else { return [] }
    return try JSONDecoder().decode(TestsReport.self, from: Data(json.utf8)).results
  }

  private static func destination(_ server: ScriptedServer) -> String {
    "destinations=[{ name: \"home\", kind: \"overland\", profile: \"compass\", url: \"\(server.url("/api/input"))\", "
      + "token: \"sesame\" }]"
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let promise: String
    let status: Int
    let body: String
    let ok: Bool
    /// A part of the sentence.
    let sentence: String
    var server: String?
    var testDescription: String { promise }
  }

  static let cases = [
    Case(
      promise: "a good server is named", status: 200, body: #"{"name":"van"}"#, ok: true,
      sentence: "token: valid for the database van; answer: as expected", server: "van"),
    Case(
      promise: "a wrong token has its remedy", status: 401, body: "", ok: false,
      sentence: "token: status 401"),
    Case(
      promise: "a repeated secret is hidden", status: 500, body: "sesame", ok: false,
      sentence: "(hidden: the response repeats a secret)"),
    Case(
      promise: "a name that repeats a secret is hidden", status: 200, body: #"{"name":"sesame"}"#, ok: true,
      sentence: "(hidden: the response repeats a secret)", server: "(hidden: the response repeats a secret)"),
  ]

  @Test(arguments: cases) func theResultIsListed(_ test: Case) throws {
    let bench = try HTTPBench.simulated()
    let server = try ScriptedServer(bench.loop, [])
    server.answer = { _ in .answer(test.status, body: test.body) }
    let logger = try StatusKeysTests.logger(bench, [Self.destination(server)])
    defer { logger.stop() }
    #expect(try bench.run { logger.supervision.isReady })
    #expect(logger.testDestination("home") == .done(#"{"test": 1}"#))
    #expect(logger.delivery.probes.isBusy && logger.delivery.isBusy)
    #expect(try bench.run(for: .seconds(60)) { logger.delivery.probes.results.count == 1 })
    let result = try #require(try Self.results(logger).first)
    #expect(result.id == 1 && result.destination == "home" && result.ok == test.ok, "\(result)")
    #expect(result.sentence.contains(test.sentence) && result.server == test.server, "\(result)")
    #expect(logger.status.destinations.first?.server == test.server)
    #expect(server.requests.allSatisfy { $0.line.hasPrefix("GET ") && $0.body.isEmpty })
    #expect(!logger.delivery.probes.isBusy)
  }

  @Test func oneTestAtATimeAndTheLastTwentyAreKept() throws {
    let bench = try HTTPBench.simulated()
    let server = try ScriptedServer(bench.loop, [])
    server.answer = { _ in .answer(405) }
    let logger = try StatusKeysTests.logger(bench, [Self.destination(server)])
    defer { logger.stop() }
    #expect(try bench.run { logger.supervision.isReady })
    for number in 1...25 {
      #expect(logger.testDestination("home") == .done(#"{"test": \#(number)}"#))
      guard case .refused(let problem) = logger.testDestination("home") else {
        Issue.record("a second test runs at the same time")
        return
      }
      #expect(problem.status == 409)
      #expect(try bench.run(for: .seconds(60)) { logger.delivery.probes.results.first?.id == number })
    }
    #expect(try Self.results(logger).map(\.id) == Array((6...25).reversed()))
    guard case .refused(let unknown) = logger.testDestination("nowhere") else {
      Issue.record("an unknown destination is tested")
      return
    }
    #expect(unknown.status == 404)
  }

  /// A test during an attempt to send changes nothing of the delivery: every record arrives once.
  @Test func aTestDoesNotDisturbTheDelivery() throws {
    let bench = try HTTPBench.simulated()
    let server = try ScriptedServer(bench.loop, [])
    server.answer = { request in
      request.line.hasPrefix("GET ")
        ? .answer(200, body: #"{"name":"van"}"#) : .answer(200, body: #"{"result":"ok"}"#)
    }
    let logger = try StatusKeysTests.logger(bench, [Self.destination(server), "send_interval=1s"])
    defer { logger.stop() }
    #expect(try bench.run { logger.supervision.isReady })
    for round in 0..<5 as Range<Int64> {
      StatusKeysTests.drive(logger, round * 10...round * 10 + 9, bench)
      _ = logger.send(to: nil)
      _ = logger.testDestination("home")
      #expect(try bench.run(for: .seconds(60)) { !logger.delivery.probes.isBusy })
    }
    #expect(try bench.run(for: .seconds(60)) { logger.status.destinations.first?.delivered ?? 0 >= 50 })
    let home = try #require(logger.status.destinations.first)
    #expect(home.trouble == nil && home.last_answer == "accepted" && home.server == "van")
    #expect(logger.delivery.probes.results.count == 5 && logger.delivery.probes.results.allSatisfy(\.ok))
    let sent = try server.requests.filter { $0.line.hasPrefix("POST ") }.flatMap {
      try SentRequest($0).records
    }
    #expect(
      Set(sent).count == sent.count && sent.count == home.delivered, "\(sent.count) of \(home.delivered)")
  }

  @Test func aServerThatClosesTheConnectionFailsTheTest() throws {
    let bench = try HTTPBench.simulated()
    let server = try ScriptedServer(bench.loop, [])
    server.answer = { _ in .close }
    let logger = try StatusKeysTests.logger(bench, [Self.destination(server)])
    defer { logger.stop() }
    #expect(try bench.run { logger.supervision.isReady })
    _ = logger.testDestination("home")
    #expect(try bench.run(for: .seconds(300)) { logger.delivery.probes.results.first?.ok == false })
    #expect(logger.status.destinations.first?.server == nil)
  }

  @Test func aStopAbandonsTheTest() throws {
    let bench = try HTTPBench.simulated()
    let server = try ScriptedServer(bench.loop, [])
    server.answer = { _ in .silence }
    let logger = try StatusKeysTests.logger(bench, [Self.destination(server)])
    #expect(try bench.run { logger.supervision.isReady })
    _ = logger.testDestination("home")
    logger.stop()
    #expect(!logger.delivery.probes.isBusy && logger.delivery.probes.results.isEmpty)
  }

  @Test func aDirectoryIsTestedOnAThread() throws {
    let bench = try HTTPBench.simulated()
    let destinations =
      "destinations=[{ name: \"good\", kind: \"file\", directory: \"\(bench.directory)/tracks\" }, "
      + "{ name: \"bad\", kind: \"file\", directory: \"/proc/nowhere\" }]"
    let logger = try StatusKeysTests.logger(bench, [destinations])
    defer { logger.stop() }
    #expect(try bench.run { logger.supervision.isReady })
    _ = logger.testDestination("good")
    _ = logger.testDestination("bad")
    #expect(try bench.run(for: .seconds(60)) { logger.delivery.probes.results.count == 2 })
    let results = Dictionary(try Self.results(logger).map { ($0.destination, $0) }) { $1 }
    #expect(results["good"]?.ok == true && results["good"]?.sentence == "directory: can be written")
    #expect(results["bad"]?.ok == false && results["bad"]?.sentence.hasPrefix("directory: ") == true)
  }

  // MARK: A broker

  struct BrokerCase: Sendable, CustomTestStringConvertible {
    let promise: String
    var scheme = "mqtt"
    var password = "sesame"
    /// The broker is killed before the test.
    var isGone = false
    let ok: Bool
    /// A part of the sentence.
    let sentence: String
    var testDescription: String { promise }
  }

  static let brokers = [
    BrokerCase(
      promise: "a broker that admits the user", ok: true, sentence: "the broker accepts user van"),
    BrokerCase(promise: "a wrong password", password: "wrong one", ok: false, sentence: "token: "),
    BrokerCase(
      promise: "a certificate of an unknown authority", scheme: "mqtts", ok: false, sentence: "encryption: "),
    BrokerCase(
      promise: "a broker that does not listen", isGone: true, ok: false, sentence: "connection: "),
  ]

  @Test(
    .enabled(
      if: MosquittoProgram.isInstalled,
      "mosquitto or openssl is absent: sudo apt-get install mosquitto openssl"),
    arguments: brokers)
  func aBrokerIsTestedOverHTTPBesideItsDelivery(_ test: BrokerCase) throws {
    let bench = try HTTPBench()
    LoggerTests.fill(bench, count: 3)
    let program = try MosquittoProgram(admitting: ("van", "sesame"))
    let listener = try #require(MQTTListener(port: program.port, user: "van", password: "sesame"))
    if test.isGone { program.kill() }
    let place = test.scheme == "mqtt" ? "127.0.0.1:\(program.port)" : "localhost:\(program.tlsPort)"
    let destination =
      #"destinations=[{ name: "home", kind: "owntracks", url: "\#(test.scheme)://\#(place)", "#
      + #"user: "van", password: "\#(test.password)", logging_mode: "all" }]"#
    let running = try LocalAPITests.logger(on: bench, extra: [destination, "send_interval=1s"])
    let logger = running.logger
    defer { logger.stop() }
    #expect(try bench.run { logger.supervision.isReady })
    if test.ok { #expect(try bench.run { logger.status.destinations.first?.delivered == 3 }) }
    let begun = try LocalAPITests.ask(running, "POST", "/test?destination=home")
    #expect(begun.status == 202 && begun.text == #"{"test": 1}"#, "\(begun.text)")
    #expect(try bench.run { logger.delivery.probes.results.count == 1 })
    let answer = try LocalAPITests.ask(running, "GET", "/test")
    let result = try #require(
      try JSONDecoder().decode(TestsReport.self, from: Data(answer.body)).results.first)
    #expect(result.ok == test.ok && result.sentence.contains(test.sentence), "\(result)")
    #expect(!answer.text.contains(test.password), "\(answer.text)")
    if test.ok {
      #expect(logger.status.destinations.first?.trouble == nil, "the session of the delivery goes on")
      _ = try bench.run(for: .seconds(5)) { listener.messages.count >= 3 }
      #expect(listener.messages.count == 3, "a test sends no record")
    }
  }

  // MARK: The routes

  @Test func theRoutesAnswerOverHTTP() throws {
    let running = try LocalAPITests.logger()
    let logger = running.logger
    defer { logger.stop() }
    #expect(try running.bench.run { logger.supervision.isReady })
    #expect(try LocalAPITests.ask(running, "POST", "/test").status == 400)
    #expect(try LocalAPITests.ask(running, "POST", "/test?destination=nowhere").status == 404)
    let tests = try LocalAPITests.ask(running, "GET", "/test")
    #expect(tests.status == 200 && tests.text == #"{"results":[]}"#)
  }

  @Test func theDoctorAnswersWithEveryCheck() throws {
    let running = try LocalAPITests.logger()
    let logger = running.logger
    defer { logger.stop() }
    #expect(try running.bench.run { logger.supervision.isReady })
    let answer = try LocalAPITests.ask(running, "GET", "/doctor")
    #expect(answer.status == 200 && answer.headers["content-type"] == "application/json")
    let json = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
    let checks = try #require(json?["checks"] as? [[String: Any]])
    let ids = checks.compactMap { $0["id"] as? String }
    #expect(Set(ids).isSuperset(of: ["running", "token-length", "tls", "free-space"]))
    let tls = checks.first { $0["id"] as? String == "tls" }
    #expect(tls?["result"] as? String == "skipped" && tls?["evidence"] as? String == "run outrider doctor")
    let alive = checks.first { $0["id"] as? String == "responding" }
    #expect(alive?["result"] as? String == "ok", "\(alive as Any)")
  }
}
