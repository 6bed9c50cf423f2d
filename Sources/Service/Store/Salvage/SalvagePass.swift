import Database
import Quantities
import Records

/// Copies the readable records of a damaged log into a new one, page by page.
final class SalvagePass {
  private let directory: StorageDirectory
  private let connection: Connection
  private var cursors: [String: CursorRow] = [:]
  /// The last id that retention has deleted; nil if unknown.
  private var floor: Int64?
  private var inTransaction = 0

  private(set) var records: Int64 = 0
  private(set) var missing: Int64 = 0
  /// The first gaps as text for a message.
  private(set) var gapNames = ""
  private(set) var interruption: String?
  /// Number of records whose id was out of range.
  private(set) var renumbered: Int64 = 0

  init(_ directory: StorageDirectory, _ connection: Connection) {
    self.directory = directory
    self.connection = connection
  }

  /// Reads the committed frames of the write-ahead log, then the file, then the remaining frames.
  ///
  /// If copies of a row differ, the first one is used, except that a dated copy replaces an undated one.
  func run(idFloor: Int64) throws(DatabaseError) {
    let log = PagedFile(directory.writeAheadLog)
    let frames = log.map { WriteAheadLog($0) }
    try connection.run("BEGIN IMMEDIATE")
    if let log, let frames { try read(log, frames: 0..<frames.validFrames) }
    if let file = PagedFile(directory.database) { try read(file) }
    if let log, let frames { try read(log, frames: frames.validFrames..<frames.frameCount) }
    if let floor {
      try connection.run("DELETE FROM record WHERE id <= ?", [.integer(floor)])
      try connection.run("DELETE FROM late WHERE id <= ?", [.integer(floor)])
    }
    let lastPlausible =
      try connection.firstID(
        "SELECT max(id) FROM record WHERE id < ?", [.integer(LogSchema.firstImplausible)]) ?? 0
    for name in cursors.keys { cursors[name]?.keepBelow(LogSchema.firstImplausible, last: lastPlausible) }
    for cursor in cursors.values { try cursor.save(to: connection) }
    try addMissingBoots()
    try renumberImplausible(after: lastPlausible)
    try countGaps(idFloor: idFloor < LogSchema.firstImplausible ? idFloor : 0)
    records = try connection.firstInteger("SELECT count(*) FROM record") ?? 0
    try connection.run("COMMIT")
  }

  private func read(_ file: PagedFile) throws(DatabaseError) {
    var page = [UInt8](repeating: 0, count: LogSchema.pageSize)
    for offset in stride(from: 0, to: file.size, by: LogSchema.pageSize) {
      guard file.read(into: &page, at: offset) else { continue }
      try take(page, isFirst: offset == 0)
    }
    recordInterruption(file)
  }

  private func read(_ file: PagedFile, frames: Range<Int>) throws(DatabaseError) {
    var page = [UInt8](repeating: 0, count: LogSchema.pageSize)
    // Backwards, because the newest copy of a page is used.
    for frame in frames.reversed() {
      guard file.read(into: &page, at: WriteAheadLog.pageOffset(ofFrame: frame)) else { continue }
      try take(page, isFirst: false)
    }
    recordInterruption(file)
  }

  private func recordInterruption(_ file: PagedFile) {
    if file.unreadable > 0 { interruption = "\(file.unreadable) pages could not be read" }
  }

  private func take(_ page: [UInt8], isFirst: Bool) throws(DatabaseError) {
    var rows: [(Int64, [ColumnValue])] = []
    LeafPage.rows(in: page, isFirstOfFile: isFirst) { rows.append(($0, $1)) }
    for (rowid, columns) in rows { try take(rowid, columns) }
    // Limits the size of the new file's write-ahead log.
    guard inTransaction >= 5000 else { return }
    inTransaction = 0
    try connection.run("COMMIT")
    try connection.run("BEGIN IMMEDIATE")
  }

