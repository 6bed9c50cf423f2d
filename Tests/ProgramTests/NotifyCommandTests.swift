import Foundation
import Testing

/// `outrider notify --test`.
@Suite struct NotifyCommandTests {
  private static func run(_ notifications: String, _ words: String...) throws -> FaultTests.Outcome {
    let scratch = try Scratch()
    let configuration = try scratch.write(
      "config.json5",
      """
      {
        device_id: "van", notifications: \(notifications),
        storage: { directory: "\(scratch.path("log"))", allow_volatile: true },
      }
      """)
    return try FaultTests.run(["notify"] + words + ["--config", configuration], in: scratch)
  }

  @Test func theAnswersAreShownAndDecideTheExitStatus() throws {
    let server = try ScriptedServer { _, request in
      request.head.contains("POST /good") ? .ok : .json("", status: "401 Unauthorized")
    }
    defer { server.stop() }
    let address = "http://127.0.0.1:\(server.port)"
    let good = try Self.run(#"{ to: "\#(address)/good?key=secret", form: "text" }"#, "--test")
    #expect(good.status == 0 && good.output.contains("ok   \(address)/…: status 200"), "\(good)")
    #expect(server.received.first?.head.contains("Title: van: test") == true)
    let both = try Self.run(#"["\#(address)/good", { to: "\#(address)/bad" }]"#, "--test")
    #expect(both.status == 1 && both.output.contains("status 401; check the token in headers"), "\(both)")
    let json = try Self.run(#"{ to: "\#(address)/bad" }"#, "--test", "--json")
    let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
    let hook = (object?["hooks"] as? [[String: Any]])?.first
    #expect(hook?["ok"] as? Bool == false && hook?["remedy"] != nil, "\(json)")
  }

  @Test func withoutHooksItFails() throws {
    let outcome = try Self.run(#""off""#, "--test")
    #expect(outcome.status == 1 && outcome.errors.contains("notifications is off"), "\(outcome)")
  }

  @Test func withoutTheOptionItIsMisuse() throws {
    #expect(try Self.run(#""/bin/true""#).status == 2)
  }

  @Test func aMissingProgramIsShownWithARemedy() throws {
    let outcome = try Self.run(#""/nowhere/tell""#, "--test")
    #expect(outcome.status == 1 && outcome.output.contains("FAIL /nowhere/tell"), "\(outcome)")
    #expect(outcome.output.contains("run it by hand"))
  }
}
