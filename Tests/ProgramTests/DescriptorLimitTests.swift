import Foundation
import Glibc
import TestSupport
import Testing

/// The servers of a program whose descriptors run out, as by a leak of another program or a low `LimitNOFILE`.
@Suite(
  .serialized,
  .enabled(if: access("/usr/bin/prlimit", X_OK) == 0, "prlimit is absent: sudo apt-get install util-linux"))
struct DescriptorLimitTests {
  private struct NotConnected: Error {}

  /// A client that blocks for a limited time.
  private final class Client {
    private let socket: Int32

    init(port: UInt16) throws {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = inet_addr("127.0.0.1")
      socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      let (raw, size) = (socket, socklen_t(MemoryLayout<sockaddr_in>.size))
      let result = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(raw, $0, size) }
      }
      guard result == 0 else { throw NotConnected() }
    }

    init(path: String) throws {
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
      socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      let (raw, size) = (socket, socklen_t(MemoryLayout<sockaddr_un>.size))
      let result = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(raw, $0, size) }
      }
      guard result == 0 else { throw NotConnected() }
    }

    deinit { close(socket) }

    func send(_ text: String) { _ = Glibc.send(socket, text, text.utf8.count, Int32(MSG_NOSIGNAL)) }

    /// The bytes that have arrived; empty if none do within the limit.
    func received(within limit: Duration) -> String {
      var time = timeval(
        tv_sec: Int(limit.components.seconds), tv_usec: Int(limit.components.attoseconds / 1_000_000_000_000))
      setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
      var bytes = [UInt8](repeating: 0, count: 65_536)
      let count = recv(socket, &bytes, bytes.count, 0)
      return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
    }
  }

  private static func limit(_ identity: Int32, to count: Int) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/prlimit")
    process.arguments = ["--pid", "\(identity)", "--nofile=\(count):"]
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }

  /// The processor time of a process in clock ticks of 10 ms.
  private static func ticks(_ identity: Int32) -> Int {
    let text = (try? String(contentsOfFile: "/proc/\(identity)/stat", encoding: .utf8)) ?? ""
    let fields = text.drop { $0 != ")" }.split(separator: " ")
    return fields.count > 13 ? (Int(fields[12]) ?? 0) + (Int(fields[13]) ?? 0) : 0
  }

  private static let request = "GET /status HTTP/1.1\r\nHost: localhost\r\n\r\n"

  enum Server: String, CaseIterable, Sendable {
    case gpsd, tcp, socket, collector

    var asks: Bool { self != .gpsd }
  }

  /// A program with one server of these.
  private struct Bench {
    let scratch: Scratch
    let program: Program
    let logger: LoggerBench?
    let connect: () throws -> Client

    init(_ server: Server) throws {
      let (port, other) = (try freePort(), try freePort())
      guard server != .collector else {
        scratch = try Scratch()
        logger = nil
        connect = { try Client(port: port) }
        program = try Program(
          ["collect", "--listen", "127.0.0.1:\(port)", "--data", scratch.path("collected")], in: scratch)
        let isServed = eventually(within: .seconds(20)) { (try? Client(port: port)) != nil }
        #expect(isServed, "\(program.standardError)")
        return
      }
      let logger = try LoggerBench(
        url: nil,
        extra:
          #"share: { gpsd: "127.0.0.1:\#(port)" }, api: { listen: "127.0.0.1:\#(other)", token: "a long token of this test" },"#
      )
      try logger.start()
      logger.feeder.play(Recording.simulated(epochs: 60).pieces, every: .milliseconds(100))
      #expect(logger.hasStored(2), "\(logger.program?.standardError ?? "")")
      program = try #require(logger.program)
      (self.logger, scratch) = (logger, logger.scratch)
      let path = logger.scratch.path("api.sock")
      connect =
        switch server {
        case .gpsd, .collector: { try Client(port: port) }
        case .tcp: { try Client(port: other) }
        case .socket: { try Client(path: path) }
        }
    }

    func stopsInGoodOrder() -> Bool {
      if let logger { return logger.stopsInGoodOrder() }
      program.send(SIGTERM)
      return program.exitStatus(within: .seconds(5)) == 0
    }
  }

  /// A client of the same server stays connected meanwhile, or none: no end of a connection makes room.
  @Test(arguments: Server.allCases, [false, true])
  func everyServerAcceptsAgainWhenDescriptorsAreFree(server: Server, hasClient: Bool) throws {
    let bench = try Bench(server)
    func client() throws -> Client {
      let client = try bench.connect()
      if server.asks { client.send(Self.request) }
      return client
    }
    let first = hasClient ? try client() : nil
    if let first { #expect(!first.received(within: .seconds(5)).isEmpty) }
    let identity = bench.program.processID
    try Self.limit(identity, to: 4)
    let before = Self.ticks(identity)
    let waiting = try (0..<3).map { _ in try client() }
    for client in waiting { #expect(client.received(within: .milliseconds(400)).isEmpty) }
    let used = Self.ticks(identity) - before
    #expect(used < 40, "the waiting clients do not keep the loop busy")
    try Self.limit(identity, to: 1024)
    for client in waiting { #expect(!client.received(within: .seconds(5)).isEmpty, "\(server)") }
    withExtendedLifetime(first) {}
    #expect(bench.stopsInGoodOrder())
  }
}
