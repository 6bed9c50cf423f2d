import Testing

@testable import Settings

/// What is wrong with settings that a program sends is said with key, expected, got and remedy.
@Suite struct OperatorWishesTests {
  static let object = #"one JSON object of settings, as in {"main.min_time": "5s", "send_interval": null}"#

  static let refused: [(body: String, says: [String])] = [
    ("", ["settings:1:1: expected \(object), got nothing"]),
    (" \n", ["settings:2:1: expected \(object), got nothing"]),
    (#""""#, ["settings:1:1: expected \(object), got a text"]),
    ("[]", ["settings:1:1: expected \(object), got a list"]),
    ("null", ["settings:1:1: expected \(object), got null"]),
    ("{", ["settings:1:1: this { is never closed"]),
    (
      #"{"main.min_time": "5s", "main.min_time": "7s"}"#,
      [#"settings:1:25: "main.min_time": given twice, first on line 1; remove one of them"#]
    ),
    (
      #"{"main": {"min_time": "5s"}, "main.min_time": null}"#,
      [
        #"settings:1:30: "main.min_time": not together with main.min_time written in another way; remove one of them"#
      ]
    ),
    (
      #"{"main": {"min_time": "5s", "min_time": "5s"}}"#,
      ["settings:1:29: main.min_time: given twice, first on line 1; remove one of them"]
    ),
    (
      #"{"main.min_tme": null}"#,
      [#"settings:1:2: "main.min_tme": unknown setting; did you mean main.min_time?"#]
    ),
    (
      #"{"main": null}"#,
      ["settings:1:10: main: expected a group of settings, with null at those to be taken back, got null"]
    ),
    (
      #"{"log": {"level": loud}}"#,
      [
        #"settings:1:19: log.level: expected "error", "warning", "notice" or "debug", got text without quotes"#
      ]
    ),
  ]

  @Test(arguments: refused)
  func aBodyThatIsNoneIsRefusedInItsOwnWords(body: String, says: [String]) {
    do throws(SettingsErrors) {
      _ = try OperatorWishes(json: Array(body.utf8))
      Issue.record("taken")
    } catch {
      #expect(error.errors.map(\.description) == says)
    }
  }

  static let faulty: [(body: String, says: String)] = [
    (
      #"{"main.batch_size": 1e400}"#,
      "outrider set: main.batch_size: expected a whole number from 1 to 1000, got a number that is too large or too long to read"
    ),
    (
      #"{"profiles": [{"when": "stop", "angle_deg": -1e400}]}"#,
      "outrider set:1:16: profiles[0].angle_deg: expected \"off\" or a number from 1 to 180, in °, got a number that is too "
        + "large or too long to read"
    ),
    (#"{"profiles": "x"}"#, "outrider set: profiles: expected \(ProfileKeys.list), got a text"),
    (#"{"profiles": 5}"#, "outrider set:1:1: profiles: expected \(ProfileKeys.list), got a number"),
    (
      #"{"main.min_time": ""}"#,
      #"outrider set: main.min_time: expected a duration from 0s to 1d with its unit (ms, s, m, h, d), got """#
    ), (#"{"": 1}"#, #"settings:1:2: "": unknown setting"#),
    (
      #"{"min_time": "5s"}"#,
      "settings:1:2: min_time: unknown setting; did you mean main.min_time or trip.min_time?"
    ),
    (
      #"{"destinations.0.url": "x"}"#,
      #"settings:1:2: "destinations.0.url": part of destinations, which is given as a whole: in the configuration file, or as destinations=…"#
    ),
    (#"{"main": []}"#, "settings:1:10: main: expected \(mainGroup), got a list"),
    (#"{"main": 5}"#, "settings:1:10: main: expected \(mainGroup), got a number"),
    (#"{"main": "x"}"#, "settings:1:10: main: expected \(mainGroup), got a text"),
  ]

  /// By key and value as they stand in the body; what is said behind the key.
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
  func aValueOfAnotherSortIsRefusedInTheWordsOfAFile(key: String, value: String, says: String) throws {
    let sources = ConfigurationSources(fallbacks: Fallbacks(deviceID: "", apiSocket: ""))
    func faults(_ body: String) throws -> [String] {
      sources.faults(of: try OperatorWishes(json: Array(body.utf8)), over: StoredLayers())
        .map(\.description)
    }
    let parts = key.split(separator: ".")
    let nested = parts.reversed().reduce(value) { "{\"\($1)\": \($0)}" }
    for body in ["{\"\(key)\": \(value)}", nested] {
      let said = try faults(body)
      #expect(said.count == 1 && said.allSatisfy { $0.hasSuffix(": \(says)") }, "\(said)")
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

  @Test func numbersAndSwitchesAreTakenAsTheyAreAndAsTextsOfTheCommandLine() throws {
    let sources = ConfigurationSources(fallbacks: Fallbacks(deviceID: "", apiSocket: ""))
    for body in [
      #"{"main": {"batch_size": 50, "visit_tracking": true}}"#,
      #"{"main": {"batch_size": "50", "visit_tracking": "true"}}"#,
    ] {
      let wishes = try OperatorWishes(json: Array(body.utf8))
      #expect(wishes.values == ["main.batch_size": "50", "main.visit_tracking": "true"])
      #expect(sources.faults(of: wishes, over: StoredLayers()).isEmpty)
    }
  }

  @Test(arguments: faulty)
  func aValueThatIsNoneIsRefusedInTheWordsOfItsSetting(body: String, says: String) throws {
    let wishes = try OperatorWishes(json: Array(body.utf8))
    let sources = ConfigurationSources(fallbacks: Fallbacks(deviceID: "", apiSocket: ""))
    #expect(sources.faults(of: wishes, over: StoredLayers()).map(\.description) == [says])
  }

  @Test(arguments: [1, 20, 21, 3000])
  func ofManyUnknownKeysTheFirstAreTold(count: Int) throws {
    let sources = ConfigurationSources(fallbacks: Fallbacks(deviceID: "", apiSocket: ""))
    let keys = (0..<count).map { #""k\#($0)": 1"# }.joined(separator: ", ")
    let wishes = try OperatorWishes(json: Array("{\(keys)}".utf8))
    #expect(wishes.values.isEmpty, "what is unknown is laid over nothing")
    let said = sources.faults(of: wishes, over: StoredLayers()).map(\.description)
    let told = min(count, OperatorWishes.mostUnknown)
    #expect(said.prefix(told).allSatisfy { $0.hasSuffix(": unknown setting") })
    #expect(
      said.dropFirst(told)
        == (count > told
          ? ["settings: \(count - told) more unknown setting" + (count - told == 1 ? "" : "s")] : []))
    let nulls = (0..<count).map { #""k\#($0)": null"# }.joined(separator: ", ")
    do throws(SettingsErrors) {
      _ = try OperatorWishes(json: Array("{\(nulls)}".utf8))
      Issue.record("taken")
    } catch {
      let wholes = error.errors.map(\.description)
      #expect(wholes.count == said.count)
      #expect(wholes.dropFirst(told) == said.dropFirst(told))
    }
  }

  static let mainGroup =
    "a group with main.tracking_mode, main.visit_tracking, main.desired_accuracy, …"
}
