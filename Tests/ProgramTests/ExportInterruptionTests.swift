import Foundation
import Glibc
import Quantities
import Records
import Store
import System
import Testing

@testable import outrider

/// Exports that are interrupted by the end of the command or of the logger.
@Suite struct ExportInterruptionTests {
  private static let count = 20_000

  private static func filled() throws -> LoggerBench {
    let bench = try LoggerBench(url: nil)
    try FileManager.default.createDirectory(atPath: bench.log, withIntermediateDirectories: true)
    try DrainTests.fill(bench.log, count: count)
    return bench
  }

  private static func export(_ bench: LoggerBench, _ file: String) throws -> Program {
    try Program(
      ["export", bench.scratch.path(file), "--config", bench.scratch.path("config.json5")], in: bench.scratch)
  }

  /// True once the command has written to its file, which has no name or a temporary one.
  private static func hasBegun(_ program: Program) -> Bool {
    let path = "/proc/\(program.processID)/fd"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.contains { name in
      let target = (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(path)/\(name)")) ?? ""
      guard target.contains("(deleted)") || target.contains("/.outrider-") else { return false }
      let position = try? String(contentsOfFile: "/proc/\(program.processID)/fdinfo/\(name)", encoding: .utf8)
      return position.map { !$0.hasPrefix("pos:\t0\n") } ?? false
    }
  }

  private static func rows(_ path: String) throws -> Int {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\r\n").count - 1
  }

  /// The files of the folder of the export, without those of the bench.
  private static func files(_ bench: LoggerBench) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: bench.scratch.url.path)
      .filter { !["config.json5", "log", "api.sock"].contains($0) && !$0.hasPrefix("std") }
  }

  @Test func anEndOfTheCommandLeavesNoFile() throws {
    let bench = try Self.filled()
    let first = try Self.export(bench, "track.csv")
    #expect(eventually(within: .seconds(20), every: 1) { Self.hasBegun(first) }, "\(first.standardError)")
    first.send(SIGKILL)
    #expect(first.exitStatus(within: .seconds(10)) == -SIGKILL, "the export was over before the signal")
    #expect(try Self.files(bench) == [])
    let next = try Self.export(bench, "track.csv")
    #expect(next.exitStatus(within: .seconds(60)) == 0, "\(next.standardError)")
    #expect(try Self.files(bench) == ["track.csv"])
    #expect(try Self.rows(bench.scratch.path("track.csv")) == Self.count)
  }

  @Test func anExistingFileIsReplacedWhenTheNextOneIsCompleteOnly() throws {
    let bench = try Self.filled()
    let path = try bench.scratch.write("track.csv", "old")
    let words = ["export", path, "--force", "--config", bench.scratch.path("config.json5")]
    let first = try Program(words, in: bench.scratch)
    #expect(eventually(within: .seconds(20), every: 1) { Self.hasBegun(first) }, "\(first.standardError)")
    first.send(SIGKILL)
    #expect(first.exitStatus(within: .seconds(10)) == -SIGKILL)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "old")
    #expect(try FaultTests.run(words, in: bench.scratch).status == 0)
    #expect(try Self.rows(path) == Self.count && Self.files(bench) == ["track.csv"])
  }

  @Test func theCommandSurvivesTheEndOfTheLoggerAndTheLogIsWhole() throws {
    let bench = try Self.filled()
    try bench.start()
    bench.feeder.play(Recording.simulated(epochs: 600).pieces, every: .milliseconds(5))
    #expect(bench.hasStored(Self.count + 20), "\(bench.standardError)")
    let export = try Self.export(bench, "track.csv")
    #expect(eventually(within: .seconds(20), every: 1) { Self.hasBegun(export) }, "\(export.standardError)")
    let socket = bench.scratch.path("api.sock")
    let client = try Reader(socket, "/export.csv")
    #expect(client.reads(atLeast: 1000))
    bench.kill()
    #expect(client.readsToTheEnd(), "the connection is closed")
    #expect(!client.isComplete, "a client sees that the response is incomplete")
    #expect(export.exitStatus(within: .seconds(60)) == 0, "\(export.standardError)")
    #expect(try Self.rows(bench.scratch.path("track.csv")) >= Self.count + 20)

    let stored = bench.times.count
    try bench.start()
    #expect(eventually(within: .seconds(20)) { bench.events("started").count == 2 }, "\(bench.standardError)")
    for kind in ["log_salvaged", "records_missing"] { #expect(bench.events(kind).isEmpty, "\(kind)") }
    #expect(bench.times.count >= stored)
    let whole = try Reader(socket, "/export.csv")
    #expect(whole.readsToTheEnd() && whole.isComplete)
    #expect(bench.stopsInGoodOrder())
    let next = try Self.export(bench, "next.csv")
    #expect(next.exitStatus(within: .seconds(60)) == 0)
    #expect(try Self.rows(bench.scratch.path("next.csv")) == bench.times.count)
    #expect(try Self.files(bench).sorted() == ["next.csv", "track.csv"])
  }

  struct Failure: Sendable, CustomTestStringConvertible {
    let reason: String
    /// A script of sh(1); `$0` and `$@` are the program and the words `export --config FILE`.
    let script: String
    let message: String
    var testDescription: String { reason }
  }

  static let failures = [
    Failure(
      reason: "a full disk", script: #"exec "$0" "$@" - --format csv > /dev/full"#,
      message: "standard output: No space left on device"),
    Failure(
      reason: "a limit of the size of files", script: #"trap '' XFSZ; ulimit -f 100; exec "$0" "$@" out.csv"#,
      message: "File too large"),
    Failure(
      reason: "a folder that is missing", script: #"exec "$0" "$@" nowhere/out.csv"#,
      message: "No such file or directory"),
    Failure(
      reason: "a log that is missing", script: #"exec "$0" "$@" out.csv --log nowhere"#, message: "nowhere"),
    Failure(
      reason: "a log that is no log",
      script: #"mkdir other; echo x > other/outrider.db; exec "$0" "$@" out.csv --log other"#,
      message: "other/outrider.db"),
  ]

  @Test(arguments: failures) func aFailureHasAPlainMessageAndLeavesNoFile(_ failure: Failure) throws {
    let bench = try Self.filled()
    let words = ["export", "--config", bench.scratch.path("config.json5")]
    let outcome = try FaultTests.run(
      words, "cd '\(bench.scratch.url.path)'; \(failure.script)", in: bench.scratch)
    #expect(outcome.status == 1, "\(outcome.errors)")
    #expect(outcome.errors.contains(failure.message), "\(outcome.errors)")
    #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome.errors)")
    #expect(try Self.files(bench).filter { $0 != "other" } == [])
  }

  /// A client of the socket that reads one response on the thread of the test.
  private final class Reader {
    private let socket: Descriptor
    private(set) var count = 0
    private var tail: [UInt8] = []

    init(_ path: String, _ target: String) throws {
      socket = Descriptor(owning: try check("socket", Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)))
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
      let result = withUnsafeBytes(of: address) { bytes in
        bytes.baseAddress.map {
          connect(socket.raw, $0.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        } ?? -1
      }
      try check("connect", result)
      var timeout = timeval(tv_sec: 60, tv_usec: 0)
      setsockopt(socket.raw, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
      let request = Array("GET \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
      #expect(send(socket.raw, request, request.count, Int32(MSG_NOSIGNAL)) == request.count)
    }

    /// True if the last chunk was received (RFC 9112 section 7.1).
    var isComplete: Bool { tail == Array("\r\n0\r\n\r\n".utf8) }

    /// Reads until at least `least` bytes have arrived; false if fewer do.
    func reads(atLeast least: Int) -> Bool {
      while count < least { guard read() else { return false } }
      return true
    }

    /// Reads until the connection is closed; false after a time without data.
    func readsToTheEnd() -> Bool {
      while read() {}
      return errno == 0 || errno == ECONNRESET
    }

    private func read() -> Bool {
      var chunk = [UInt8](repeating: 0, count: 8192)
      errno = 0
      let length = recv(socket.raw, &chunk, chunk.count, 0)
      guard length > 0 else { return false }
      count += length
      tail = Array((tail + chunk[..<length]).suffix(7))
      return true
    }
  }
}
