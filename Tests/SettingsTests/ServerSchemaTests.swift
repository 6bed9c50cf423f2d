import Foundation
import Settings
import Testing

/// The check of a value before a server sends it.
@Suite struct ServerSchemaTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let key: String
    let value: String
    /// The beginning of the objection; nil if the value is accepted.
    var objection: String?
    var testDescription: String { "\(key) \(value)" }
  }

  static let cases = [
    Case(key: "send_interval", value: #""30s""#), Case(key: "send_interval", value: #""1.5m""#),
    Case(key: "send_interval", value: #""off""#),
    Case(key: "send_interval", value: "30", objection: "expected \"off\" or a duration from 1s to 1d"),
    Case(key: "send_interval", value: #""2d""#, objection: "expected \"off\" or a duration from 1s to 1d"),
    Case(key: "send_interval", value: #""30 parsecs""#, objection: "expected \"off\" or a duration"),
    Case(key: "main.min_distance", value: #""20m""#), Case(key: "main.min_distance", value: #""0.5km""#),
    Case(key: "main.min_distance", value: "20", objection: "expected \"off\" or a distance from"),
    Case(key: "main.tracking_mode", value: #""significant""#),
    Case(
      key: "main.tracking_mode", value: #""sometimes""#, objection: "expected \"off\", \"standard\", \"sig"),
    Case(key: "main.visit_tracking", value: "true"), Case(key: "main.visit_tracking", value: "1"),
    Case(key: "main.visit_tracking", value: #""yes""#),
    Case(key: "main.visit_tracking", value: #""maybe""#, objection: "expected true or false"),
    Case(key: "main.visit_tracking", value: "[true]", objection: "expected true or false"),
    Case(key: "main.batch_size", value: "100"), Case(key: "main.batch_size", value: #""100""#),
    Case(key: "main.batch_size", value: "0", objection: "expected a whole number from 1 to 1000"),
    Case(key: "main.batch_size", value: "1.5", objection: "expected a whole number from 1 to 1000"),
    Case(key: "main.batch_size", value: "null", objection: "expected a whole number from 1 to 1000"),
    Case(key: "main.batch_size", value: #"{"a": 1}"#, objection: "expected a whole number from 1 to 1000"),
    Case(key: "trip_mode", value: #""train""#),
    Case(key: "main.min_tme", value: #""1s""#, objection: "unknown setting; did you mean main.min_time?"),
    Case(key: "zebra", value: "1", objection: "unknown setting"),
    Case(key: "main..min_time", value: #""1s""#, objection: "unknown setting"),
    Case(key: "storage.limit", value: #""1GB""#, objection: "servers cannot change it"),
    Case(key: "token", value: #""x""#, objection: "servers cannot change it"),
    Case(key: "main", value: #"{"min_time": "1s"}"#, objection: "it is a group; set each of its settings"),
    Case(key: "main.min_time", value: "soon", objection: "the value is not JSON"),
  ]

  @Test(arguments: cases)
  func aValueIsReadAsTheDeviceReadsIt(_ test: Case) throws {
    let reason = ServerSchema.thisBuild.objection(to: test.value, for: test.key)
    if let objection = test.objection {
      #expect(reason?.hasPrefix(objection) == true, "\(reason ?? "accepted")")
    } else {
      #expect(reason == nil)
    }
  }

  /// Values of every form, for every setting of the reference.
  static let values = [
    "true", "0", "1", "50", "1.5", "-1", "1e9", "null", "[]", "[1]", "{}", #""off""#, #""on""#, #""no""#,
    #""50""#,
    #""1s""#, #""90s""#, #""3d""#, #""0s""#, #""20m""#, #""5km""#, #""1mm""#, #""5 m""#, #""1GB""#, #""""#,
    #""all""#,
    #""best""#, #""10m""#, #""car""#, #""standard""#, #""latest""#, #""x""#,
  ]

  @Test func aStoredSchemaJudgesAsTheReaderOfTheSameVersion() throws {
    let text = SettingsReference.json(ofVersion: "9.8")
    let stored = try #require(ServerSchema(json: Array(text.utf8)))
    #expect(stored.version == "9.8")
    let keys = SettingsReference.all.map(SettingsReference.key).filter { !$0.contains("*") }
    var accepted = 0
    for key in keys {
      for value in Self.values {
        let own = ServerSchema.thisBuild.objection(to: value, for: key)
        let other = stored.objection(to: value, for: key)
        #expect((own == nil) == (other == nil), "\(key) \(value): \(own ?? "-"), \(other ?? "-")")
        if own == nil { accepted += 1 }
      }
    }
    #expect(accepted > 100)
  }

  /// A schema of a version that differs from this one.
  static let other = #"""
    {"version": "0.9", "settings": [
      {"key": "main.pace", "kind": "duration", "unit": "s", "minimum": 1, "maximum": 60, "expected": "a pace",
        "remote": true},
      {"key": "main.ports", "kind": "list", "expected": "a list of ports", "remote": true},
      {"key": "main.shape", "kind": "object", "expected": "a shape", "off": true, "remote": true},
      {"key": "main.room", "kind": "size", "minimum": 1000, "expected": "a size", "remote": true},
      {"key": "main.odd", "kind": "quaternion", "remote": true},
      {"key": "storage.limit", "kind": "size", "expected": "a size", "remote": false}]}
    """#

  static let otherCases = [
    Case(key: "main.pace", value: #""1m""#),
    Case(key: "main.pace", value: #""61s""#, objection: "expected a pace, got \"61s\""),
    Case(key: "main.ports", value: "[1, 2]"),
    Case(key: "main.ports", value: "1", objection: "expected a list of ports, got the number 1"),
    Case(key: "main.shape", value: #"{"a": [1]}"#), Case(key: "main.shape", value: #""off""#),
    Case(key: "main.shape", value: "[]", objection: "expected a shape, got a list"),
    Case(key: "main.room", value: #""1kB""#),
    Case(key: "main.room", value: #""999B""#, objection: "expected a size, got \"999B\""),
    Case(key: "main.odd", value: #""anything""#),
    Case(key: "storage.limit", value: #""1GB""#, objection: "servers cannot change it"),
    Case(key: "main.min_time", value: #""1s""#, objection: "unknown setting"),
    Case(key: "main.pce", value: #""1s""#, objection: "unknown setting; did you mean main.pace?"),
  ]

  @Test(arguments: otherCases)
  func anotherVersionIsJudgedByItsSchema(_ test: Case) throws {
    let schema = try #require(ServerSchema(json: Array(Self.other.utf8)))
    #expect(schema.objection(to: test.value, for: test.key) == test.objection)
  }

  @Test(arguments: [
    "", "{}", "[]", #"{"settings": []}"#, #"{"settings": [1]}"#, #"{"settings": [{"key": "a"}]}"#,
  ])
  func anotherTextIsNoSchema(text: String) {
    #expect(ServerSchema(json: Array(text.utf8)) == nil)
  }
}
