import Foundation
import Testing

/// The program with a server that sends malformed responses.
@Suite struct HostileAnswerTests {
  /// `set` with a key that is not UTF-8, which crashes Foundation's decoder of Swift 6.0.
  static let answer =
    Array(#"{"result":"ok","set":{"main":{"ba"#.utf8) + [0x81] + Array(#"ch_size":50}}}"#.utf8)

  @Test(arguments: ["kind: 'owntracks'", "kind: 'query'", "kind: 'overland', accept_2xx: true"])
  func aResponseThatIsNotUTF8StopsNeitherTheLoggerNorItsNextStart(kind: String) throws {
    let server = try ScriptedServer { _, _ in .json(raw: Self.answer) }
    defer { server.stop() }
    let bench = try LoggerBench(url: nil)
    try bench.rewrite {
      $0.replacing(
        "destinations: []",
        with: "destinations: [{ name: 'home', \(kind), url: '\(server.url)', logging_mode: 'all' }]")
    }
    try bench.start()
    RemoteSettingsTests.drive(bench)
    #expect(eventually(within: .seconds(20)) { !server.received.isEmpty }, "\(bench.standardError)")
    let stored = bench.times.count
    #expect(bench.hasStored(stored + 5), "logging continues: \(bench.standardError)")
    #expect(bench.stopsInGoodOrder())
    let before = server.received.count
    try bench.start()
    #expect(RemoteSettingsTests.hasStarted(bench, times: 2))
    #expect(eventually(within: .seconds(20)) { server.received.count > before }, "\(bench.standardError)")
    #expect(bench.hasStored(bench.times.count + 5))
    #expect(bench.stopsInGoodOrder())
    #expect(bench.events("started").count == 2, "two starts, and none after a crash")
  }
}
