import Glibc
import Synchronization
import System
import Testing

/// The output of a command arrives whole, or its failure is known.
@Suite struct StandardStreamsTests {
  /// What a thread has read until the other end was closed, in small pieces, so that the writer has to wait.
  private final class SlowReader: Sendable {
    private let text = Mutex<[UInt8]>([])
    private let done: Int32

    /// Reads `reader` in a thread, which closes `done` at the end.
    init(_ reader: Int32, done: Int32) throws {
      self.done = done
      try DetachedThread.start("slow reader", { self.read(reader) })
    }

    private func read(_ reader: Int32) {
      var room = [UInt8](repeating: 0, count: 100)
      while true {
        let count = Glibc.read(reader, &room, room.count)
        guard count > 0 else { break }
        text.withLock { $0 += room[..<count] }
      }
      close(done)
    }

    var bytes: [UInt8] { text.withLock { $0 } }
  }

  private static func pipe() throws -> (reader: Int32, writer: Int32) {
    var ends: [Int32] = [0, 0]
    try check("pipe", Glibc.pipe(&ends))
    return (ends[0], ends[1])
  }

  @Test(arguments: [false, true])
  func aSlowReaderGetsEverything(isNonBlocking: Bool) throws {
    let (data, end) = (try Self.pipe(), try Self.pipe())
    if isNonBlocking { try check("fcntl", fcntl(data.writer, F_SETFL, O_NONBLOCK)) }
    let reader = try SlowReader(data.reader, done: end.writer)
    let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
    #expect(StandardStreams.write(bytes, to: data.writer) == nil)
    close(data.writer)
    // Returns when the thread has closed its end.
    var last: UInt8 = 0
    #expect(read(end.reader, &last, 1) == 0)
    #expect(reader.bytes == bytes)
    close(data.reader)
    close(end.reader)
  }

  @Test func aFullDiskIsAFailure() throws {
    let full = try check("open", open("/dev/full", O_WRONLY | O_CLOEXEC))
    #expect(StandardStreams.write([1], to: full) == ENOSPC)
    close(full)
  }

  @Test func aClosedStreamIsAFailure() {
    #expect(StandardStreams.write([1], to: -1) == EBADF)
    #expect(StandardStreams.write([], to: -1) == nil)
  }
}
