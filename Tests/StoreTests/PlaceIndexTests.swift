import Database
import Quantities
import Records
import Testing

@testable import Store

/// The index of visits and trips.
@Suite struct PlaceIndexTests {
  static let time = Timestamp(milliseconds: 1_772_360_102_000)

  static func visit(isOver: Bool) throws -> LogRecord {
    let coordinate = try #require(Coordinate(latitudeE7: 525_200_000, longitudeE7: 134_000_000))
    var visit = VisitRecord(
      coordinate: coordinate, arrival: .utc(time), device: DeviceState(deviceID: "van"))
    if isOver { visit.departure = .utc(time) }
    return DetailRecordTests.record(.visit(visit))
  }

  /// A log with two trips, an arrival and a departure among events. Returns the last id.
  static func fill(_ scratch: Scratch) throws {
    let (log, _) = try scratch.open()
    for _ in 0..<2 {
      _ = try log.append([
        DetailRecordTests.record(.trip(try DetailRecordTests.trip(start: .utc(time), end: .utc(time)))),
        DetailRecordTests.record(.event(EventRecord(.motionBegan))),
      ])
    }
    _ = try log.append([try visit(isOver: false), try visit(isOver: true)])
    try log.close()
  }

  @Test func tripsAndArrivalsAreCountedWithinIDs() throws {
    let scratch = try Scratch()
    try Self.fill(scratch)
    let reader = try LogReader(directory: scratch.path)
    let last = try #require(try reader.ids()).upperBound
    let all = try #require(try reader.places(after: .zero, through: last))
    #expect(all.trips == 2 && all.arrivals == 1 && all.millimetres == 80_000_000_000)
    let later = try #require(try reader.places(after: RecordID(last.rawValue - 2), through: last))
    #expect(later.trips == 0 && later.arrivals == 1)
    let earlier = try #require(try reader.places(after: .zero, through: RecordID(last.rawValue - 2)))
    #expect(earlier.trips == 2 && earlier.arrivals == 0)
  }

  @Test func theCountsUseTheIndex() throws {
    let scratch = try Scratch()
    try Self.fill(scratch)
    let connection = try Connection(path: scratch.path + "/outrider.db", access: .readOnly)
    let plan = try connection.rows(
      "EXPLAIN QUERY PLAN SELECT count(*) FROM record WHERE \(LogSchema.isPlace) AND id > 0 AND id <= 9 AND kind = 3"
    )
    #expect("\(plan)".contains("place"), "\(plan)")
  }

  /// The version before the index wrote this log; it is opened by this one, and then written by the earlier one again.
  @Test func anOlderLogGetsTheIndexAndAnOlderVersionKeepsIt() throws {
    let scratch = try Scratch()
    try Self.fill(scratch)
    do {
      let old = try Connection(path: scratch.path + "/outrider.db", access: .readWrite)
      try old.execute("DROP INDEX place; DELETE FROM migration WHERE name = '\(LogSchema.placeIndex)'")
    }
    #expect(try LogReader(directory: scratch.path).places(after: .zero, through: .highest) == nil)
    try Self.fill(scratch)
    #expect(try LogReader(directory: scratch.path).places(after: .zero, through: .highest)?.trips == 4)
    // An earlier version applies its own steps and ignores the others.
    let earlier = try Connection(path: scratch.path + "/outrider.db", access: .readWrite)
    try earlier.migrate(LogSchema.migrations.filter { $0.name != LogSchema.placeIndex })
    #expect(try earlier.rows("PRAGMA integrity_check") == [[.text("ok")]])
  }

  @Test func recordsOfOtherKindsHaveNoEntry() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    _ = try log.append((0..<50).map { _ in DetailRecordTests.record(.event(EventRecord(.motionBegan))) })
    try log.close()
    let connection = try Connection(path: scratch.path + "/outrider.db", access: .readOnly)
    #expect(
      try connection.firstInteger("SELECT count(*) FROM record INDEXED BY place WHERE \(LogSchema.isPlace)")
        == 0)
  }
}
