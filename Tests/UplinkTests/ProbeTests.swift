import Formats
import HTTPClient
import Quantities
import TestSupport
import Testing
@testable import Uplink

@Suite struct ProbeTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var profile: String
    var status: Int
    var body: String
    var token: String? = "t"
    var findings: [ProbeReport.Step: ProbeReport.Finding]
    var testDescription: String { "\(profile) \(status) \(body)" }
  }

  static let cases = [
    Case(
      profile: "compass", status: 200, body: #"{"name":"van"}"#, findings: [.token: .good, .answer: .good]),
    Case(profile: "compass", status: 200, body: #"{"error":"invalid token"}"#, findings: [.token: .bad]),
    Case(profile: "compass", status: 200, body: "<html>", findings: [.answer: .bad]),
    Case(
      profile: "trace", status: 200, body: #"{"status":"ok"}"#, findings: [.token: .good, .answer: .good]),
    Case(
      profile: "trace", status: 200, body: #"{"status":"ok"}"#, token: nil,
      findings: [.token: .untold, .answer: .good]),
    Case(profile: "trace", status: 401, body: "", findings: [.token: .bad]),
    Case(profile: "trace", status: 404, body: "", findings: [.answer: .bad]),
    Case(profile: "overland", status: 401, body: "", findings: [.token: .bad]),
    Case(profile: "overland", status: 405, body: "", findings: [.token: .untold, .answer: .good]),
    Case(profile: "overland", status: 404, body: "", findings: [.token: .untold, .answer: .untold]),
    Case(profile: "overland", status: 302, body: "", findings: [.answer: .bad]),
    Case(profile: "wayfinder", status: 500, body: "", findings: [.answer: .bad]),
  ]

  @Test(arguments: cases)
  func theProbeReportsEveryStepAndSendsNoRecord(_ situation: Case) throws {
    let bench = try HTTPBench()
    let server = try ScriptedServer(bench.loop, [.answer(situation.status, body: situation.body)])
    let probe = DestinationProbe(
      loop: bench.loop, client: try HTTPClient(loop: bench.loop), timeout: .seconds(20))
    let profile = try #require(OverlandProfile.named(situation.profile))
    var endpoint = HTTPEndpoint(url: server.url("/api/dump?x=1"))
    endpoint.form = .overland(profile)
    if let token = situation.token {
      endpoint.credentials = profile.tokenParameter.map { .query(name: $0, token: token) } ?? .bearer(token)
    }
    var report: ProbeReport?
    probe.probe(endpoint, version: "1") { report = $0 }
    #expect(try bench.run { report != nil })
    let lines = try #require(report).lines
    var expected = situation.findings
    expected[.name] = .good
    expected[.connection] = .good
    expected[.encryption] = .untold
    #expect(Dictionary(lines.map { ($0.step, $0.finding) }, uniquingKeysWith: { $1 }) == expected, "\(lines)")
    let request = try #require(server.requests.first)
    #expect(request.line.hasPrefix("GET ") && request.body.isEmpty)
    #expect(request.line.hasPrefix("GET /api/status ") == (situation.profile == "trace"))
  }

  @Test func anUnreachableServerFailsAtTheConnection() throws {
    let bench = try HTTPBench()
    let probe = DestinationProbe(
      loop: bench.loop, client: try HTTPClient(loop: bench.loop), timeout: .seconds(20))
    var report: ProbeReport?
    probe.probe(HTTPEndpoint(url: "http://127.9.8.7:1/"), version: "1") { report = $0 }
    #expect(try bench.run { report != nil })
    #expect(report?.isGood == false && report?.lines.last?.step == .connection)
  }

  @Test func theProbeSendsNoPositionInTheQuery() throws {
    let bench = try HTTPBench()
    let server = try ScriptedServer(bench.loop, [.answer(405)])
    let probe = DestinationProbe(
      loop: bench.loop, client: try HTTPClient(loop: bench.loop), timeout: .seconds(20))
    var report: ProbeReport?
    probe.probe(HTTPEndpoint(url: server.url("/%BAT/log?lat=%LAT&t=%TS")), version: "1") { report = $0 }
    #expect(try bench.run { report != nil })
    #expect(server.requests.map(\.line) == ["GET //log HTTP/1.1"])
  }

  @Test func theProbeTimesOutByTheSettingOfTheDestination() throws {
    let bench = try HTTPBench()
    let server = try ScriptedServer(bench.loop, [.silence])
    let probe = DestinationProbe(
      loop: bench.loop, client: try HTTPClient(loop: bench.loop), timeout: .milliseconds(200))
    var report: ProbeReport?
    probe.probe(HTTPEndpoint(url: server.url("/")), version: "1") { report = $0 }
    #expect(try bench.run { report != nil })
    #expect(report?.lines.last?.text.contains("0.2 s") == true, "\(report as Any)")
  }

  @Test(arguments: [
    ("http://h/dump", "http://h/status"), ("http://h", "http://h/status"),
    ("http://h/a/b?c#d", "http://h/a/status"),
    ("http://h/", "http://h/status"), ("https://u@h:8/x/", "https://u@h:8/x/status"),
  ])
  func theStatusPathReplacesTheLastComponent(url: String, expected: String) {
    #expect(HTTPEndpoint.url(url, besides: "status") == expected)
  }
}
