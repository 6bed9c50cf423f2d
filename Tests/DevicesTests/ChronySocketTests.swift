import CLinux
import Foundation
import Glibc
import System
import Testing
import Devices

/// Samples for chrony's SOCK reference clock.
@Suite struct ChronySocketTests {
  /// The bytes as chrony reads them: two words of the system time, the offset, pulse, leap, padding and magic number.
  private struct Wire: Equatable {
    var seconds: Int
    var microseconds: Int
    var offset: Double
    var pulse: Int32
    var leap: Int32
    var magic: Int32

    init?(_ bytes: [UInt8]) {
      guard bytes.count == 40 else { return nil }
      let read: (seconds: Int64, microseconds: Int64, offset: UInt64, words: [Int32]) = bytes.withUnsafeBytes
      {
        bytes in
        (
          bytes.loadUnaligned(fromByteOffset: 0, as: Int64.self),
          bytes.loadUnaligned(fromByteOffset: 8, as: Int64.self),
          bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self),
          [24, 28, 36].map { bytes.loadUnaligned(fromByteOffset: $0, as: Int32.self) }
        )
      }
      (seconds, microseconds) = (Int(read.seconds), Int(read.microseconds))
      offset = Double(bitPattern: read.offset)
      (pulse, leap, magic) = (read.words[0], read.words[1], read.words[2])
    }
  }

  static let times: [(nanoseconds: Int64, seconds: Int, microseconds: Int)] = [
    (0, 0, 0), (999, 0, 0), (1_800_000_000_123_456_789, 1_800_000_000, 123_456),
    (1_800_000_000_999_999_999, 1_800_000_000, 999_999), (4_102_444_800_000_000_000, 4_102_444_800, 0),
    (-1, -1, 999_999), (-1_000_000_000, -1, 0), (-1_500_000_000, -2, 500_000),
    (.min, -9_223_372_037, 145_224),
    (.max, 9_223_372_036, 854_775),
  ]

  @Test(arguments: times) func aSampleHasTheLayoutOfChrony(
    nanoseconds: Int64, seconds: Int, microseconds: Int
  ) throws {
    // Two words and a double, four words of 32 bits; chrony discards a datagram of another length.
    #expect(MemoryLayout<outrider_sock_sample>.size == MemoryLayout<timeval>.size + 24)
    let bytes = ChronySample(systemNanoseconds: nanoseconds, offset: -0.125).bytes
    #expect(bytes.count == MemoryLayout<outrider_sock_sample>.size)
    let wire = try #require(Wire(bytes))
    #expect(wire.seconds == seconds && wire.microseconds == microseconds)
    #expect(wire.offset == -0.125)
    #expect(wire.pulse == 0 && wire.leap == 0 && wire.magic == 0x534f_434b)
    #expect(bytes[32..<36].allSatisfy { $0 == 0 })
  }

  /// A socket like chrony's.
  private final class Receiver {
    let raw: Int32

    init(_ path: String, receiveBuffer: Int32? = nil) throws {
      unlink(path)
      raw = try check(
        "socket", socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0))
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
      let size = socklen_t(MemoryLayout<sockaddr_un>.size)
      try check(
        "bind",
        withUnsafePointer(to: address) {
          $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(raw, $0, size) }
        })
    }

    deinit { close(raw) }

    /// The datagrams that have arrived.
    func datagrams() -> [[UInt8]] {
      var all: [[UInt8]] = []
      var buffer = [UInt8](repeating: 0, count: 256)
      while true {
        let count = recv(raw, &buffer, buffer.count, 0)
        guard count >= 0 else { return all }
        all.append(Array(buffer[..<count]))
      }
    }
  }

  private final class Folder {
    let path = NSTemporaryDirectory() + "/chrony-\(UUID().uuidString.prefix(8))"
    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: path) }
  }

  private static func sample(_ number: Int64) -> ChronySample {
    ChronySample(systemNanoseconds: number * 1_000_000_000, offset: 0.5)
  }

  private static func number(_ notice: ChronySocket.Notice?) -> Int32? {
    if case .failed(let error)? = notice { error.number } else { nil }
  }

  @Test func samplesArriveAsDatagrams() throws {
    let folder = try Folder()
    let receiver = try Receiver(folder.path + "/sock")
    let sender = ChronySocket(path: folder.path + "/sock")
    for number in 1...3 as ClosedRange<Int64> { #expect(sender.send(Self.sample(number)) == nil) }
    #expect(receiver.datagrams() == (1...3).map { Self.sample($0).bytes })
  }

  /// chrony absent, started, restarted with a new socket, and stopped with the old socket left behind.
  @Test func everyFailureIsReportedOnceAndSoIsItsEnd() throws {
    let folder = try Folder()
    let path = folder.path + "/sock"
    let sender = ChronySocket(path: path)
    #expect(Self.number(sender.send(Self.sample(1))) == ENOENT)
    for number in 2...100 as ClosedRange<Int64> { #expect(sender.send(Self.sample(number)) == nil) }
    var receiver: Receiver? = try Receiver(path)
    #expect(sender.send(Self.sample(101)) == .recovered)
    #expect(sender.send(Self.sample(102)) == nil)
    #expect(receiver?.datagrams().count == 2)
    receiver = try Receiver(path)
    #expect(sender.send(Self.sample(103)) == nil)
    #expect(receiver?.datagrams() == [Self.sample(103).bytes])
    receiver = nil
    #expect(Self.number(sender.send(Self.sample(104))) == ECONNREFUSED)
    #expect(sender.send(Self.sample(105)) == nil)
    unlink(path)
    #expect(Self.number(sender.send(Self.sample(105))) == ENOENT, "another reason has another remedy")
    for _ in 0..<10 { #expect(sender.send(Self.sample(105)) == nil) }
    receiver = try Receiver(path)
    #expect(sender.send(Self.sample(106)) == .recovered)
  }

  @Test func aReaderThatHangsDoesNotBlock() throws {
    let folder = try Folder()
    let receiver = try Receiver(folder.path + "/sock")
    let sender = ChronySocket(path: folder.path + "/sock")
    var notices: [Int32] = []
    for number in 0..<5000 as Range<Int64> {
      if let failure = Self.number(sender.send(Self.sample(number))) { notices.append(failure) }
    }
    #expect(notices == [EAGAIN])
    #expect(!receiver.datagrams().isEmpty)
    #expect(sender.send(Self.sample(1)) == .recovered)
  }

  @Test func aPathThatCannotBeASocketIsAFailure() throws {
    let folder = try Folder()
    let file = folder.path + "/file"
    try "".write(toFile: file, atomically: true, encoding: .utf8)
    #expect(Self.number(ChronySocket(path: file).send(Self.sample(1))) == ECONNREFUSED)
    #expect(Self.number(ChronySocket(path: file + "/x").send(Self.sample(1))) == ENOTDIR)
    let long = "/" + String(repeating: "x", count: 200)
    #expect(Self.number(ChronySocket(path: long).send(Self.sample(1))) == ENAMETOOLONG)
    #expect(Self.number(ChronySocket(path: "").send(Self.sample(1))) == ENAMETOOLONG)
  }

  /// Root may write to any socket, so that this test needs another user.
  @Test(.enabled(if: getuid() != 0, "skipped: root has access to every socket"))
  func aSocketWithoutPermissionIsAFailure() throws {
    let folder = try Folder()
    let receiver = try Receiver(folder.path + "/sock")
    chmod(folder.path + "/sock", 0o555)
    let sender = ChronySocket(path: folder.path + "/sock")
    #expect(Self.number(sender.send(Self.sample(1))) == EACCES)
    #expect(sender.send(Self.sample(2)) == nil)
    chmod(folder.path + "/sock", 0o755)
    #expect(sender.send(Self.sample(3)) == .recovered)
    #expect(receiver.datagrams().count == 1)
  }
}
