import FleetRecords
import PostgreSQL
import Quantities

/// The columns of one table for a group of uploads, and the statement that inserts them.
///
/// The buffers are used for one group after the other.
final class RowTable {
  /// A row of a group: its key, and where its values are.
  struct Row {
    let device: Int32
    let id: RowID
    let submission: Int32
    let index: Int32

    /// Rows with equal keys in the order of their uploads.
    static func precedes(_ a: Row, _ b: Row) -> Bool {
      if a.device != b.device { return a.device < b.device }
      if a.id.time != b.id.time { return a.id.time < b.id.time }
      if a.id.record != b.id.record { return a.id.record < b.id.record }
      return a.submission != b.submission ? a.submission < b.submission : a.index < b.index
    }

    static func hasSameKey(_ a: Row, _ b: Row) -> Bool {
      a.device == b.device && a.id.time == b.id.time && a.id.record == b.id.record
    }
  }

  let columns: [ArrayColumn]
  private let sql: String
  /// The rows of the group, sorted by key, each key once.
  private(set) var rows: [Row] = []
  let name: String

  init(_ table: String, _ columns: [(name: String, type: ArrayColumn.Element)]) {
    name = table
    self.columns = columns.map { ArrayColumn($0.type) }
    let names = columns.map(\.name).joined(separator: ", ")
    let arrays = columns.enumerated().map { "$\($0.offset + 1)::\($0.element.type)[]" }.joined(
      separator: ", ")
    let devices = columns.firstIndex { $0.name == "device" }.map { "$\($0 + 1)::int4[]" } ?? "'{}'"
    // The keys of the inserted rows are returned only if some were known, or erased.
    sql = """
      WITH added AS (
        INSERT INTO outrider.\(table) (\(names)) SELECT i.* FROM unnest(\(arrays)) AS i (\(names))
        WHERE NOT \(FleetErasures.condition(devices: devices, record: "i.record"))
        ON CONFLICT DO NOTHING RETURNING device, time, record)
      SELECT total.n, added.device, added.time, added.record
      FROM (SELECT count(*) AS n FROM added) AS total LEFT JOIN added ON total.n < $\(columns.count + 1)::bigint
      """
  }

  /// Begins a group. Counts in `known` the rows that occur twice in it, by upload.
  func begin(_ all: [Row], known: inout [Int]) {
    for column in columns { column.removeAll() }
    rows = all
    let isSorted = zip(all, all.dropFirst()).allSatisfy { Row.precedes($0, $1) }
    if !isSorted { rows.sort(by: Row.precedes) }
    let hasTwins = zip(rows, rows.dropFirst()).contains { Row.hasSameKey($0, $1) }
    guard hasTwins else { return }
    var unique: [Row] = []
    unique.reserveCapacity(rows.count)
    for row in rows {
      if let last = unique.last, Row.hasSameKey(last, row) {
        known[Int(row.submission)] += 1
      } else {
        unique.append(row)
      }
    }
    rows = unique
  }

  var command: PostgresCommand {
    PostgresCommand(sql, columns.map { .array($0) } + [.int8(Int64(rows.count))])
  }

  /// Counts the rows that were inserted and those that were known, by upload.
  func count(_ result: QueryResult, saved: inout [Int], known: inout [Int]) {
    let total = result.integer(0, 0) ?? 0
    guard total < Int64(rows.count) else {
      for row in rows { saved[Int(row.submission)] += 1 }
      return
    }
    struct Key: Hashable {
      let device: Int64
      let id: RowID
    }
    var added: Set<Key> = []
    for row in 0..<result.rowCount {
      guard let device = result.integer(row, 1), let time = result.time(row, 2),
        let record = result.integer(row, 3)
      else { continue }
      added.insert(Key(device: device, id: RowID(time: time, record: record)))
    }
    for row in rows {
      if added.contains(Key(device: Int64(row.device), id: row.id)) {
        saved[Int(row.submission)] += 1
      } else {
        known[Int(row.submission)] += 1
      }
    }
  }
}
