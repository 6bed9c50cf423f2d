import CLinux
import Glibc
import Quantities
import Synchronization

/// A child program, started and awaited on a separate thread: neither slow storage nor the program itself
/// blocks the caller.
///
/// It inherits only the environment, the working directory and standard error: no other descriptor, no
/// blocked signal, and a separate process group.
public final class ChildProgram: Sendable {
  /// The way in which the program ended.
  public enum Ending: Equatable, Sendable {
    case exited(status: Int32)
    case killed(signal: Int32)
    case notStarted(SystemError)

    /// The failure as text for messages; nil if the exit status is 0.
    public var failure: String? {
      switch self {
      case .exited(status: 0): nil
      case .exited(let status): "exited with status \(status)"
      case .killed(let signal): "was killed by signal \(signal)"
      case .notStarted(let error): "\(error); check that it exists and that this user may run it"
      }
    }
  }

  /// The child's standard input.
  private enum Input {
    case bytes(ArraySlice<UInt8>)
    /// A descriptor of this process, which belongs to the thread.
    case socket(Int32)
  }

  private struct State {
    var process: pid_t?
    var isKilled = false
    var ending: Ending?
  }

  private let state = Mutex(State())
  private let ended: EventDescriptor

  /// Maximum number of input bytes: the amount that any pipe accepts in one write (pipe(7)).
  public static let longestInput = 4096

  /// Starts the thread. `path` is absolute; `input`, truncated to ``longestInput``, becomes standard input;
  /// standard output is discarded. Variables of `environment` replace those of this process with the same
  /// name.
  public init(
    _ path: String, _ arguments: [String], input: [UInt8], environment: [String: String] = [:]
  ) throws(SystemError) {
    ended = try EventDescriptor(blocking: false)
    try DetachedThread.start("program") { [self] in
      finish(run(path, [path] + arguments, .bytes(input.prefix(Self.longestInput)), environment))
    }
  }

  /// Starts the thread. `path` is absolute, `words` begins with the name that the child sees as its own. The child's
  /// standard input is `socket`, which is closed in this process; standard output is discarded.
  public init(_ path: String, as words: [String], connectedTo socket: consuming Descriptor)
    throws(SystemError)
  {
    let socket = socket.release()
    do throws(SystemError) {
      ended = try EventDescriptor(blocking: false)
    } catch {
      close(socket)
      throw error
    }
    do throws(SystemError) {
      try DetachedThread.start("program") { [self] in finish(run(path, words, .socket(socket), [:])) }
    } catch {
      close(socket)
      throw error
    }
  }

  private func finish(_ ending: Ending) {
    state.withLock { $0.ending = ending }
    ended.signal()
  }

  /// A descriptor that becomes readable when the program has ended.
  public var descriptor: Int32 { ended.raw }

  /// The result; nil before the program has ended.
  public var ending: Ending? { state.withLock { $0.ending } }

  /// Blocks until the program has ended, or until the limit; for use at the end of this process.
  public func waitForEnd(atMost limit: Duration) -> Ending? {
    var waited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    poll(&waited, 1, Int32(clamping: limit.wholeMilliseconds))
    return ending
  }

  /// Ends the program and all processes in its group (SIGKILL).
  public func kill() {
    state.withLock { state in
      state.isKilled = true
      if let process = state.process { Glibc.kill(-process, SIGKILL) }
    }
  }

  private func run(
    _ path: String, _ words: [String], _ input: Input, _ environment: [String: String]
  ) -> Ending {
    let process: pid_t
    do {
      process = try Self.spawn(path, words, input, environment)
    } catch {
      return .notStarted(error)
    }
    state.withLock { state in
      state.process = process
      if state.isKilled { Glibc.kill(-process, SIGKILL) }
    }
    var information = siginfo_t()
    while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
    // After waitpid(2) the process number may belong to another process.
    state.withLock { $0.process = nil }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 {
      guard errno == EINTR else {
        return .notStarted(SystemError(call: "waitpid", subject: path, number: errno))
      }
    }
    // wait(2): the low seven bits are the signal, the next byte the status.
    let signal = status & 0x7F
    return signal == 0 ? .exited(status: status >> 8 & 0xFF) : .killed(signal: signal)
  }

  private static func spawn(
    _ path: String, _ words: [String], _ input: Input, _ environment: [String: String]
  ) throws(SystemError) -> pid_t {
    let output = try descriptor(of: input)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, output.raw, STDIN_FILENO)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    // Libraries open descriptors without the close-on-exec flag.
    outrider_close_from(&actions, STDERR_FILENO + 1)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes,
      Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETPGROUP))
    var arguments = words.map { strdup($0) }
    defer { for argument in arguments { free(argument) } }
    arguments.append(nil)
    var variables = Self.variables(with: environment).map { strdup($0) }
    defer { for variable in variables { free(variable) } }
    variables.append(nil)
    var process = pid_t()
    let refused = posix_spawn(&process, path, &actions, &attributes, arguments, variables)
    guard refused == 0 else { throw SystemError(call: "posix_spawn", subject: path, number: refused) }
    return process
  }

  private static func descriptor(of input: Input) throws(SystemError) -> Descriptor {
    switch input {
    case .socket(let socket): return Descriptor(owning: socket)
    case .bytes(let bytes):
      var ends: [Int32] = [-1, -1]
      try check("pipe2", outrider_pipe(&ends))
      let output = Descriptor(owning: ends[0])
      let inlet = Descriptor(owning: ends[1])
      _ = bytes.withUnsafeBytes { write(inlet.raw, $0.baseAddress, $0.count) }
      return output
    }
  }

  /// The environment of this process as `NAME=VALUE`, with these variables replacing those of the same name.
  private static func variables(with others: [String: String]) -> [String] {
    var all: [String] = []
    var index = 0
    while let text = environ[index] {
      let variable = String(cString: text)
      if others[String(variable.prefix { $0 != "=" })] == nil { all.append(variable) }
      index += 1
    }
    return all + others.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
  }
}
