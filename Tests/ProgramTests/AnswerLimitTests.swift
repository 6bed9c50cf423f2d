import Foundation
import LocalAPI
import Testing

/// Commands and the size of the logger's answers: the largest configuration fits, and an answer that does not is no silent
/// logger.
@Suite struct AnswerLimitTests {
  /// An answer, and the part of the message that names it.
  struct Case: CustomTestStringConvertible, Sendable {
    var name: String
    var answer: ScriptedServer.Answer
    var words: String
    var remedy: String
    var testDescription: String { name }
  }

  private static func head(_ length: Int, status: String = "200 OK") -> String {
    "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\nContent-Length: \(length)\r\nConnection: close\r\n\r\n"
  }

  static let cases = [
    Case(
      name: "too long",
      answer: .bytes(
        head(LocalAPI.answerLimit + 100) + String(repeating: "x", count: LocalAPI.answerLimit + 100)),
      words: "its answer is longer than 4194304 bytes", remedy: "the version and the limits of this command"),
    Case(
      name: "cut short", answer: .bytes(head(1000) + "{"), words: "its answer ended early (",
      remedy: "try again; if it persists"),
    Case(
      name: "no status", answer: .json("{}"), words: "its answer cannot be read (HTTP status 200, 2 bytes)",
      remedy: "of another version; restart it"),
  ]

  @Test(arguments: cases)
  func anAnswerThatCannotBeUsedIsNamed(fault: Case) throws {
    let bench = try LoggerBench(url: nil, extra: "api: { socket: \"SOCKET\" },")
    let socket = bench.scratch.path("a.sock")
    try bench.rewrite { $0.replacingOccurrences(of: "SOCKET", with: socket) }
    let server = try ScriptedServer(socket: socket) { _, _ in fault.answer }
    defer { server.stop() }
    try FileManager.default.createDirectory(atPath: bench.log, withIntermediateDirectories: true)
    let config = ["--config", bench.scratch.path("config.json5")]
    for command in [
      ["status"], ["status", "--json"], ["health"], ["set", "--list"], ["doctor", "--only", "responding"],
    ] {
      let outcome = try FaultTests.run(command + config, in: bench.scratch)
      let text = outcome.output + outcome.errors
      #expect(text.contains(fault.words) && text.contains(fault.remedy), "\(command): \(text)")
      for wrong in ["not running", "not respond", "no logger"] {
        #expect(!text.contains(wrong), "\(command): \(text)")
      }
    }
  }

  /// The largest lists and names that the limits of the settings allow. Every destination fails, with the longest messages.
  private static func largest(in bench: LoggerBench) -> String {
    func name(_ kind: String, _ number: Int) -> String {
      let start = "\(kind)\(number)-"
      return start + String(repeating: "n", count: 128 - start.utf8.count)
    }
    let host =
      Array(repeating: String(repeating: "h", count: 50), count: 4).joined(separator: ".") + ".invalid"
    // Nobody can make a directory below a file, not even root.
    let file = bench.scratch.path("config.json5")
    let directory = Array(repeating: String(repeating: "d", count: 200), count: 18).joined(separator: "/")
    let destinations = (0..<100).map { number in
      number % 2 == 0
        ? "{ name: '\(name("f", number))', kind: 'file', directory: '\(file)/\(directory)', logging_mode: 'all' }"
        : "{ name: '\(name("d", number))', kind: 'overland', "
          + "url: 'http://\(number % 20 == 1 ? host : "127.0.0.1"):9/', timeout: '2s' }"
    }
    let zones = (0..<2000).map { "{ name: '\(name("z", $0))', latitude: 1, longitude: 2 }" }
    return
      "destinations: [\(destinations.joined(separator: ",\n"))],\nzones: [\(zones.joined(separator: ",\n"))],"
  }

  @Test func theLargestConfigurationStartsAndItsStatusFits() throws {
    let bench = try LoggerBench(url: nil)
    let text = Self.largest(in: bench)
    try bench.rewrite { $0.replacing("destinations: [],", with: "\(text) send_interval: '1s',") }
    try bench.start()
    #expect(RemoteSettingsTests.hasStarted(bench, times: 1), "\(bench.standardError.suffix(2000))")
    bench.feeder.play(Recording.simulated(epochs: 20).pieces, every: .milliseconds(50))
    #expect(bench.hasStored(5), "\(bench.standardError.suffix(2000))")
    let config = ["--config", bench.scratch.path("config.json5")]
    var status: [String: Any] = [:]
    let haveFailed = eventually(within: .seconds(30)) {
      status = (try? FaultTests.status(of: bench)) ?? [:]
      let all = status["destinations"] as? [[String: Any]] ?? []
      return all.count == 100 && all.allSatisfy { $0["trouble"] != nil }
    }
    let all = status["destinations"] as? [[String: Any]] ?? []
    #expect(haveFailed, "\(all.count), \(all.filter { $0["trouble"] == nil }.count) without trouble")
    #expect(status["running"] as? Bool == true)
    let json = try FaultTests.run(["status", "--json"] + config, in: bench.scratch)
    #expect(json.output.utf8.count < LocalAPI.answerLimit / 2, "\(json.output.utf8.count) bytes")
    let shown = try FaultTests.run(["status"] + config, in: bench.scratch)
    #expect(shown.status == 0 && shown.output.contains("running for "), "\(shown.errors)")
    let listing = try FaultTests.run(["set", "--list", "--json"] + config, in: bench.scratch)
    #expect(listing.status == 0 && listing.errors.isEmpty, "\(listing.errors.prefix(500))")
    #expect(listing.output.utf8.count < LocalAPI.answerLimit, "\(listing.output.utf8.count) bytes")
    #expect(bench.stopsInGoodOrder(), "\(bench.standardError.suffix(500))")
  }

  @Test func oneDestinationTooManyIsNamedAtTheStart() throws {
    let bench = try LoggerBench(url: nil)
    let members = (0...100).map { "{ name: 'd\($0)', kind: 'overland', url: 'http://127.0.0.1:9/' }" }
    try bench.rewrite {
      $0.replacing("destinations: []", with: "destinations: [\(members.joined(separator: ","))]")
    }
    try bench.start()
    #expect(bench.program?.exitStatus(within: .seconds(20)) == 2)
    #expect(
      bench.standardError.contains("destinations: expected at most 100 members, got 101"),
      "\(bench.standardError)")
  }
}
