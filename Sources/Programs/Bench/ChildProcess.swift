import Glibc
import System

/// A child process.
struct ChildProcess {
  private let id: pid_t

  /// Starts a program found on the PATH, or by a path with a slash. `input` becomes its standard input; its
  /// output is discarded.
  init(_ words: [String], input: Int32? = nil) throws(SystemError) {
    let name = words.first ?? ""
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let input { posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO) }
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    var arguments = words.map { strdup($0) }
    defer { for argument in arguments { free(argument) } }
    arguments.append(nil)
    var id = pid_t()
    let refusal = posix_spawnp(&id, name, &actions, nil, arguments, environ)
    guard refusal == 0 else { throw SystemError(call: "posix_spawnp", subject: name, number: refusal) }
    self.id = id
  }

  /// Waits for the end of the process; true if the exit status is 0.
  @discardableResult
  func wait() -> Bool {
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0, errno == EINTR {}
    return status == 0
  }

  /// Waits for the end of the process and returns its user and system time; nil unless the exit status is 0.
  func processorTime() -> Duration? {
    var status: Int32 = 0
    var usage = rusage()
    while wait4(id, &status, 0, &usage) < 0 {
      guard errno == EINTR else { return nil }
    }
    guard status == 0 else { return nil }
    return Duration(usage.ru_utime) + Duration(usage.ru_stime)
  }

  func end() {
    kill(id, SIGTERM)
    wait()
  }

  /// Starts this program again with other arguments.
  static func own(_ words: [String], input: Int32? = nil) throws(SystemError) -> ChildProcess {
    try ChildProcess([ProcessEnvironment.executable ?? "Bench"] + words, input: input)
  }

  /// True if a program of that name is on the PATH.
  static func exists(_ name: String) -> Bool {
    (ProcessEnvironment.variable("PATH") ?? "").split(separator: ":").contains {
      access("\($0)/\(name)", X_OK) == 0
    }
  }
}

extension Duration {
  fileprivate init(_ time: timeval) {
    self = .seconds(time.tv_sec) + .microseconds(time.tv_usec)
  }
}
