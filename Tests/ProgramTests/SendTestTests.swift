import Foundation
import Testing
import TextSnapshots

/// `outrider send --test` with a destination for Home Assistant.
@Suite struct SendTestTests {
  static let texts = TextSnapshot("commands")

  private static func test(_ device: String, _ words: String...) throws -> FaultTests.Outcome {
    let server = try ScriptedServer { _, _ in .json("", status: "405 Method Not Allowed") }
    defer { server.stop() }
    let scratch = try Scratch()
    let configuration = try scratch.write(
      "config.json5",
      """
      {
        device_id: "van",
        destinations: [{
          name: "ha", kind: "owntracks", url: "http://127.0.0.1:\(server.port)/api/webhook/x", timeout: "5s"\(device)
        }],
        storage: { directory: "\(scratch.path("log"))", allow_volatile: true },
      }
      """)
    return try FaultTests.run(["send", "--test", "ha", "--config", configuration] + words, in: scratch)
  }

  /// A part of the warning, with the recommended value.
  private static let remedy = #""me/van""#

  @Test func aDeviceIDWithoutASlashCausesAWarning() throws {
    let outcome = try Self.test("")
    let line = try #require(outcome.output.line(with: Self.remedy), "\(outcome)")
    #expect(line == Self.texts.expected("send --test: device_id without a slash", line))
  }

  @Test func inJSONTheWarningIsAFindingOfTheStepAnswer() throws {
    let outcome = try Self.test("", "--json")
    let object = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
    let steps = object?["steps"] as? [[String: String]] ?? []
    let step = steps.first { $0["words"]?.contains(Self.remedy) == true }
    #expect(step?["step"] == "answer" && step?["finding"] == "untold", "\(outcome)")
  }

  @Test func aDeviceIDWithASlashCausesNone() throws {
    let outcome = try Self.test(#", device_id: "me/van""#)
    #expect(outcome.output.contains("answer"), "\(outcome)")
    #expect(!(outcome.output + outcome.errors).contains("Home Assistant"), "\(outcome)")
  }
}
