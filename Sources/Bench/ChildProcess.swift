import Glibc
import SystemLoop

/// A program beside this one.
struct ChildProcess {
  private let id: pid_t

  /// Starts a program found on the PATH, or named with a slash. `input` becomes its standard input; what it
  /// prints is thrown away.
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

  /// Waits for its end; true when it left with status 0.
  @discardableResult
  func wait() -> Bool {
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0, errno == EINTR {}
    return status == 0
  }

  func end() {
    kill(id, SIGTERM)
    wait()
  }

  /// This program once more.
  static func own(_ words: [String], input: Int32? = nil) throws(SystemError) -> ChildProcess {
    try ChildProcess([ProcessSurroundings.executable ?? "Bench"] + words, input: input)
  }

  /// True when the PATH has a program of that name.
  static func exists(_ name: String) -> Bool {
    (ProcessSurroundings.variable("PATH") ?? "").split(separator: ":").contains {
      access("\($0)/\(name)", X_OK) == 0
    }
  }
}
