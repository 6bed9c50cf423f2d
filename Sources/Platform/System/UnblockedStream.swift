import Glibc
import Synchronization

/// A standard stream that never blocks the writer: lines that its reader does not accept are dropped and
/// counted, and the next accepted line is preceded by one with their number.
///
/// The descriptor is shared with the shell and other programs, and so is its flag `O_NONBLOCK`, which belongs
/// to the open file description (fcntl(2)). Setting it would make the writes of those programs fail.
/// Therefore the flag is left unchanged:
///
/// - A pipe or a terminal is reopened through `/proc/self/fd`, which gives a separate description that is
///   non-blocking. A terminal that was stopped with Ctrl-S, or that another program is writing to, returns
///   `EAGAIN`.
/// - A socket gets `MSG_DONTWAIT` with each message (send(2)).
/// - If reopening is not permitted, as for a pipe of another user, poll(2) is called before each piece of at
///   most `PIPE_BUF` bytes: a pipe with room accepts such a piece whole. The write can block only if another
///   program writes to the same pipe between the two calls.
/// - A regular file has no reader and is written directly.
///
/// Callable from any thread. A partly written line is completed before anything else.
public final class UnblockedStream: Sendable {
  public static let standardOutput = UnblockedStream(descriptor: STDOUT_FILENO)
  public static let standardError = UnblockedStream(descriptor: STDERR_FILENO)

  private enum Mode {
    case direct
    case nonBlocking(Int32)
    case socket
    case polled
  }

  private struct State {
    var mode: Mode?
    /// The remainder of a partly written line.
    var remainder: ArraySlice<UInt8> = []
    var dropped = 0
  }

  private enum Outcome {
    case taken(Int)
    case failed(Int32)
  }

  /// Number of bytes that a pipe accepts as one piece (pipe(7), PIPE_BUF).
  private static let pieceSize = 4096

  private let descriptor: Int32
  private let state = Mutex(State())

  private let canReopen: Bool

  /// Wraps a descriptor that the caller owns and keeps open. Without `canReopen` it is treated as one of
  /// another user.
  public init(descriptor: Int32, canReopen: Bool = true) {
    self.descriptor = descriptor
    self.canReopen = canReopen
  }

  /// Writes bytes that end with a line end, or drops them. `notice` returns the line that reports dropped
  /// ones. Returns the error number of a stream that fails; nil also if the line was dropped.
  @discardableResult
  public func write(_ line: [UInt8], notice: (Int) -> String) -> Int32? {
    state.withLock { state in
      let mode = state.mode ?? self.mode()
      state.mode = mode
      if !state.remainder.isEmpty {
        let remainder = state.remainder
        if let error = put(remainder, mode, &state) { return error }
        // The part that was written stays written.
        if !state.remainder.isEmpty {
          state.dropped += 1
          return nil
        }
      }
      if state.dropped > 0 {
        let count = state.dropped
        state.dropped = 0
        if let error = put(Array(notice(count).utf8)[...], mode, &state) {
          state.dropped = count
          return error
        }
        // Nothing of the notice was written.
        if state.dropped > 0 {
          state.dropped = count + 1
          return nil
        }
        if !state.remainder.isEmpty {
          state.dropped = 1
          return nil
        }
      }
      return put(line[...], mode, &state)
    }
  }

  /// Writes the part of a line that is accepted. Keeps the remainder of a partly written line. A line of
  /// which nothing is accepted counts as dropped, unless it is the remainder of an earlier one.
  private func put(_ bytes: ArraySlice<UInt8>, _ mode: Mode, _ state: inout State) -> Int32? {
    let isRemainder = !state.remainder.isEmpty
    var left = bytes
    while !left.isEmpty {
      switch attempt(left.prefix(Self.pieceSize), mode) {
      case .failed(let error):
        state.remainder = []
        return error
      case .taken(0):
        guard left.count == bytes.count, !isRemainder else {
          state.remainder = left
          return nil
        }
        state.dropped += 1
        return nil
      case .taken(let count): left = left.dropFirst(count)
      }
    }
    state.remainder = []
    return nil
  }

  private func attempt(_ piece: ArraySlice<UInt8>, _ mode: Mode) -> Outcome {
    while true {
      let count = piece.withUnsafeBytes { buffer -> Int in
        switch mode {
        case .direct: return Glibc.write(descriptor, buffer.baseAddress, buffer.count)
        case .nonBlocking(let own): return Glibc.write(own, buffer.baseAddress, buffer.count)
        case .socket:
          return send(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
        case .polled:
          var writability = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          guard poll(&writability, 1, 0) != 0 else {
            errno = EAGAIN
            return -1
          }
          return Glibc.write(descriptor, buffer.baseAddress, buffer.count)
        }
      }
      if count > 0 { return .taken(count) }
      if count == 0 { return .failed(EIO) }
      switch errno {
      case EINTR: continue
      case EAGAIN: return .taken(0)
      case let error: return .failed(error)
      }
    }
  }

  private func mode() -> Mode {
    var facts = stat()
    guard fstat(descriptor, &facts) == 0 else { return .direct }
    switch facts.st_mode & S_IFMT {
    case S_IFREG: return .direct
    case S_IFSOCK: return .socket
    case S_IFIFO: break
    case S_IFCHR:
      guard isatty(descriptor) == 1 else { return .polled }
    default: return .polled
    }
    guard canReopen else { return .polled }
    let own = open("/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    return own >= 0 ? .nonBlocking(own) : .polled
  }
}
