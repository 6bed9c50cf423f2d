import Devices
import Foundation
import Glibc
import Quantities
import Synchronization
import System

/// Plays a recording into a pseudo-terminal on a thread of its own, with a delay between pieces, and tracks what was read.
final class Feeder: Sendable {
  /// A part of a recording that is written at once.
  struct Piece: Sendable {
    var bytes: [UInt8]
  }

  private struct Progress {
    var written = 0
    /// The number of bytes that were read from the line, over time.
    var taken: [(at: Moment, bytes: Int)] = []
    var isFinished = false
    var isStopped = false
  }

  let path: String
  private let progress = Mutex(Progress())
  private let master: Int32
  private let line: Int32

  init() throws {
    var master: Int32 = 0
    var line: Int32 = 0
    guard openpty(&master, &line, nil, nil, nil) == 0 else {
      throw SystemError(call: "openpty", number: errno)
    }
    var setting = termios()
    tcgetattr(line, &setting)
    cfmakeraw(&setting)
    tcsetattr(line, TCSANOW, &setting)
    self.master = master
    self.line = line
    path = String(cString: ttyname(line))
  }

  deinit {
    close(master)
    close(line)
  }

  /// Ends the exclusive access of a killed program, so that the line can be opened again.
  ///
  /// Unlike a serial port, this line is never closed by all processes.
  func release() { _ = ioctl(line, UInt(TIOCNXCL)) }

  /// Writes the pieces in order, one every `interval`, or as fast as the line accepts them.
  func play(_ pieces: [Piece], every interval: Duration) {
    progress.withLock { $0.isFinished = false }
    let thread = Thread { [self] in
      var due = SystemClock.moment()
      for piece in pieces {
        pause(until: due)
        guard write(piece.bytes) else { break }
        due = due + interval
      }
      while progress.withLock({ !$0.isStopped }), unread > 0 {
        pause(until: SystemClock.moment() + .milliseconds(2))
      }
      // The last bytes may have been read since the last check.
      recordTime()
      progress.withLock { $0.isFinished = true }
    }
    thread.start()
  }

  func stop() { progress.withLock { $0.isStopped = true } }

  /// True if everything was written and read.
  var isFinished: Bool { progress.withLock { $0.isFinished } }

  var bytesWritten: Int { progress.withLock { $0.written } }

  /// Returns the number of bytes that the reader had read at a moment.
  func bytesTaken(at moment: Moment) -> Int {
    progress.withLock { $0.taken.last { $0.at <= moment }?.bytes ?? 0 }
  }

  /// Waits for the reader in short steps, so that reads are known to the millisecond.
  private func pause(until moment: Moment) {
    repeat {
      recordTime()
      poll(nil, 0, 1)
    } while SystemClock.moment() < moment && progress.withLock { !$0.isStopped }
  }

  private func write(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      if progress.withLock({ $0.isStopped }) { return false }
      // Less than the buffer of the line (4,095 bytes), so that this thread never blocks in the kernel.
      let room = 3000 - unread
      guard room > 0 else {
        pause(until: SystemClock.moment() + .milliseconds(1))
        continue
      }
      let count = rest.prefix(room).withUnsafeBytes { Glibc.write(master, $0.baseAddress, $0.count) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
      progress.withLock { $0.written += count }
      recordTime()
    }
    return true
  }

  private var unread: Int {
    var count: Int32 = 0
    _ = ioctl(line, UInt(FIONREAD), &count)
    return Int(count)
  }

  private func recordTime() {
    let now = SystemClock.moment()
    let waiting = unread
    progress.withLock { progress in
      let bytes = progress.written - waiting
      if progress.taken.last?.bytes != bytes { progress.taken.append((now, bytes)) }
    }
  }
}
