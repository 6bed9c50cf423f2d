import Formats
import Foundation
import Quantities
import Records
import Testing

/// The body of the profile `outrider`: all that the log has.
@Suite struct OutriderBatchTests {
  static func profile() throws -> OverlandProfile {
    var profile = try #require(OverlandProfile.named("outrider"))
    profile.logID = "6b1f6a2e-0000-4000-8000-000000000001"
    profile.uniqueID = "u-1"
    return profile
  }

  static func stored(_ id: Int64, _ body: LogRecord.Body, time: Timestamp?) -> StoredRecord {
    StoredRecord(id: RecordID(id), boot: 1, record: OverlandTripTests.record(body, time: time))
  }

  /// A location with every value, and one with none.
  static func records() throws -> [StoredRecord] {
    let time = OverlandTripTests.end + .milliseconds(250)
    var van = try OverlandTripTests.van()
    van.trip = .utc(OverlandTripTests.start)
    van.horizontalDilutionTenths = 9
    van.steps = 17
    van.reasons = [.period, .angle]
    let bare = LocationRecord(coordinate: van.coordinate, fixKind: .twoDimensional, deviceID: "van-7")
    var visit = VisitRecord(
      coordinate: van.coordinate, arrival: .utc(OverlandTripTests.start), device: OverlandTripTests.device)
    visit.radiusMillimetres = 12_500
    var trip = TripRecord(
      mode: .car, start: .utc(OverlandTripTests.start), end: .utc(OverlandTripTests.end),
      durationMilliseconds: 771_599, distanceMillimetres: 9_321_600, isManual: true, ending: .noFix,
      device: OverlandTripTests.device)
    trip.isReconstructed = true
    let action = ActionRecord(.willTerminate, at: van.coordinate, device: OverlandTripTests.device)
    let event = EventRecord(.queueDropped, [.destination: "home", .count: 3])
    return [
      stored(11, .location(van), time: time), stored(12, .location(bare), time: time),
      stored(13, .event(event), time: time), stored(14, .visit(visit), time: time),
      stored(15, .trip(trip), time: time), stored(16, .action(action), time: time),
      stored(17, .location(van), time: nil), stored(18, .event(event), time: nil),
    ]
  }

  @Test func everyKindOfRecordMatchesTheGoldenFile() throws {
    let range = BatchRange(from: RecordID(9), through: RecordID(18))
    let batch = OverlandBatch(try Self.records(), of: range, for: try Self.profile())
    #expect(batch.count == 6)
    let report = Array(#"{"version":"1"}"#.utf8)
    let body = String(decoding: batch.body(report: report).joined(), as: UTF8.self)
    let golden = String(decoding: try GoldenTests.file("outrider-batch"), as: UTF8.self)
    #expect(body == golden.split(separator: "\n").map { $0.drop { $0 == " " } }.joined())
    #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(body.utf8)) }
  }

  @Test func lateRecordsAccountForNoRange() throws {
    let range = BatchRange(from: nil, through: RecordID(18))
    let batch = OverlandBatch(try Self.records(), of: range, for: try Self.profile())
    let text = String(decoding: batch.locations, as: UTF8.self)
    #expect(text.hasSuffix(#","log":"6b1f6a2e-0000-4000-8000-000000000001""#))
  }

  @Test func anEmptyBatchIsAValidBody() throws {
    let batch = OverlandBatch([], of: BatchRange(from: nil, through: .zero), for: try Self.profile())
    #expect(batch.count == 0)
    let text = String(decoding: batch.body().joined(), as: UTF8.self)
    #expect(text.hasPrefix(#"{"locations":[],"events":[],"#) && text.hasSuffix("}"))
  }

  @Test func aRequestWithoutRecordsSaysWhoSendsIt() throws {
    var profile = try Self.profile()
    profile.senderName = "van-7"
    let batch = OverlandBatch([], of: BatchRange(from: nil, through: .zero), for: profile)
    let text = String(decoding: batch.body().joined(), as: UTF8.self)
    #expect(text.hasSuffix(#","device_id":"van-7","unique_id":"u-1"}"#))
    var plain = OverlandProfile.overland
    (plain.deviceID, plain.senderName) = ("a", "b")
    #expect(OverlandBatch([], for: plain).body().joined().elementsEqual(#"{"locations":[]}"#.utf8))
  }

  /// Texts with quotes, control characters and markup.
  @Test func hostileTextsStayWithinTheirStrings() throws {
    var van = try OverlandTripTests.van()
    van.wifi = "a\"},\u{1}\n</script>"
    van.deviceID = "\\"
    let batch = OverlandBatch(
      [Self.stored(1, .location(van), time: OverlandTripTests.end)],
      of: BatchRange(from: RecordID(1), through: RecordID(1)), for: try Self.profile())
    let object = try JSONSerialization.jsonObject(with: Data(batch.body().joined())) as? [String: Any]
    let features = object?["locations"] as? [[String: Any]]
    let properties = features?.first?["properties"] as? [String: Any]
    #expect(properties?["wifi"] as? String == van.wifi && properties?["device_id"] as? String == "\\")
  }
}
