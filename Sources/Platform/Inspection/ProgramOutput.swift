import CLinux
import Glibc
import Quantities
import System

/// Runs a program and returns what it prints. It changes nothing and is ended at its time limit.
public enum ProgramOutput {
  /// The result of a run.
  public enum Result: Equatable, Sendable {
    /// The standard output; the exit status is ignored, because `systemctl show` and others use it for states.
    case text(String)
    /// The reason why there is no output.
    case failed(String)
  }

  /// Runs a program, given by name, with its arguments.
  public typealias Runner = (_ name: String, _ arguments: [String]) -> Result

  private static let folders = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"]
  private static let largestOutput = 1 << 20

  /// Runs a program of the system, at most for the time that the budget leaves for a check.
  public static func run(_ name: String, _ arguments: [String], within budget: TimeBudget) -> Result {
    let paths: [String] = folders.map { "\($0)/\(name)" }
    guard let path = paths.first(where: { access($0, X_OK) == 0 }) else {
      return .failed("\(name) is not installed")
    }
    let deadline = budget.checkDeadline()
    guard deadline > SystemClock.moment() else { return .failed("\(name) was not run: time limit reached") }
    do throws(SystemError) {
      var ends: [Int32] = [-1, -1]
      try check("pipe2", outrider_pipe(&ends))
      let output = Descriptor(owning: ends[0])
      let process: pid_t = try spawn(path, [path] + arguments, output: Descriptor(owning: ends[1]))
      let bytes = read(output, until: deadline)
      // Also ends the children of a program that left some behind.
      if bytes == nil { Glibc.kill(-process, SIGKILL) }
      var status: Int32 = 0
      while waitpid(process, &status, 0) < 0, errno == EINTR {}
      guard let bytes else { return .failed("\(name) did not respond within the time limit") }
      return .text(String(decoding: bytes, as: UTF8.self))
    } catch {
      return .failed("\(error)")
    }
  }

  /// Reads until the end of the output; nil at the deadline and for too much output.
  private static func read(_ output: borrowing Descriptor, until deadline: Moment) -> [UInt8]? {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = Glibc.read(output.raw, &chunk, chunk.count)
      if count > 0 {
        bytes += chunk[..<count]
        if bytes.count > largestOutput { return nil }
      } else if count == 0 {
        return bytes
      } else if errno == EAGAIN {
        let left = (deadline - SystemClock.moment()).wholeMilliseconds
        guard left > 0 else { return nil }
        var waited = pollfd(fd: output.raw, events: Int16(POLLIN), revents: 0)
        poll(&waited, 1, Int32(clamping: left))
      } else if errno != EINTR {
        return nil
      }
    }
  }

  /// Starts the program. Closes `output` here, so that reading ends with the program.
  private static func spawn(
    _ path: String, _ words: [String], output: consuming Descriptor
  ) throws(SystemError) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output.raw, STDOUT_FILENO)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    outrider_close_from(&actions, STDERR_FILENO + 1)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    var arguments = words.map { strdup($0) }
    defer { for argument in arguments { free(argument) } }
    arguments.append(nil)
    let environment: [String] = ["PATH=/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL=C", "SYSTEMD_PAGER="]
    var variables = environment.map { strdup($0) }
    defer { for variable in variables { free(variable) } }
    variables.append(nil)
    var process = pid_t()
    let refused = posix_spawn(&process, path, &actions, &attributes, arguments, variables)
    guard refused == 0 else { throw SystemError(call: "posix_spawn", subject: path, number: refused) }
    return process
  }
}

/// The time limits: 5 s for a check and 20 s for all.
public struct TimeBudget: Sendable {
  /// The time limit of one check.
  public static let check = Duration.seconds(5)
  /// The time limit of all checks.
  public static let whole = Duration.seconds(20)

  private let end: Moment

  public init(from start: Moment, whole: Duration = TimeBudget.whole) { end = start + whole }

  /// The latest end of a check that starts now.
  public func checkDeadline() -> Moment { min(SystemClock.moment() + Self.check, end) }

  /// The time that is left for a check that starts now; zero after the end.
  public func timeForCheck() -> Duration { max(checkDeadline() - SystemClock.moment(), .zero) }
}
