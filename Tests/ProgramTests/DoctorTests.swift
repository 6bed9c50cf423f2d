import Foundation
import TextSnapshots
import Testing

@Suite struct DoctorTests {
  static let texts = TextSnapshot("doctor")

  @Test func aPathThatIsNoBusIsReportedWithTheReason() throws {
    let scratch = try Scratch()
    let outcome = try FaultTests.run(["doctor", "i2c", "/dev/null"], in: scratch)
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("/dev/null") && outcome.output.contains("I2C_FUNCS"))
    let json = try FaultTests.run(["doctor", "i2c", "--json", "/dev/null"], in: scratch)
    let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: [[String: Any]]]
    #expect(object?["i2c"]?.first?["path"] as? String == "/dev/null")
  }

  @Test func anEmptyPathIsMisuse() throws {
    let outcome = try FaultTests.run(["doctor", "i2c", ""], in: try Scratch())
    #expect(outcome.status == 2 && outcome.output.isEmpty)
    let message = try #require(outcome.errors.line(with: "/dev/i2c-1"))
    #expect(message == Self.texts.expected("empty bus path", message))
  }

  @Test func withoutASubsystemTheAvailableOnesAreListed() throws {
    let outcome = try FaultTests.run(["doctor"], in: try Scratch())
    #expect(outcome.status == 2)
    let message = try #require(outcome.errors.line(with: "i2c"))
    #expect(message == Self.texts.expected("missing subsystem", message))
  }
}
