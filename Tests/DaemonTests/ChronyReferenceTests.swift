import Glibc
import Quantities
import Settings
import Synchronization
import System
import TestSupport
import Testing
@testable import Daemon

/// The receiver's time for chrony, from a serial line to the socket.
@Suite struct ChronyReferenceTests {
  /// Lines of a journal.
  private final class Lines: Sendable {
    private let all = Mutex<[String]>([])
    var journal: Journal {
      Journal(threshold: .notice, hasPriorities: false) { line in self.all.withLock { $0.append(line) } }
    }
    var ofChrony: [String] { all.withLock { $0.filter { $0.contains("clock.chrony") } } }
  }

  private static func receiver(at path: String) throws -> Descriptor {
    unlink(path)
    let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let receiver = Descriptor(owning: try check("socket", socket(AF_UNIX, kind, 0)))
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    try check(
      "bind",
      withUnsafePointer(to: address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(receiver.raw, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      })
    return receiver
  }

  /// The offset of the next sample in s; nil if none has arrived.
  private static func offset(_ receiver: borrowing Descriptor) -> Double? {
    var bytes = [UInt8](repeating: 0, count: 64)
    guard recv(receiver.raw, &bytes, bytes.count, 0) == 40 else { return nil }
    return bytes.withUnsafeBytes {
      Double(bitPattern: $0.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
    }
  }

  private static func configuration(_ bench: HTTPBench, port: String, _ more: [String]) throws
    -> Configuration
  {
    try Configuration.read(
      board: nil, file: nil,
      overrides: [
        "storage.directory=\(bench.directory)/log", "storage.allow_volatile=true", "api.enabled=false",
        "receiver.port=\(port)", "receiver.speed=115200",
      ] + more, fallbacks: Fallbacks(deviceID: "van", apiSocket: "/nowhere"))
  }

  @Test func theTimeOfEveryFixReachesTheConfiguredSocket() throws {
    let bench = try HTTPBench()
    let path = bench.directory + "/chrony.sock"
    let talker = try ModuleTalker(loop: bench.loop, .ublox10) { $0.savedSpeed = 115_200 }
    let lines = Lines()
    let logger = try Logger(
      loop: bench.loop,
      configuration: try Self.configuration(bench, port: talker.terminal.path, ["clock.chrony=\(path)"]),
      journal: lines.journal)
    logger.start()
    defer { logger.stop() }
    #expect(try bench.run(for: .seconds(60)) { !lines.ofChrony.isEmpty })
    #expect(lines.ofChrony.count == 1 && lines.ofChrony[0].contains("refclock SOCK \(path)"))
    let receiver = try Self.receiver(at: path)
    var offsets: [Double] = []
    #expect(
      try bench.run(for: .seconds(30)) {
        if let offset = Self.offset(receiver) { offsets.append(offset) }
        return offsets.count >= 5
      })
    #expect(lines.ofChrony.count == 2)
    // The module's clock has a constant distance from the system clock; the delays of the line vary.
    let spread = (offsets.max() ?? 0) - (offsets.min() ?? 0)
    #expect(spread < 0.5, "\(offsets)")
  }

  @Test func nothingIsSentWithoutTheSetting() throws {
    let bench = try HTTPBench()
    let receiver = try Self.receiver(at: bench.directory + "/chrony.sock")
    let talker = try ModuleTalker(loop: bench.loop, .ublox10) { $0.savedSpeed = 115_200 }
    let configuration = try Self.configuration(bench, port: talker.terminal.path, [])
    #expect(configuration.clock.chrony == nil)
    let logger = try Logger(loop: bench.loop, configuration: configuration, journal: LoggerTests.quiet)
    logger.start()
    defer { logger.stop() }
    #expect(try bench.run(for: .seconds(60)) { logger.tracking.tracker.locations.count > 3 })
    #expect(Self.offset(receiver) == nil)
  }
}
