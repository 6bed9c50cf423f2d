import Foundation
import Testing

@Suite struct DoctorTests {
  @Test func whatIsNoBusIsSaidWithTheReason() throws {
    let scratch = try Scratch()
    let outcome = try FaultTests.run(["doctor", "i2c", "/dev/null"], in: scratch)
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("/dev/null") && outcome.output.contains("I2C_FUNCS"))
    let json = try FaultTests.run(["doctor", "i2c", "--json", "/dev/null"], in: scratch)
    let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: [[String: Any]]]
    #expect(object?["i2c"]?.first?["path"] as? String == "/dev/null")
  }

  @Test func anEmptyPathIsNoBus() throws {
    let outcome = try FaultTests.run(["doctor", "i2c", ""], in: try Scratch())
    #expect(outcome.status == 2 && outcome.output.isEmpty && outcome.errors.contains("as in /dev/i2c-1"))
  }

  @Test func withoutASubjectItSaysWhatThereIs() throws {
    let outcome = try FaultTests.run(["doctor"], in: try Scratch())
    #expect(outcome.status == 2 && outcome.errors.contains("i2c"))
  }
}
