import FleetRecords
import Quantities
import Testing

@testable import UploadReader

/// What a body may contain besides its columns, and what a faulty report does to its records.
@Suite struct LimitTests {
  static let log = #""log":"6b1f6a2e-0000-4000-8000-00000000abcd","from":5,"through":9"#

  private static func feature(_ properties: String, record: String = #","record":7"#) -> String {
    #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"#
      + #""timestamp":"2026-03-01T10:15:02Z"\#(record)\#(properties)}}"#
  }

  private static func members(_ count: Int) -> String {
    (0..<count).map { #","a\#($0)":1"# }.joined()
  }

  private static func text(_ count: Int) -> String { String(repeating: "x", count: count) }

  // MARK: Reports

  @Test(arguments: [
    #"{"a":1e999}"#, #"{"version":"1","version":"2"}"#, "[]", "5", "\"text\"",
    #"{"set_outcomes":[{"key":"a","value":1e500,"outcome":"proven"}]}"#,
    #"{"version":"1"},"report":{"version":"2"}"#,
  ])
  func aFaultyReportIsLeftOutAndItsRecordsAreRead(report: String) throws {
    let upload = try read(#"{"locations":[\#(Self.feature(""))],"report":\#(report),\#(Self.log)}"#).get()
    #expect(upload.rowCount == 1 && upload.report == nil && upload.reportFault != nil)
    #expect(upload.log != nil && upload.range == 5...9)
  }

  @Test func aReportThatIsNoJSONRejectsItsBody() {
    #expect(!read(#"{"locations":[],"report":{"a":1e}}"#).isSuccess)
    #expect(!read(#"{"locations":[],"report":{"a":1}"#).isSuccess)
  }

  @Test func aReportThatIsTooLargeIsLeftOut() throws {
    let most = ReportReader.longest
    for (report, isKept) in [
      (#"{"a":"\#(Self.text(most - 8))"}"#, true), (#"{"a":"\#(Self.text(most - 7))"}"#, false),
      (#"{"a":0\#(Self.members(RecordFields.mostOthers - 1))}"#, true),
      (#"{"a":0\#(Self.members(RecordFields.mostOthers))}"#, false),
      (#"{"a":[\#(String(repeating: "1,", count: most / 2))1]}"#, false),
    ] {
      let upload = try read(#"{"locations":[],"report":\#(report)}"#).get()
      #expect((upload.report != nil) == isKept && (upload.reportFault == nil) == isKept)
    }
  }

  @Test func aGoodReportHasNoFault() throws {
    for report in ["null", "{}", #"{"version":"1","x":[1e400]}"#] {
      let upload = try read(#"{"locations":[],"report":\#(report)}"#).get()
      #expect(upload.reportFault == nil)
    }
  }

  @Test func theNextContactIsWithinAYear() throws {
    let received = try #require(Timestamp(iso8601: "2026-11-28T12:00:00Z"))
    func contact(_ report: String) throws -> Duration? {
      let upload = try read(#"{"locations":[],"report":{\#(report)}}"#).get()
      return upload.report?.nextContact(received: received).map { $0 - received }
    }
    let cases: [(report: String, contact: Duration?)] = [
      (#""next_contact":"2026-11-28T12:10:00Z""#, .seconds(600)),
      (#""next_contact":"2027-11-29T12:00:00Z""#, .seconds(366 * 86_400)),
      (#""next_contact":"2027-11-29T12:00:01Z""#, nil), (#""next_contact":"2100-01-01T00:00:00Z""#, nil),
      (#""next_contact":"1980-01-01T00:00:00Z""#, nil), (#""next_contact":"2026-11-28T11:59:59Z""#, nil),
      (#""next_contact":"2100-01-01T00:00:00Z","next_contact_in_s":60"#, .seconds(60)),
      (#""next_contact":"1980-01-01T00:00:00Z","next_contact_in_s":60"#, .seconds(60)),
      (#""next_contact_in_s":31622400"#, .seconds(366 * 86_400)), (#""next_contact_in_s":31622401"#, nil),
    ]
    for (report, expected) in cases {
      let found = try contact(report)
      #expect(found == expected, "\(report)")
    }
  }

  // MARK: Records

  @Test func membersWithoutAColumnAreLimited() throws {
    let most = RecordFields.mostOthers
    #expect(read(#"{"locations":[\#(Self.feature(Self.members(most)))],\#(Self.log)}"#).isSuccess)
    for (body, record) in [
      (#"{"locations":[\#(Self.feature(Self.members(most + 1)))],\#(Self.log)}"#, 7),
      (#"{"locations":[\#(Self.feature(Self.members(most + 1), record: ""))]}"#, nil),
      (
        #"{"locations":[],"events":[{"record":8,"time":"2026-03-01T10:15:02Z","kind":"a""#
          + #"\#(Self.members(most + 1))}],\#(Self.log)}"#, 8
      ),
    ] as [(String, Int64?)] {
      guard case .failure(.invalid("extra", .tooManyMembers(most), _, record)) = read(body) else {
        Issue.record("accepted")
        continue
      }
    }
  }

  @Test func theTextWithoutAColumnIsLimited() throws {
    let most = RecordFields.longestExtra
    // {"x":""} has 8 bytes.
    #expect(
      read(#"{"locations":[\#(Self.feature(#","x":"\#(Self.text(most - 8))""#))],\#(Self.log)}"#).isSuccess)
    for (properties, record) in [
      (#","x":"\#(Self.text(most - 7))""#, #","record":7"#), (#","x":"\#(Self.text(most))""#, ""),
      // A value that does not fit into its column.
      (#","speed":"\#(Self.text(most))""#, ""),
    ] {
      let isStrict = !record.isEmpty
      let body =
        #"{"locations":[\#(Self.feature(properties, record: record))]\#(isStrict ? "," + Self.log : "")}"#
      let number: Int64? = isStrict ? 7 : nil
      guard case .failure(.invalid("extra", .tooLong(most), _, number)) = read(body) else {
        Issue.record("accepted: \(properties.prefix(20))")
        continue
      }
    }
  }

  @Test func theTextsOfAnEventAreLimited() {
    let most = RecordFields.longestExtra
    func result(_ member: String) -> Result<Upload, UploadError> {
      read(
        #"{"locations":[],"events":[{"record":8,"time":"2026-03-01T10:15:02Z","kind":"a","#
          + #"\#(member)}],\#(Self.log)}"#
      )
    }
    #expect(result(#""fields":{"x":"\#(Self.text(most - 8))"}"#).isSuccess)
    #expect(result(#""detail":"\#(Self.text(most))""#).isSuccess)
    for (key, member) in [
      ("fields", #""fields":{"x":"\#(Self.text(most - 7))"}"#),
      ("detail", #""detail":"\#(Self.text(most + 1))""#),
    ] {
      guard case .failure(.invalid(key, .tooLong(most), _, 8)) = result(member) else {
        Issue.record("accepted: \(key)")
        continue
      }
    }
  }

  @Test func aMessageOfOwnTracksIsLimited() {
    let location = #"{"_type":"location","lat":1,"lon":2,"tst":1772360102"#
    #expect(!readOwnTracks(Array("\(location)\(Self.members(RecordFields.mostOthers + 1))}".utf8)).isSuccess)
    let text = Self.text(RecordFields.longestExtra)
    #expect(!readOwnTracks(Array(#"\#(location),"x":"\#(text)"}"#.utf8)).isSuccess)
  }

  @Test func theTextsOfABodyAreLimited() {
    let feature = Self.feature(#","x":"\#(Self.text(RecordFields.longestExtra - 8))""#, record: "")
    let most = UploadReader.extraLimit / RecordFields.longestExtra
    for count in [most, most + 1] {
      let features = [String](repeating: feature, count: count).joined(separator: ",")
      let result = read(#"{"locations":[\#(features)]}"#)
      if count == most {
        #expect(result.isSuccess)
      } else {
        #expect(result == .failure(.tooMuchExtra(limit: UploadReader.extraLimit)))
      }
    }
  }

  // MARK: Names

  @Test func anotherIdentityStaysWithItsRow() throws {
    let features = ["a", "b", "a"].map { Self.feature(#","unique_id":"\#($0)","n":1"#, record: "") }
    let upload = try read(#"{"locations":[\#(features.joined(separator: ","))]}"#).get()
    #expect(upload.uniqueID == "a")
    #expect(
      upload.locations.map(\.extra) == [#"{"n":1}"#, #"{"unique_id":"b","n":1}"#, #"{"n":1}"#])
  }
}
