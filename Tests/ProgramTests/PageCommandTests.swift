import Foundation
import Glibc
import Testing

@testable import outrider

/// `outrider page` with and without a logger, an address and a token.
@Suite struct PageCommandTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let promise: String
    /// The group `api` without its socket; PORT stands for a free port.
    var api = ""
    var extra = ""
    var isRunning = false
    var words: [String] = []
    var status: Int32 = 0
    let shown: [String]
    var hidden: [String] = []
    var testDescription: String { promise }
  }

  private static let ways = [
    "through ssh, on your computer: ssh -N -L 8080:", "then open http://localhost:8080/",
  ]
  private static let listening = #"listen: "127.0.0.1:PORT", token: "sesame street 123","#
  private static let hint = "other devices: off; set api.listen=0.0.0.0:8080"
  private static let noCode = "no code: the logger does not run, or does not listen; start it"
  private static let qr = "█ ▄▄▄▄▄ "

  static let cases = [
    Case(promise: "no logger, no address", shown: ways + [hint], hidden: ["valid once", qr]),
    Case(
      promise: "a logger on the socket only", isRunning: true, shown: ways + [hint],
      hidden: ["valid once", qr]),
    Case(
      promise: "an address, but no logger", api: listening,
      shown: ways + ["other devices: http://127.0.0.1:PORT/", noCode], hidden: ["valid once", "sesame"]),
    Case(
      promise: "a logger with an address", api: listening, isRunning: true,
      shown: ways + [
        "other devices: http://127.0.0.1:PORT/", qr,
        "valid once, for five minutes: http://127.0.0.1:PORT/#code=",
      ], hidden: ["sesame", "no code"]),
    Case(
      promise: "a short token on an address of the network", api: #"listen: "0.0.0.0:PORT", token: "short","#,
      isRunning: true, shown: ways + ["api.token has fewer than 16 characters"],
      hidden: ["valid once", "short,"]),
    Case(
      promise: "an address without a token", api: #"listen: "127.0.0.1:PORT","#, status: 2,
      shown: ["api.listen", "api.token"], hidden: ["through ssh"]),
    Case(
      promise: "a token that is set already", api: listening, words: ["--token"],
      shown: ["token: api.token is set already"], hidden: ["sesame"]),
    Case(
      promise: "no page", extra: "page: { enabled: false },", status: 2,
      shown: ["page: api.enabled or page.enabled is false; set both to true"], hidden: ["through ssh"]),
    Case(
      promise: "no local API", api: "enabled: false,", status: 2,
      shown: ["page: api.enabled or page.enabled is false"], hidden: ["through ssh"]),
    Case(
      promise: "an operand", words: ["now"], status: 2, shown: ["now"], hidden: ["ssh -N"]),
  ]

  private static func bench(_ test: Case, port: UInt16) throws -> LoggerBench {
    let api = test.api.isEmpty ? "" : "api: { \(test.api) },"
    let bench = try LoggerBench(
      url: nil, extra: (api + test.extra).replacing("PORT", with: "\(port)"))
    guard test.isRunning else { return bench }
    try bench.start()
    let socket = bench.scratch.path("api.sock")
    #expect(
      eventually(within: .seconds(20)) { (try? LocalCall.ask(socket, .get, "/status")) != nil },
      "\(bench.standardError)")
    return bench
  }

  private static func page(_ bench: LoggerBench, _ words: [String] = []) throws -> FaultTests.Outcome {
    try FaultTests.run(
      ["page"] + words + ["--config", bench.scratch.path("config.json5")], in: bench.scratch)
  }

  @Test(arguments: cases) func theWaysToThePageAreShown(_ test: Case) throws {
    let port = try freePort()
    let bench = try Self.bench(test, port: port)
    let outcome = try Self.page(bench, test.words)
    let text = outcome.output + outcome.errors
    #expect(outcome.status == test.status, "\(text)")
    for part in test.shown {
      #expect(text.contains(part.replacing("PORT", with: "\(port)")), "\(part) is not in \(text)")
    }
    for part in test.hidden { #expect(!text.contains(part), "\(part) is in \(text)") }
    if test.isRunning { #expect(bench.stopsInGoodOrder()) }
  }

  @Test func theCodeSignsInOnce() throws {
    let port = try freePort()
    let bench = try Self.bench(
      Case(promise: "", api: Self.listening, isRunning: true, shown: []), port: port)
    let output = try Self.page(bench).output
    let code = try #require(output.firstMatch(of: /#code=([A-Za-z0-9_-]+)/)).1
    let curl = [
      "-s", "-o", "/dev/null", "-w", "%{http_code}", "-H", "Content-Type: application/json", "-d",
      #"{"code":"\#(code)"}"#, "http://127.0.0.1:\(port)/login",
    ]
    let answers = try (0..<2).map { _ in
      try FaultTests.run(curl, in: bench.scratch, executable: "/usr/bin/curl").output
    }
    #expect(answers == ["204", "401"])
    #expect(bench.stopsInGoodOrder())
  }

  @Test(arguments: [false, true]) func aTokenIsCreatedOnceAndStored(isRunning: Bool) throws {
    let bench = try Self.bench(Case(promise: "", isRunning: isRunning, shown: []), port: 0)
    let first = try Self.page(bench, ["--token"])
    let token = try #require(first.output.firstMatch(of: /token: ([a-z2-9]{24})\n/), "\(first)").1
    let applied =
      isRunning
      ? "api.token: set in the running logger"
      : "api.token: set; no logger is running, applied at the next start"
    #expect(first.status == 0 && first.output.contains(applied), "\(first)")
    let second = try Self.page(bench, ["--token"])
    #expect(second.output.contains("token: api.token is set already") && !second.output.contains(token))
    let stored = try String(contentsOfFile: "\(bench.log)/settings.json", encoding: .utf8)
    #expect(stored.contains(#""api.token" : "\#(token)""#), "\(stored)")
    if isRunning { #expect(bench.stopsInGoodOrder()) }
  }
}
