import Database
import HostileJSON
import Quantities
import Records
import Testing

@testable import Store

/// JSON within a record is treated as untrusted input, because another program may have written the log.
@Suite struct HostileDetailTests {
  static func read(_ detail: [UInt8]) throws {
    let start = Instant.boot(Moment(nanoseconds: 2_000_999_999))
    let bodies: [LogRecord.Body] = [
      .visit(try DetailRecordTests.visit(start)), .trip(try DetailRecordTests.trip(start: start, end: start)),
    ]
    for body in bodies {
      let stored = StoredRecord(id: RecordID(1), boot: 1, record: DetailRecordTests.record(body))
      var row = RecordRow.columns(of: stored, isLate: false)
      row[25] = .text(String(decoding: detail, as: UTF8.self))
      row[RecordRow.Column.checksum] = RecordRow.checksum(of: row)
      _ = RecordRow.read(row)
    }
  }

  @Test(
    arguments: HostileJSON.frames + HostileJSON.documents(key: "arrival")
      + HostileJSON.documents(
        key: "start_place", before: #"{"start":1,"end":2,"duration_ms":1,"manual":0,"ending":0,"#))
  func noDetailCrashesTheReader(_ document: HostileJSON.Document) throws { try Self.read(document.bytes) }

  @Test(arguments: 0..<10)
  func noMutatedDetailCrashesTheReader(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let sound = Array(
      #"{"start":1,"end":2,"duration_ms":1,"manual":0,"ending":0,"arrival":5,"radius_mm":7}"#.utf8)
    for _ in 0..<100 { try Self.read(HostileJSON.mutated(sound, &random)) }
  }
}
