import Formats
import Quantities
import Records
import Testing

@Suite struct TrackFileTests {
  static func records(at milliseconds: [Int64]) throws -> [LogRecord] {
    try milliseconds.map { time in
      var record = try OwnTracksMessageTests.van()
      record.time = Timestamp(milliseconds: time)
      return record
    }
  }

  @Test func eachHourHasItsFile() throws {
    let records = try Self.records(at: [
      1_772_359_199_999, 1_772_359_200_000, 1_772_362_799_000, 1_772_362_800_000,
    ])
    let files = TrackFile.files(records, [.geoJSON, .gpx])
    #expect(
      files.map(\.name) == [
        "2026-03-01T09.geojson", "2026-03-01T09.gpx", "2026-03-01T10.geojson", "2026-03-01T10.gpx",
        "2026-03-01T11.geojson", "2026-03-01T11.gpx",
      ])
    #expect(files.map(\.lines.count) == [1, 1, 2, 2, 1, 1])
  }

  @Test func everyLineBeginsWithItsMark() throws {
    for file in TrackFile.files(try Self.records(at: [1_772_360_102_250]), TrackFile.Format.allCases) {
      #expect(file.lines.allSatisfy { $0.starts(with: file.mark) && !$0.contains(UInt8(ascii: "\n")) })
    }
  }

  @Test func aTrackPointHasHeightAndTime() throws {
    let files = TrackFile.files(try Self.records(at: [1_772_360_102_250]), [.gpx])
    let line = try #require(files.first?.lines.first)
    #expect(
      String(decoding: line, as: UTF8.self)
        == #"<trkpt lat="52.5418194" lon="13.3619121"><ele>39</ele><time>2026-03-01T10:15:02.250Z</time></trkpt>"#
    )
  }

  @Test func whatHasNoTimeBelongsToNoFile() throws {
    var record = try OwnTracksMessageTests.van()
    record.time = nil
    #expect(TrackFile.files([record], [.geoJSON]).isEmpty)
  }
}
