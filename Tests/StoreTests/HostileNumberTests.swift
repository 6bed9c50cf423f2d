import Database
import Quantities
import Records
import Testing

@testable import Store

/// Whatever numbers a file contains under valid checksums: the logger starts and stores new records, and readers return
/// a result or an error.
@Suite struct HostileNumberTests {
  static let values: [Int64] = [
    .min, -1, RecordID.highest.rawValue, RecordID.highest.rawValue + 1, 1 << 62, .max - 1, .max,
  ]

  /// A table with its columns, and a function that sets the checksum of a row.
  struct Table: Sendable, CustomTestStringConvertible {
    var name: String
    var key: String
    var columns: String
    var checksum: @Sendable (inout [ColumnValue]) -> Void

    var testDescription: String { name }

    init(_ name: String, key: String, columns: String, label: String) {
      self.init(name, key: key, columns: columns) { row in
        row[row.count - 1] = .integer(Checksum.of(row[..<(row.count - 1)], label: label))
      }
    }

    init(
      _ name: String, key: String, columns: String,
      checksum: @escaping @Sendable (inout [ColumnValue]) -> Void
    ) {
      (self.name, self.key, self.columns, self.checksum) = (name, key, columns, checksum)
    }

    var columnNames: [String] {
      columns.split(separator: ",").map { String($0.drop { $0 == " " }) }
    }
  }

  static let tables = [
    Table("record", key: "id", columns: RecordRow.columns) { row in
      row[RecordRow.Column.checksum] = RecordRow.checksum(of: row)
      row[RecordRow.Column.extraChecksum] = RecordRow.extraChecksum(of: row)
    },
    Table("late", key: "id", columns: "id") { _ in },
    Table("gap", key: "first", columns: "first, last, crc", label: "gap"),
    Table(
      "cursor", key: "destination",
      columns:
        "destination, version, acknowledged, border, late_acknowledged, late_border, batch_size, crc",
      label: "cursor"),
    Table(
      "boot", key: "number", columns: "number, boot_id, first_id, offset_ms, quality, crc", label: "boot"),
    Table("state", key: "key", columns: "key, value, crc", label: "state"),
  ]

  /// A log with every kind of record, late ones, a gap and a cursor with a batch boundary.
  private static func filled() throws -> Scratch {
    let scratch = try Scratch()
    let (log, _) = try scratch.open()
    let coordinate = try #require(Coordinate(latitude: 52, longitude: 13))
    let device = DeviceState(deviceID: "van", batteryState: .unplugged, batteryPercent: 80, wifi: "")
    let start = Instant.boot(Moment(nanoseconds: 1_000_000_000))
    let trip = TripRecord(
      mode: .car, start: start, end: .boot(Moment(nanoseconds: 9_000_000_000)), durationMilliseconds: 8000,
      distanceMillimetres: 4000, isManual: false, ending: .stop, device: device)
    let bodies: [LogRecord.Body] = [
      .visit(VisitRecord(coordinate: coordinate, arrival: start, departure: nil, device: device)),
      .trip(trip),
      .action(ActionRecord(.willTerminate, at: coordinate, device: device)),
    ]
    _ = try log.register(batchSizes: ["home": 5])
    _ = try log.append((1...3).map { fix($0, dated: false) })
    _ = try log.date(offset: 1_780_000_000_000, quality: .receiver)
    _ = try log.append((4...20).map { fix($0) } + [event(.clockSet)])
    _ = try log.append(
      bodies.map { LogRecord(moment: .zero, time: nil, timeQuality: .none, body: $0) })
    try Gap(first: 2, last: 2).save(to: log.connection)
    try log.connection.run("DELETE FROM record WHERE id = 2")
    try log.connection.run("DELETE FROM late WHERE id = 2")
    try log.commitBatchBoundary("home", through: RecordID(8), late: false)
    try log.keep("note", as: .tracker)
    try log.close()
    return scratch
  }

  /// Writes `value` into one column of all rows, or into the key of the last row, with a valid checksum.
  private static func spoil(_ scratch: Scratch, _ table: Table, column: Int, value: Int64) throws -> Bool {
    let connection = try Connection(path: scratch.path + "/outrider.db")
    let isKey = table.columnNames[column] == table.key
    let order = isKey ? "ORDER BY \(table.key) DESC LIMIT 1" : ""
    var hasChanged = false
    try connection.run("BEGIN IMMEDIATE")
    for old in try connection.rows("SELECT \(table.columns) FROM \(table.name) \(order)") {
      var row = old
      if case .text = row[column] { continue }
      row[column] = .integer(value)
      table.checksum(&row)
      let placeholders = Array(repeating: "?", count: row.count).joined(separator: ", ")
      let key = table.columnNames.firstIndex(of: table.key) ?? 0
      try connection.run("DELETE FROM \(table.name) WHERE \(table.key) = ?", [old[key]])
      try connection.run("INSERT INTO \(table.name) (\(table.columns)) VALUES (\(placeholders))", row)
      hasChanged = true
    }
    try connection.run("COMMIT")
    return hasChanged
  }

