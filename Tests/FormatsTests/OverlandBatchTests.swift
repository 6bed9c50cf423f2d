import Formats
import Foundation
import Quantities
import Records
import Testing

@Suite struct OverlandBatchTests {
  static func stored(_ id: Int64, _ body: LogRecord.Body?, time: Timestamp? = OverlandFeatureTests.time)
    throws
    -> StoredRecord
  {
    let body = try #require(body)
    return StoredRecord(
      id: RecordID(id), boot: 1,
      record: LogRecord(moment: .zero, time: time, timeQuality: .receiver, body: body))
  }

  static func van() -> LogRecord.Body? { OverlandFeatureTests.van().map { .location($0) } }

  static func text(_ parts: [[UInt8]]) -> String { String(decoding: parts.joined(), as: UTF8.self) }

  @Test func aRequestContainsLocationsCurrentAndTrip() throws {
    let record = try Self.stored(1, Self.van())
    let batch = OverlandBatch([record, record])
    let feature = try OverlandFeatureTests.text { _ in }
    let current = try #require(OverlandFeature(record.record))
    #expect(Self.text(batch.body()) == #"{"locations":[\#(feature),\#(feature)]}"#)
    #expect(
      Self.text(batch.body(current: current))
        == #"{"locations":[\#(feature),\#(feature)],"current":\#(feature)}"#)
    let trip = Array(#"{"mode":"car"}"#.utf8)
    #expect(
      Self.text(batch.body(current: current, trip: trip))
        == #"{"locations":[\#(feature),\#(feature)],"current":\#(feature),"trip":{"mode":"car"}}"#)
    #expect(batch.count == 2)
  }

  @Test func recordsThatServersRejectAreOmitted() throws {
    let nullIsland = try #require(Coordinate(latitudeE7: 0, longitudeE7: 0))
    let batch = OverlandBatch([
      try Self.stored(1, .event(EventRecord(.started))), try Self.stored(2, Self.van(), time: nil),
      try Self.stored(3, .location(LocationRecord(coordinate: nullIsland, deviceID: "x"))),
      try Self.stored(4, Self.van()), try Self.stored(5, .event(EventRecord(.stopped))),
    ])
    #expect(batch.count == 1)
    let object = try JSONSerialization.jsonObject(with: Data(batch.body().joined())) as? [String: Any]
    #expect((object?["locations"] as? [Any])?.count == 1)
  }

  @Test func aBatchWithoutSendableRecordsIsEmpty() {
    let batch = OverlandBatch([])
    #expect(batch.count == 0)
    #expect(Self.text(batch.body()) == #"{"locations":[]}"#)
  }
}
