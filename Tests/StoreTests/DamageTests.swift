import Database
import Quantities
import Records
import Testing

@testable import Store

/// A row that fails its checksum is removed, counted once, and does not block a destination.
@Suite struct DamageTests {
  private func spoil(_ log: LogDatabase, _ change: String, id: Int64) throws {
    try log.connection.run("UPDATE record SET \(change) WHERE id = ?", [.integer(id)])
  }

  private func missingEvents(_ log: LogDatabase) throws -> [ColumnValue] {
    try log.connection.rows("SELECT value FROM event WHERE kind = 'records_missing'").map { $0[0] }
  }

  static let changes = [
    "latitude_e7 = latitude_e7 + 1", "kind = 1", "time_ms = NULL", "late = 1", "boot = 9", "crc = crc + 1",
    "wifi = 'other'", "altitude_mm = NULL", "moment_ns = 0",
  ]

  @Test(arguments: changes)
  func aDamagedRowIsSkippedAndCountedOnce(change: String) throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    _ = try log.append((1...9).map { fix($0) })
    try spoil(log, change, id: 3)
    var damaged: [RecordID] = []
    let batch = try #require(try log.batch(for: "home", BatchRequest(size: 20), damaged: &damaged))
    #expect(damaged == [RecordID(3)])
    #expect(batch.ids == [1, 2, 4, 5, 6, 7, 8, 9])
    #expect(try log.batch()?.ids == batch.ids)
    #expect(try log.batch("other", size: 20)?.ids == batch.ids)
    #expect(try missingEvents(log) == [.integer(1)])
    let status = try log.status()
    #expect(status.missing == 1 && status.count == 9)
    let (again, _) = try scratch.copy().open()
    #expect(try again.batch()?.ids == batch.ids)
    #expect(try missingEvents(again) == [.integer(1)])
  }

  @Test func aFullBatchInFlightKeepsItsBoundary() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    _ = try log.append((1...9).map { fix($0) })
    #expect(try log.batch()?.ids == [1, 2, 3, 4, 5])
    try spoil(log, "wifi = 'x'", id: 2)
    var damaged: [RecordID] = []
    #expect(try log.batch(for: "home", BatchRequest(size: 5), damaged: &damaged)?.ids == [1, 3, 4, 5])
    let (again, _) = try scratch.copy().open()
    let retried = try #require(try again.batch())
    #expect(retried.ids == [1, 3, 4, 5])
    try again.acknowledge(retried)
    #expect(try again.batch()?.ids == [6, 7, 8, 9])
  }

  @Test func manyDamagedRowsDoNotHideTheRowsAfterThem() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    _ = try log.append((1...2500).map { fix($0) })
    try log.connection.run("UPDATE record SET crc = crc + 1 WHERE id <= 2400")
    var damaged: [RecordID] = []
    #expect(try log.batch(for: "home", BatchRequest(size: 10), damaged: &damaged)?.ids == Array(2401...2410))
    #expect(damaged.count == 2400)
    #expect(try log.status().missing == 2400)
  }

  @Test func aValueOfALaterVersionIsNotDamage() throws {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    _ = try log.append((1...3).map { fix($0) })
    var row = try #require(
      try log.connection.firstRow("SELECT \(RecordRow.columns) FROM record WHERE id = 2"))
    row[17] = .integer(200)
    try log.connection.run(
      "UPDATE record SET fix = 200, crc = ? WHERE id = 2", [RecordRow.checksum(of: row)])
    #expect(try log.batch()?.ids == [1, 3])
    #expect(try log.status().missing == 0)
  }

  @Test func aDamagedCursorLeadsToASalvage() throws {
    let scratch = try Scratch()
    do {
      let (log, _) = try scratch.open()
      _ = try log.append((1...9).map { fix($0) })
      try log.acknowledge(try #require(try log.batch()))
      try log.connection.run("UPDATE cursor SET acknowledged = 9")
      try log.close()
    }
    let (log, report) = try scratch.open()
    guard case .salvaged(let salvage) = report.condition else {
      Issue.record("\(report.condition)")
      return
    }
    #expect(salvage.records == 9 && salvage.cause.contains("cursor"))
    // The delivered records are no longer known: sending them again is better than losing some.
    #expect(try log.batch()?.ids.first == 1)
  }
}
