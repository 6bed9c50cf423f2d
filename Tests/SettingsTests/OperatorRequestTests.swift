import Testing
import TextSnapshots

@testable import Settings

/// Errors in settings that a program sends are reported with key, expected and given value, and remedy.
@Suite struct OperatorRequestTests {
  static let texts = TextSnapshot("settings")

  static let rejected: [(name: String, body: String)] = [
    ("no text", ""), ("only white space", " \n"), ("a text", #""""#), ("a list", "[]"), ("null", "null"),
    ("an open bracket", "{"), ("a key twice", #"{"main.min_time": "5s", "main.min_time": "7s"}"#),
    ("a key in two notations", #"{"main": {"min_time": "5s"}, "main.min_time": null}"#),
    ("a key twice in a group", #"{"main": {"min_time": "5s", "min_time": "5s"}}"#),
    ("a misspelt key to unset", #"{"main.min_tme": null}"#), ("a group to unset", #"{"main": null}"#),
    ("an unquoted word", #"{"log": {"level": loud}}"#),
  ]

  @Test(arguments: rejected)
  func anInvalidBodyIsRejectedWithTheReason(name: String, body: String) {
    do throws(SettingsErrors) {
      _ = try OperatorRequest(json: Array(body.utf8))
      Issue.record("accepted")
    } catch {
      #expect(error.errors.count == 1)
      #expect(error.description == Self.texts.expected("body: \(name)", error.description))
    }
  }

  static let faulty: [(name: String, body: String)] = [
    ("number too large", #"{"main.batch_size": 1e400}"#),
    ("number too large in a profile", #"{"profiles": [{"when": "stop", "angle_deg": -1e400}]}"#),
    ("text for a list", #"{"profiles": "x"}"#), ("number for a list", #"{"profiles": 5}"#),
    ("empty text", #"{"main.min_time": ""}"#), ("empty key", #"{"": 1}"#),
    ("key of another group", #"{"min_time": "5s"}"#),
    ("member of a list", #"{"destinations.0.url": "x"}"#),
    ("list for a group", #"{"main": []}"#), ("number for a group", #"{"main": 5}"#),
    ("text for a group", #"{"main": "x"}"#),
  ]

  /// Keys and values of the wrong type as in the body, with the text after the key.
  static let otherSorts: [(key: String, value: String, says: String)] = [
    ("device_id", #"["x"]"#, "expected a text of one line of at most 128 bytes, got a list"),
    ("api.token", #"["x"]"#, "expected a text of one line, not empty, got a list"),
    ("api.token", "4471", "expected a text of one line, not empty, got a number"),
    ("receiver.port", #"["/dev/x"]"#, "expected a path, got a list"),
    ("receiver.port", "true", "expected a path, got true"),
    ("device_id", "5", "expected a text of one line of at most 128 bytes, got the number 5"),
    (
      "main.min_time", #"["5s"]"#,
      "expected a duration from 0s to 1d with its unit (ms, s, m, h, d), got a list"
    ),
    (
      "main.min_time", "5",
      "expected a duration from 0s to 1d with its unit (ms, s, m, h, d), got the number 5"
    ),
    ("device_id", #"{"x": 1}"#, "expected a text of one line of at most 128 bytes, got a group { … }"),
  ]

  @Test(arguments: otherSorts)
  func aValueOfTheWrongTypeIsRejectedAsInAFile(key: String, value: String, says: String) throws {
    let sources = ConfigurationSources(fallbacks: Fallbacks(deviceID: "", apiSocket: ""))
    func faults(_ body: String) throws -> [String] {
      sources.faults(of: try OperatorRequest(json: Array(body.utf8)), over: StoredLayers())
        .map(\.description)
    }
    let parts = key.split(separator: ".")
    let nested = parts.reversed().reduce(value) { "{\"\($1)\": \($0)}" }
    for body in ["{\"\(key)\": \(value)}", nested] {
      let messages = try faults(body)
      #expect(messages.count == 1 && messages.allSatisfy { $0.hasSuffix(": \(says)") }, "\(messages)")
      let file = SourceText(name: "settings", bytes: Array(nested.utf8))
      let inFile = ConfigurationSources(file: file, fallbacks: sources.fallbacks)
      do throws(SettingsErrors) {
        _ = try inFile.configuration()
        Issue.record("taken")
      } catch {
        #expect(error.errors.first?.description.hasSuffix(": \(says)") == true, "\(error)")
      }
    }
  }

  @Test func numbersAndSwitchesAreAcceptedInJSONAndAsTexts() throws {
    let sources = ConfigurationSources(fallbacks: Fallbacks(deviceID: "", apiSocket: ""))
    for body in [
      #"{"main": {"batch_size": 50, "visit_tracking": true}}"#,
      #"{"main": {"batch_size": "50", "visit_tracking": "true"}}"#,
    ] {
      let wishes = try OperatorRequest(json: Array(body.utf8))
      #expect(wishes.values == ["main.batch_size": "50", "main.visit_tracking": "true"])
      #expect(sources.faults(of: wishes, over: StoredLayers()).isEmpty)
    }
  }

  @Test(arguments: faulty)
  func anInvalidValueIsRejectedWithTheAcceptedValues(name: String, body: String) throws {
    let wishes = try OperatorRequest(json: Array(body.utf8))
    let sources = ConfigurationSources(fallbacks: Fallbacks(deviceID: "", apiSocket: ""))
    let messages = sources.faults(of: wishes, over: StoredLayers()).map(\.description)
    #expect(messages.count == 1)
    let text = ProfileKeys.shortened(messages)
    #expect(text == Self.texts.expected("body: \(name)", text))
  }

  @Test(arguments: [1, 20, 21, 3000])
  func theFirstUnknownKeysAreListed(count: Int) throws {
    let sources = ConfigurationSources(fallbacks: Fallbacks(deviceID: "", apiSocket: ""))
    let keys = (0..<count).map { #""k\#($0)": 1"# }.joined(separator: ", ")
    let wishes = try OperatorRequest(json: Array("{\(keys)}".utf8))
    #expect(wishes.values.isEmpty, "unknown keys are not applied")
    let said = sources.faults(of: wishes, over: StoredLayers()).map(\.description)
    let told = min(count, OperatorRequest.mostUnknown)
    #expect(said.prefix(told).allSatisfy { $0.hasSuffix(": unknown setting") })
    #expect(
      said.dropFirst(told)
        == (count > told
          ? ["settings: \(count - told) more unknown setting" + (count - told == 1 ? "" : "s")] : []))
    let nulls = (0..<count).map { #""k\#($0)": null"# }.joined(separator: ", ")
    do throws(SettingsErrors) {
      _ = try OperatorRequest(json: Array("{\(nulls)}".utf8))
      Issue.record("taken")
    } catch {
      let wholes = error.errors.map(\.description)
      #expect(wholes.count == said.count)
      #expect(wholes.dropFirst(told) == said.dropFirst(told))
    }
  }
}
