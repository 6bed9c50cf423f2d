import Foundation
import Testing
import TextSnapshots

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

  @Test(arguments: ["/dev/null", "/nowhere/rtc7"])
  func aPathThatIsNoClockIsReportedWithTheReason(path: String) throws {
    let scratch = try Scratch()
    let outcome = try FaultTests.run(["doctor", "alarm", path], in: scratch)
    #expect(outcome.status == 1)
    #expect(outcome.output == Self.texts.expected("alarm of \(path)", outcome.output))
    let json = try FaultTests.run(["doctor", "alarm", "--json", path], in: scratch)
    let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: [String: Any]]
    #expect(object?["alarm"]?["path"] as? String == path && object?["alarm"]?["works"] as? Bool == false)
  }

  @Test(arguments: [["doctor", "alarm", ""], ["doctor", "alarm", "/dev/rtc0", "/dev/rtc1"]])
  func aWrongOperandOfTheAlarmIsMisuse(words: [String]) throws {
    let outcome = try FaultTests.run(words, in: try Scratch())
    #expect(outcome.status == 2 && outcome.output.isEmpty)
  }

  @Test func anEmptyPathIsMisuse() throws {
    let outcome = try FaultTests.run(["doctor", "i2c", ""], in: try Scratch())
    #expect(outcome.status == 2 && outcome.output.isEmpty)
    let message = try #require(outcome.errors.line(with: "/dev/i2c-1"))
    #expect(message == Self.texts.expected("empty bus path", message))
  }

  @Test func anUnknownSubsystemIsMisuse() throws {
    let outcome = try FaultTests.run(["doctor", "spi"], in: try Scratch())
    #expect(outcome.status == 2)
    let message = try #require(outcome.errors.line(with: "i2c"))
    #expect(message == Self.texts.expected("unknown subsystem", message))
  }

  @Test(arguments: ["/nowhere/x.service", "/etc"])
  func aUnitFileThatCannotBeReadIsMisuse(path: String) throws {
    let outcome = try FaultTests.run(
      ["doctor", "--only", "unit-hardening", "--unit", path], in: try Scratch())
    #expect(outcome.status == 2 && outcome.errors.contains("doctor: --unit: \(path)"), "\(outcome)")
  }

  @Test func anUnknownCheckIsMisuse() throws {
    let outcome = try FaultTests.run(["doctor", "--only", "sky"], in: try Scratch())
    #expect(outcome.status == 2 && outcome.output.isEmpty)
    let message = try #require(outcome.errors.line(with: "sky"))
    #expect(message == Self.texts.expected("unknown check", message))
  }

  @Test func theSystemIsCheckedWithoutALogger() throws {
    let scratch = try Scratch()
    let outcome = try FaultTests.run(
      [
        "doctor", "--json", "--offline", "--only", "config-valid,destinations-any,port-exists,responding",
        "--set",
        "receiver.port=/dev/no-receiver", "--set", "storage.directory=\(scratch.url.path)", "--set",
        "api.socket=\(scratch.url.path)/api.sock",
      ], in: scratch)
    let object = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
    let checks = try #require(object?["checks"] as? [[String: Any]])
    #expect(
      checks.compactMap { $0["id"] as? String } == [
        "config-valid", "destinations-any", "responding", "port-exists",
      ])
    #expect(checks[3]["result"] as? String == "error")
    #expect(outcome.status == 1)
  }

  static let hasBus =
    (try? FileManager.default.contentsOfDirectory(atPath: "/sys/class/i2c-dev"))?.isEmpty == false

  @Test(.enabled(if: !hasBus, "this machine has an I²C bus"))
  func withoutAnyBusTheReasonIsPrinted() throws {
    let outcome = try FaultTests.run(["doctor", "i2c"], in: try Scratch())
    #expect(outcome.status == 0 && outcome.output.contains("no I²C bus"))
  }
}
