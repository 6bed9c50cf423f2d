import Foundation
import Quantities
import TestSupport
import Testing
@testable import Daemon

@Suite struct SleepInhibitorTests {
  private static func program(_ bench: HTTPBench, _ lines: String) throws -> String {
    let path = bench.directory + "/inhibit"
    try "#!/bin/sh\n\(lines)\n".write(toFile: path, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    return path
  }

  private static func text(_ path: String) -> String {
    (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
  }

  @Test func theLockIsHeldByAProgramThatEndsWithIt() throws {
    let bench = try HTTPBench()
    let output = bench.directory + "/told"
    let path = try Self.program(
      bench, "echo \"$$ $*\" > '\(output).part'; mv '\(output).part' '\(output)'; exec tail -f /dev/null")
    let inhibitor = SleepInhibitor(loop: bench.loop, path: path)
    var failures: [String] = []
    inhibitor.onFailure = { failures.append($0) }
    inhibitor.setActive(true)
    let timer = bench.loop.addTimer("look") { _ in }
    defer { bench.loop.removeTimer(timer) }
    func eventually(_ condition: @escaping () -> Bool) throws -> Bool {
      try bench.run {
        timer.arm(at: bench.loop.now + .milliseconds(20))
        return condition()
      }
    }
    #expect(try eventually { !Self.text(output).isEmpty })
    let arguments = Self.text(output).split(separator: " ")
    let process = try #require(arguments.first.flatMap { Int32($0) })
    #expect(arguments.contains("--what=sleep:idle") && arguments.contains("--mode=block"))
    #expect(arguments.contains("--pid=\(getpid())"), "the lock ends with the logger")
    #expect(inhibitor.isActive && kill(process, 0) == 0)
    inhibitor.setActive(true)
    inhibitor.setActive(false)
    #expect(!inhibitor.isActive)
    #expect(try eventually { kill(process, 0) != 0 })
    #expect(failures.isEmpty)
  }

  @Test(arguments: [("/nowhere/inhibit", "/nowhere/inhibit"), ("exit 1", "exited with status 1")])
  func aFailedLockIsReportedOnce(_ row: (program: String, arguments: String)) throws {
    let bench = try HTTPBench()
    let path = row.program.hasPrefix("/") ? row.program : try Self.program(bench, row.program)
    let inhibitor = SleepInhibitor(loop: bench.loop, path: path)
    var failures: [String] = []
    inhibitor.onFailure = { failures.append($0) }
    for _ in 0..<3 {
      inhibitor.setActive(true)
      #expect(try bench.run { !inhibitor.isActive })
      inhibitor.setActive(false)
    }
    #expect(failures.count == 1 && failures.first?.contains(row.arguments) == true, "\(failures)")
  }
}
