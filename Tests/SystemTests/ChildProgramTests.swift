import EventLoop
import Glibc
import Quantities
import System
import Testing

@Suite struct ChildProgramTests {
  /// The result of a program; nil if it does not end within 20 s.
  static func ending(_ path: String, _ arguments: [String], input: String = "", killing: Bool = false) throws
    -> ChildProgram.Ending?
  {
    let loop = try EventLoop()
    let program = try ChildProgram(path, arguments, input: Array(input.utf8))
    if killing { program.kill() }
    let registration = try loop.watch(program.descriptor, for: .readable) { _ in loop.stop() }
    let deadline = loop.addTimer("deadline") { _ in loop.stop() }
    deadline.arm(at: loop.now + .seconds(20))
    try loop.run()
    loop.remove(registration)
    return program.ending
  }

  @Test func theResultIsReported() throws {
    #expect(try Self.ending("/bin/sh", ["-c", "exit 7"]) == .exited(status: 7))
    #expect(try Self.ending("/bin/sh", ["-c", "kill -TERM $$"]) == .killed(signal: SIGTERM))
    #expect(
      try Self.ending("/nowhere", [])
        == .notStarted(SystemError(call: "posix_spawn", subject: "/nowhere", number: ENOENT)))
  }

  @Test func theInputIsPassedCompletely() throws {
    let check = "read line; [ \"$line\" = hello ] && ! read more"
    #expect(try Self.ending("/bin/sh", ["-c", check], input: "hello\n") == .exited(status: 0))
    let long = String(repeating: "x", count: 100_000)
    #expect(
      try Self.ending("/bin/sh", ["-c", "[ $(wc -c) = \(ChildProgram.longestInput) ]"], input: long)
        == .exited(status: 0))
  }

  @Test func theEnvironmentHasTheCallersVariablesAndThoseOfTheProcess() throws {
    let loop = try EventLoop()
    let check = "[ \"$TOLD\" = 'a = b' ] && [ \"$HOME\" = /other ] && [ -n \"$PATH\" ]"
    let program = try ChildProgram(
      "/bin/sh", ["-c", check], input: [], environment: ["TOLD": "a = b", "HOME": "/other"])
    let registration = try loop.watch(program.descriptor, for: .readable) { _ in loop.stop() }
    try loop.run()
    loop.remove(registration)
    #expect(program.ending == .exited(status: 0))
  }

  @Test func theWholeProcessGroupIsKilled() throws {
    #expect(
      try Self.ending("/bin/sh", ["-c", "sleep 100 & wait"], killing: true) == .killed(signal: SIGKILL))
  }
}