  /// Calls all functions of a reader in another process; errors are acceptable.
  private static func read(_ scratch: Scratch) {
    guard let reader = try? LogReader(directory: scratch.path) else { return }
    _ = try? reader.status()
    _ = try? reader.savedStates()
    _ = try? reader.newestLocation()
    for time in [Int64.min, 0, 1_780_000_005_000, .max] {
      _ = try? reader.lastID(before: Timestamp(milliseconds: time))
      try? reader.read(from: Timestamp(milliseconds: time)) { stored in
        _ = stored.record.time?.iso8601()
        _ = stored.record.dated(offsetMilliseconds: 1_780_000_000_000, quality: .receiver)
        return true
      }
    }
  }

  /// Runs all jobs of a writer, and expects to find the records that it wrote afterwards.
  private static func log(_ scratch: Scratch, boot: String) throws {
    let writer = LogWriter(directory: scratch.path, allowVolatile: true, options: .test(boot: boot))
    let limits = RetentionLimits(age: .seconds(86_400 * 365), bytes: 1 << 30)
    let fresh = [fix(31), fix(32, dated: false)]
    var answers: [StoreAnswer] = []
    let jobs: [StoreJob] = [
      .configure(limits), .register(batchSizes: ["home": 5]), .append(fresh, urgent: true),
      .batch(destination: "home", BatchRequest(size: 5)),
      .batch(
        destination: "home", BatchRequest(after: BatchPosition(through: RecordID(8), isLate: false), size: 5)),
      .date(offset: 1_780_000_000_000, quality: .receiver),
      .acknowledge(destination: "home", through: RecordID(8), late: false, newBatchSize: 4),
      .acknowledge(destination: "home", through: RecordID(3), late: true, newBatchSize: nil), .status(),
      .newestLocation, .expire(now: Timestamp(milliseconds: 1_780_000_100_000)),
      .drop(destination: "home"), .append([fix(33)], urgent: true), .examine, .close,
    ]
    for job in jobs { answers += writer.handle(job).map(\.answer) }
    #expect(answers.last == .closed)
    let committed = answers.filter { if case .committed = $0 { true } else { false } }
    #expect(committed.count == 2, "\(answers)")
    let reader = try LogReader(directory: scratch.path)
    let moments = try reader.records(after: .zero, limit: 1000).map(\.record.moment)
    #expect(moments.suffix(40).filter { [31, 32, 33].contains($0.nanoseconds / 1_000_000_000) }.count == 3)
    _ = try reader.status()
  }

  @Test(arguments: tables)
  func noNumberInTheFileStopsTheLoggerOrAReader(table: Table) throws {
    let whole = try Self.filled()
    var spoiled = 0
    for (number, value) in Self.values.enumerated() {
      for column in table.columnNames.indices {
        let scratch = try whole.copy()
        guard try Self.spoil(scratch, table, column: column, value: value) else { continue }
        spoiled += 1
        Self.read(scratch)
        try Self.log(scratch, boot: number % 2 == 0 ? "boot-a" : "boot-b")
        // The next start finds an intact log.
        let (again, report) = try scratch.open(boot: "boot-c")
        #expect(report.condition == .clean, "\(table.name) \(table.columnNames[column]) \(value)")
        again.abandon()
      }
    }
    #expect(spoiled >= Self.values.count)
  }

  @Test func aRecordWithAnImplausibleIDGetsAnotherOne() throws {
    let scratch = try Scratch()
    do {
      let (log, _) = try scratch.open()
      _ = try log.append((1...9).map { fix($0) })
      var row = try #require(
        try log.connection.firstRow("SELECT \(RecordRow.columns) FROM record WHERE id = 9"))
      row[0] = .integer(.max - 1)
      row[RecordRow.Column.checksum] = RecordRow.checksum(of: row)
      try log.connection.run("DELETE FROM record WHERE id = 9")
      try log.connection.run(RecordRow.insertion, row)
      try log.close()
    }
    let (log, report) = try scratch.open()
    guard case .salvaged(let salvage) = report.condition else {
      Issue.record("\(report.condition)")
      return
    }
    #expect(salvage.records == 9 && salvage.missing == 0 && salvage.renumbered == 1)
    #expect(salvage.cause.contains("\(Int64.max - 1)"))
    #expect(try log.batch(size: 20)?.records.map(\.record) == (1...9).map { fix($0) })
    #expect(try log.append([fix(10)])?.ids.lowerBound == RecordID(11), "after the event of the salvage")
  }
}
