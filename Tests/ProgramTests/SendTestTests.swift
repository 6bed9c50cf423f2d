import Foundation
import Testing

/// `outrider send --test` of a destination that Home Assistant reads.
@Suite struct SendTestTests {
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

  private static let warning = #"device_id: "van" has no slash, so Home Assistant ignores its messages"#

  @Test func aDeviceIDWithoutASlashIsWarnedOf() throws {
    let outcome = try Self.test("")
    let line = outcome.output.split(separator: "\n").first { $0.contains(Self.warning) }
    #expect(line?.hasPrefix("  ?   answer") == true, "\(outcome)")
    #expect(line?.contains(#"give the destination a device_id such as "me/van""#) == true, "\(outcome)")
  }

  @Test func inJSONItIsAFindingOfTheAnswer() throws {
    let outcome = try Self.test("", "--json")
    let object = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
    let steps = object?["steps"] as? [[String: String]] ?? []
    let step = steps.first { $0["words"]?.contains(Self.warning) == true }
    #expect(step?["step"] == "answer" && step?["finding"] == "untold", "\(outcome)")
  }

  @Test func oneWithASlashIsNot() throws {
    let outcome = try Self.test(#", device_id: "me/van""#)
    #expect(outcome.output.contains("answer"), "\(outcome)")
    #expect(!(outcome.output + outcome.errors).contains("Home Assistant"), "\(outcome)")
  }
}
