import Foundation
import SystemLoop
import Testing

@testable import Devices

@Suite struct LineTests {
  @Test func whatIsNoLineIsRefusedWithTheReason() throws {
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
}
