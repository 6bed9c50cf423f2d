import EventLoop
import Foundation
import Quantities
import System
import Testing
@testable import Devices

@Suite struct LineTests {
  @Test func aDeviceWithoutTheLineIsRejectedWithTheReason() throws {
    let absent = LineWiring(chip: "/dev/gpiochip-none", line: 17)
    #expect(throws: SystemError(call: "open", subject: "/dev/gpiochip-none", number: ENOENT)) {
      try OutputLine(wiring: absent, isActive: true)
    }
    let loop = try EventLoop()
    let other = LineWiring(chip: "/dev/null", line: 17)
    #expect(throws: SystemError(call: "GPIO_V2_GET_LINE", subject: "/dev/null line 17", number: ENOTTY)) {
      try InputLine(loop: loop, wiring: other) { _, _ in }
    }
  }

  /// A chip that is unplugged: its lines report a permanent hang-up.
  @Test func aVanishedChipIsReportedOnceAndDoesNotSpinTheLoop() throws {
    var ends: [Int32] = [-1, -1]
    try #require(Glibc.pipe(&ends) == 0)
    let loop = try EventLoop()
    var reports: [InputLine.Report] = []
    let line = try InputLine(
      loop: loop, wiring: LineWiring(chip: "/dev/gpiochip9", line: 1), descriptor: Descriptor(owning: ends[0])
    ) { report, _ in reports.append(report) }
    var turns = 0
    loop.everyTurn { _ in turns += 1 }
    let end = loop.addTimer("end") { _ in loop.stop() }
    end.arm(at: loop.now + .milliseconds(50))
    close(ends[1])
    try loop.run()
    #expect(reports == [.gone])
    #expect(turns < 10)
    #expect(line.isActive == nil)
  }

  @Test func aPipeWithoutAWriterDoesNotBlock() throws {
    let pipe = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    defer { unlink(pipe) }
    try #require(mkfifo(pipe, 0o600) == 0)
    let wiring = LineWiring(chip: pipe, line: 3)
    let refusal = SystemError(call: "GPIO_V2_GET_LINE", subject: "\(pipe) line 3", number: ENOTTY)
    #expect(throws: refusal) { try OutputLine(wiring: wiring, isActive: true) }
    let loop = try EventLoop()
    #expect(throws: refusal) { try InputLine(loop: loop, wiring: wiring) { _, _ in } }
  }
}
