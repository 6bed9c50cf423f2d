import Foundation
import Quantities
import SystemLoop
import TestSupport
import Testing

@testable import Daemon

@Suite struct SleepLockTests {
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
    let told = bench.directory + "/told"
    let path = try Self.program(
      bench, "echo \"$$ $*\" > '\(told).part'; mv '\(told).part' '\(told)'; exec tail -f /dev/null")
    let lock = SleepLock(loop: bench.loop, path: path)
    var failures: [String] = []
    lock.onFailure = { failures.append($0) }
    lock.hold(true)
    let timer = bench.loop.addTimer("look") { _ in }
    defer { bench.loop.removeTimer(timer) }
    func look(_ condition: @escaping () -> Bool) throws -> Bool {
      try bench.run {
        timer.arm(at: bench.loop.now + .milliseconds(20))
        return condition()
      }
    }
    #expect(try look { !Self.text(told).isEmpty })
    let words = Self.text(told).split(separator: " ")
    let process = try #require(words.first.flatMap { Int32($0) })
    #expect(words.contains("--what=sleep:idle") && words.contains("--mode=block"))
    #expect(words.contains("--pid=\(getpid())"), "the lock ends with the logger")
    #expect(lock.isHeld && kill(process, 0) == 0)
    lock.hold(true)
    lock.hold(false)
    #expect(!lock.isHeld)
    #expect(try look { kill(process, 0) != 0 })
    #expect(failures.isEmpty)
  }

  @Test(arguments: [("/nowhere/inhibit", "/nowhere/inhibit"), ("exit 1", "exited with status 1")])
  func aFailedLockIsReportedOnce(_ row: (program: String, words: String)) throws {
    let bench = try HTTPBench()
    let path = row.program.hasPrefix("/") ? row.program : try Self.program(bench, row.program)
    let lock = SleepLock(loop: bench.loop, path: path)
    var failures: [String] = []
    lock.onFailure = { failures.append($0) }
    for _ in 0..<3 {
      lock.hold(true)
      #expect(try bench.run { !lock.isHeld })
      lock.hold(false)
    }
    #expect(failures.count == 1 && failures.first?.contains(row.words) == true, "\(failures)")
  }
}
