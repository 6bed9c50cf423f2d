import FleetRecords
import HostileJSON
import JSON
import Quantities
import Testing

@testable import UploadReader

@Suite struct BadBodyTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var property: String
    var fault: UploadError.Fault?
    /// The expected value, as text.
    var value = ""
    var testDescription: String { property }
  }

  static func strictBody(_ property: String, record: String = "7") -> String {
    #"{"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"#
      + #""timestamp":"2026-03-01T10:15:02Z","record":\#(record),\#(property)}}],"#
      + #""log":"6b1f6a2e-0000-4000-8000-00000000abcd","from":5,"through":9}"#
  }

  static func lenientBody(_ property: String) -> String {
    #"{"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"#
      + #""timestamp":"2026-03-01T10:15:02Z",\#(property)}}]}"#
  }

  static let number = UploadError.Fault.wrongType(expected: "a number")
  static let text = UploadError.Fault.wrongType(expected: "a text")

  /// The faults of values in a strict record.
  static let values: [Case] = [
    Case(property: #""speed":-1"#, fault: .outOfRange), Case(property: #""speed":-0"#, value: "0"),
    Case(property: #""speed":-0.0000"#, value: "0"), Case(property: #""speed":1e-400"#, value: "0"),
    Case(property: #""speed":-1e-400"#, value: "0"), Case(property: #""speed":1e-401"#, fault: .outOfRange),
    Case(property: #""speed":1e999"#, fault: .outOfRange),
    Case(property: #""speed":1e400"#, fault: .outOfRange),
    Case(property: #""speed":5.1275"#, value: "5128"), Case(property: #""speed":5.1274999"#, value: "5127"),
    Case(property: #""speed":51.27e-1"#, value: "5127"),
    Case(property: #""speed":0.05127E+2"#, value: "5127"),
    Case(property: #""speed":5127000000000000000000e-21"#, value: "5127"),
    Case(property: #""speed":2147483.647"#, value: "2147483647"),
    Case(property: #""speed":2147483.6476"#, fault: .outOfRange),
    Case(property: #""speed":"5""#, fault: number),
    Case(property: #""speed":true"#, fault: number), Case(property: #""speed":null"#, value: "nil"),
    Case(property: #""speed":{}"#, fault: number), Case(property: #""speed":1,"speed":1"#, fault: .duplicate),
    Case(property: #""speed":1,"sp\u0065ed":1"#, fault: .duplicate),
    Case(property: #""course":360"#), Case(property: #""course":360.001"#, fault: .outOfRange),
    Case(property: #""battery_level":1.001"#, value: "nil"),
    Case(property: #""battery_level":1.01"#, fault: .outOfRange),
    Case(property: #""battery_state":"empty""#, fault: .unknownWord),
    Case(property: #""battery_state":1"#, fault: text), Case(property: #""fix":"4D""#, fault: .unknownWord),
    Case(property: #""fix":"\u0033D""#), Case(property: #""satellites":256"#, fault: .outOfRange),
    Case(property: #""motion":["flying"]"#, fault: .unknownWord),
    Case(property: #""motion":"driving""#, fault: .wrongType(expected: "an array of words")),
    Case(property: #""motion":[1]"#, fault: .unknownWord),
    Case(property: #""reasons":["automotive"]"#, fault: .unknownWord),
    Case(property: #""wifi":"a\u0000b""#, fault: .hasNUL), Case(property: #""x":"\u0000""#, fault: .hasNUL),
    Case(property: #""x":{"\u0000":1}"#, fault: .hasNUL), Case(property: #""x":[1e500]"#, fault: .outOfRange),
    Case(property: #""trip_id":"today""#, fault: .wrongType(expected: "a time in ISO 8601")),
    Case(property: #""trip_id":"1979-12-31T23:59:59Z""#, fault: .outOfRange),
    Case(property: #""trip_id":"2101-01-01T00:00:00Z""#, fault: .outOfRange),
    Case(property: #""trip_id":"2100-12-31T23:59:59.999Z""#), Case(property: #""steps":1.5"#, value: "nil"),
    Case(property: #""action":"""#, fault: .wrongType(expected: "a text of at most 100 bytes")),
    Case(property: #""action":5"#, fault: .wrongType(expected: "a text of at most 100 bytes")),
    Case(property: #""type":"trip","ending":"bored""#, fault: .unknownWord),
    Case(property: #""type":"trip","manual":"no""#, fault: .wrongType(expected: "true or false")),
    Case(property: #""type":"trip","start_location":5"#, fault: .wrongType(expected: "a Feature")),
  ]

  @Test(arguments: values)
  func aFaultyValueIsRejectedWithItsRecord(_ value: Case) throws {
    let result = read(Self.strictBody(value.property))
    guard let fault = value.fault else {
      let upload = try result.get()
      let speed = upload.locations.first?.speedMillimetresPerSecond
      if !value.value.isEmpty { #expect((speed.map { "\($0)" } ?? "nil") == value.value) }
      return
    }
    guard case .failure(.invalid(_, let found, let offset, let record)) = result else {
      Issue.record("accepted: \(result)")
      return
    }
    #expect(found == fault && record == 7 && offset > 100)
  }

  /// Whatever the value, a lenient record is stored; or its text cannot be stored at all.
  @Test(arguments: values)
  func aLenientRecordIsStored(_ value: Case) {
    let result = read(Self.lenientBody(value.property))
    let isFatal =
      switch value.fault {
      case .hasNUL, .duplicate: true
      case .outOfRange:
        value.property.contains("1e-401") || value.property.contains("e999")
          || value.property.contains("e500")
      case .wrongType: value.property.contains(#""action":"""#)
      default: false
      }
    switch result {
    case .success(let upload): #expect(!isFatal && upload.rowCount == 1)
    case .failure: #expect(isFatal, "\(result)")
    }
  }

  static let log = #""log":"6b1f6a2e-0000-4000-8000-00000000abcd""#
  static let point = #""geometry":{"type":"Point","coordinates":[1,2]}"#
  static let feature = #"{\#(point),"properties":{"timestamp":"2026-03-01T10:15:02Z","record":7}}"#
  static let plain = #"{\#(point),"properties":{"timestamp":"2026-03-01T10:15:02Z"}}"#

  static let bodies: [(body: String, error: UploadError)] = [
    ("", .notJSON(expected: "a value", offset: 0)), ("[]", .noList), ("{}", .noList), ("1", .noList),
    (
      #"{"locations":5}"#,
      .invalid(
        key: "locations", .wrongType(expected: "an array of Features"), offset: 13, record: nil)
    ),
    (
      #"{"locations":[5]}"#,
      .invalid(
        key: "locations", .wrongType(expected: "a Feature"), offset: 14, record: nil)
    ),
    (#"{"locations":[{}]}"#, .invalid(key: "properties", .missing, offset: 14, record: nil)),
    (#"{"locations":[{"properties":{}}]}"#, .invalid(key: "timestamp", .missing, offset: 28, record: nil)),
    (#"{"locations":[],"locations":[]}"#, .invalid(key: "locations", .duplicate, offset: 16, record: nil)),
    (#"{"locations":[\#(feature)]}"#, .invalid(key: "log", .missing, offset: 14, record: 7)),
    (
      #"{"locations":[\#(plain)],\#(log),"from":1,"through":9}"#,
      .invalid(
        key: "record", .missing, offset: 14, record: nil)
    ),
    (
      #"{"locations":[\#(feature),\#(plain)],\#(log),"from":1,"through":9}"#,
      .invalid(
        key: "record", .missing, offset: 125, record: nil)
    ),
    (
      #"{"locations":[\#(feature)],\#(log),"through":9}"#,
      .invalid(key: "from", .missing, offset: 14, record: 7)
    ),
    (
      #"{"locations":[\#(feature)],\#(log),"from":1}"#,
      .invalid(key: "through", .missing, offset: 14, record: 7)
    ),
    (
      #"{"locations":[\#(feature)],\#(log),"from":8,"through":9}"#,
      .invalid(
        key: "record", .notInBatch, offset: 14, record: 7)
    ),
    (
      #"{"locations":[\#(feature)],\#(log),"from":1,"through":6}"#,
      .invalid(
        key: "record", .notInBatch, offset: 14, record: 7)
    ),
    (
      #"{"locations":[],"log":"no"}"#,
      .invalid(
        key: "log", .wrongType(expected: "a UUID"), offset: 22, record: nil)
    ),
    (
      #"{"locations":[],\#(log),"from":9,"through":5}"#,
      .invalid(key: "through", .outOfRange, offset: 80, record: nil)
    ),
    (
      #"{"locations":[],\#(log),"from":-1,"through":5}"#,
      .invalid(key: "from", .outOfRange, offset: 68, record: nil)
    ),
    (
      #"{"locations":[],\#(log),"from":1.5,"through":5}"#,
      .invalid(
        key: "from", .wrongType(expected: "a whole number"), offset: 68, record: nil)
    ),
    (
      #"{"locations":[],"events":[{"time":"2026-03-01T10:15:02Z","kind":"gap"}],\#(log),"from":1,"through":5}"#,
      .invalid(
        key: "record", .missing, offset: 26, record: nil)
    ),
    (
      #"{"locations":[],"events":[{"record":3,"kind":"gap"}],\#(log),"from":1,"through":5}"#,
      .invalid(
        key: "time", .missing, offset: 26, record: 3)
    ),
    (
      #"{"locations":[],"events":[{"record":3,"time":"2026-03-01T10:15:02Z"}],\#(log),"from":1,"through":5}"#,
      .invalid(
        key: "kind", .missing, offset: 26, record: 3)
    ),
    (
      #"{"locations":[],"events":[{"record":3,"time":"2026-03-01T10:15:02Z","kind":"a","value":1.5}]}"#,
      .invalid(
        key: "value", .wrongType(expected: "a whole number"), offset: 87, record: 3)
    ),
    (
      #"{"locations":[],"events":[{"record":3,"time":"2026-03-01T10:15:02Z","kind":"a","fields":[]}]}"#,
      .invalid(
        key: "fields", .wrongType(expected: "an object"), offset: 88, record: 3)
    ),
    (
      #"{"locations":[],"events":[{"record":3,"time":"2026-03-01T10:15:02Z","kind":"a"}]}"#,
      .invalid(
        key: "log", .missing, offset: 26, record: 3)
    ),
    (
      #"{"locations":[],"events":{}}"#,
      .invalid(
        key: "events", .wrongType(expected: "an array of events"), offset: 25, record: nil)
    ),
  ]

  @Test func aFaultyBodyIsRejectedWithItsReason() {
    for (body, error) in Self.bodies { #expect(read(body) == .failure(error), "\(body)") }
  }

  @Test(arguments: ["0", "-5", "1.5", "\"7\"", "true", "9223372036854775808", "1e30"])
  func aNumberThatIsNoneIsRejected(record: String) {
    guard case .failure(.invalid("record", _, _, nil)) = read(Self.strictBody(#""x":1"#, record: record))
    else {
      Issue.record("accepted")
      return
    }
  }

  @Test(arguments: [
    "[181,2]", "[-180.00000001,2]", "[1,90.0000001]", "[1,1e999]", "[1]", "[]", "5", "{}", #"["1","2"]"#,
    "null",
  ])
  func aLocationWithoutAPositionIsRejected(coordinates: String) {
    for record in [#""record":7,"#, ""] {
      let body =
        #"{"locations":[{"geometry":{"type":"Point","coordinates":\#(coordinates)},"properties":{\#(record)"#
        + #""timestamp":"2026-03-01T10:15:02Z"}}],\#(record.isEmpty ? #""x":1"# : Self.log),"from":5,"through":9}"#
      switch read(body) {
      // 8 decimals are rounded to 7, which is -180.
      case .success: #expect(coordinates.contains("-180"))
      case .failure(.invalid(_, _, _, let record)): #expect(record == nil || record == 7)
      case .failure(let error): Issue.record("\(error)")
      }
    }
  }

  @Test func aReportWithNULDoesNotKeepItsRecords() throws {
    let body = #"{"locations":[],"report":{"machine":"a\\u0000b\u0000","version":"1\u0000"}}"#
    let report = try #require(try read(body).get().report)
    #expect(report.text == #"{"machine":"a\\u0000b\uFFFD","version":"1\uFFFD"}"# && report.version == "1")
  }

  /// Answers to a question, with what is read of them.
  static let answers: [(body: String, answer: QuestionAnswer?)] = [
    (#"{"id":"41","outcome":"done","gaps":[]}"#, QuestionAnswer(question: 41, outcome: .done, text: "")),
    (
      #"{"outcome":"failed","id":"41","reason":"a\u0000"}"#,
      QuestionAnswer(question: 41, outcome: .failed, text: "")
    ),
    (#"{"id":"41","outcome":"refused"}"#, QuestionAnswer(question: 41, outcome: .refused, text: "")),
    (#"{"id":41,"outcome":"done"}"#, nil), (#"{"id":"x","outcome":"done"}"#, nil),
    (#"{"id":"99999999999999999999","outcome":"done"}"#, nil), (#"{"id":"41","outcome":"superseded"}"#, nil),
    (#"{"id":"41"}"#, nil), ("[]", nil), ("null", nil), ("\"41\"", nil), ("{}", nil),
    (#"{"id":"41","outcome":"done","x":"\#(String(repeating: "x", count: 100_000))"}"#, nil),
  ]

  @Test func aDoubtfulAnswerDoesNotKeepItsRecords() throws {
    for (body, expected) in Self.answers {
      let report = try #require(
        try read(#"{"locations":[],"report":{"version":"1","answer":\#(body)}}"#).get().report)
      let text = expected == nil ? nil : body.replacing("u0000", with: "uFFFD")
      #expect(report.answer?.question == expected?.question && report.version == "1", "\(body)")
      #expect(report.answer?.outcome == expected?.outcome && report.answer?.text == text, "\(body)")
    }
  }

  /// Values of a report, with its fault.
  static let excesses: [(value: String, fault: String)] = [
    (nested(60), ""), (nested(64), "nested deeper than 64 levels at byte "),
    (nested(100_000), "nested deeper than 64 levels at byte "),
    (String(repeating: "1", count: 400), ""),
    (String(repeating: "1", count: 401), "expected a number of at most 400 bytes"),
  ]

  /// Arrays and objects in turn, the innermost with a number.
  private static func nested(_ count: Int) -> String {
    var (text, end) = ("", "")
    for level in 0..<count {
      text += level % 2 == 0 ? "[" : #"{"a":"#
      end += (count - 1 - level) % 2 == 0 ? "]" : "}"
    }
    return text + "1" + end
  }

  @Test func aReportBeyondTheLimitsDoesNotKeepItsRecords() throws {
    for (value, fault) in Self.excesses {
      for report in [#"{"version":"1","x":\#(value)}"#, #"{"x":[1,\#(value), true,{}],"y":"]}"}"#] {
        let upload = try read(#"{"report":\#(report) ,"locations":[\#(Self.plain)]}"#).get()
        #expect(upload.rowCount == 1 && (upload.report == nil) == !fault.isEmpty, "\(report.prefix(80))")
        #expect(upload.reportFault?.contains(fault) ?? fault.isEmpty, "\(upload.reportFault ?? "no fault")")
      }
      let upload = try read(#"{"report":\#(value),"locations":[\#(Self.plain)]}"#).get()
      #expect(upload.rowCount == 1 && upload.reportFault != nil)
    }
    // What is not JSON is rejected at any depth.
    let deep = Self.nested(100)
    let faulty = [
      String(deep.dropLast()), String(deep.dropLast()) + "}", deep.replacing("1", with: "01"), "[\(deep),]",
    ]
    for report in faulty {
      guard case .failure(.notJSON) = read(#"{"report":\#(report),"locations":[]}"#) else {
        Issue.record("accepted: \(report.suffix(40))")
        continue
      }
    }
  }

  @Test func tooManyRecordsAreRejected() {
    let features = [String](repeating: Self.plain, count: UploadReader.rowLimit + 1).joined(separator: ",")
    #expect(read(#"{"locations":[\#(features)]}"#) == .failure(.tooManyRows(limit: UploadReader.rowLimit)))
  }

  @Test func theDepthIsLimited() {
    for count in [61, 62, 63, 100_000] {
      let nested = String(repeating: "[", count: count) + String(repeating: "]", count: count)
      let result = read(#"{"locations":[],"x":\#(nested)}"#)
      if count <= 63 {
        #expect(result.isSuccess)
      } else {
        #expect(result == .failure(.tooDeep(limit: 64, offset: 20 + 63)))
      }
    }
  }
}