  private func take(_ rowid: Int64, _ columns: [ColumnValue]) throws(DatabaseError) {
    var row = columns
    if row.first == .null { row[0] = .integer(rowid) }
    switch row.count {
    case RecordRow.columnCount: try takeRecord(row)
    case let count where RecordRow.earlierColumnCounts.contains(count):
      try takeRecord(row + [ColumnValue](repeating: .null, count: RecordRow.columnCount - count))
    case CursorRow.columnCount:
      guard let cursor = CursorRow(row) else { return try takeHeld(row) }
      if cursors[cursor.destination].map({ $0.version < cursor.version }) ?? true {
        cursors[cursor.destination] = cursor
      }
    case BootRow.columnCount:
      guard let boot = BootRow(row), boot.number < LogSchema.firstImplausible else { return }
      let known = try connection.firstRow("\(BootRow.selection) WHERE number = ?", [.integer(boot.number)])
      if known.flatMap(BootRow.init)?.offset == nil { try boot.save(to: connection) }
    case Gap.columnCount:
      if let gap = Gap(row) {
        guard gap.last < LogSchema.firstImplausible else { return }
        try gap.save(to: connection)
      } else if let (key, value) = StateRow.read(row), key == .floor, value < LogSchema.firstImplausible {
        floor = max(floor ?? 0, value)
      }
    default: break
    }
  }

  private func takeHeld(_ row: [ColumnValue]) throws(DatabaseError) {
    guard let held = HeldRow(row), held.record.id.rawValue < LogSchema.firstImplausible else { return }
    // The first copy is the newest one.
    let known = try connection.firstInteger(
      "SELECT count(*) FROM held WHERE destination = ? AND id = ?", [row[0], row[1]])
    if known == 0 { try held.save(to: connection) }
  }

  private func takeRecord(_ row: [ColumnValue]) throws(DatabaseError) {
    guard RecordRow.isWhole(row), let id = row[0].integer, id > 0 else { return }
    try connection.run(
      """
      \(RecordRow.insertion) ON CONFLICT (id) DO UPDATE
      SET time_ms = excluded.time_ms, time_quality = excluded.time_quality, late = excluded.late,
        detail = excluded.detail, crc = excluded.crc, trip_ms = excluded.trip_ms, extra_crc = excluded.extra_crc
      WHERE record.time_ms IS NULL AND excluded.time_ms IS NOT NULL AND excluded.boot = record.boot
        AND excluded.moment_ns = record.moment_ns AND excluded.kind = record.kind
      """, row)
    inTransaction += 1
    guard row[6] == .integer(1), row[1] != .integer(RecordRow.Kind.event) else { return }
    try connection.run("INSERT OR IGNORE INTO late (id) VALUES (?)", [.integer(id)])
  }

  /// Assigns the next free ids to records whose id is out of range.
  private func renumberImplausible(after last: Int64) throws(DatabaseError) {
    var next = last + 1
    while let row = try connection.firstRow(
      "SELECT \(RecordRow.columns) FROM record WHERE id >= ? ORDER BY id LIMIT 1",
      [.integer(LogSchema.firstImplausible)])
    {
      try connection.run("DELETE FROM record WHERE id = ?", [row[0]])
      try connection.run("UPDATE OR REPLACE late SET id = ? WHERE id = ?", [.integer(next), row[0]])
      var row = row
      row[0] = .integer(next)
      row[RecordRow.Column.checksum] = RecordRow.checksum(of: row)
      row[RecordRow.Column.extraChecksum] = RecordRow.extraChecksum(of: row)
      row[RecordRow.Column.fieldsChecksum] = RecordRow.fieldsChecksum(of: row)
      try connection.run(RecordRow.insertion, row)
      next += 1
    }
    renumbered = next - last - 1
  }

  /// Adds a row for every boot of which records were read but no row. Without a boot id it never matches the current
  /// boot.
  private func addMissingBoots() throws(DatabaseError) {
    let lost = try connection.rows(
      "SELECT boot, min(id) FROM record WHERE boot NOT IN (SELECT number FROM boot) GROUP BY boot")
    for row in lost {
      guard let number = row[0].id, let first = row[1].id, number < LogSchema.firstImplausible else {
        continue
      }
      try BootRow(number: number, bootID: "", firstID: first).save(to: connection)
    }
  }

  /// Stores a gap for every missing id between the first expected and the last known one.
  private func countGaps(idFloor: Int64) throws(DatabaseError) {
    let highest = cursors.values.reduce(max(floor ?? 0, idFloor)) { highest, cursor in
      max(
        highest, max(cursor.acknowledged, cursor.boundary ?? 0),
        max(cursor.lateAcknowledged, cursor.lateBoundary ?? 0))
    }
    let count = try GapCount(connection, floor: floor, highest: highest)
    try count.save(to: connection)
    try StateRow.save(.floor, count.first - 1, to: connection)
    missing = count.newlyMissing
    gapNames = count.description
  }
}
