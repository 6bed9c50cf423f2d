import Database
import Records

/// Reads the records of a log in order, and collects damaged records and ids without a record.
struct EntryScan {
  /// The last id that the scan has passed.
  private(set) var passed: Int64
  private(set) var damaged: [RecordID] = []
  /// Runs of ids without a record, known gaps included.
  private(set) var holes: [Gap] = []
  /// True if the start of the log is known; without a floor the first record shows it.
  private var hasBegun: Bool

  /// Starts after id `passed`. `floor` is the highest id that retention has deleted.
  init(after passed: Int64, floor: Int64?) {
    self.passed = max(passed, floor ?? 0)
    hasBegun = self.passed > 0 || floor != nil
  }

  /// Reads up to `limit` records; false at the end of the log.
  ///
  /// Throws ``Database/DatabaseError/Kind/damaged`` if the records are out of order.
  mutating func read(_ limit: Int, from connection: Connection) throws(DatabaseError) -> Bool {
    var count = 0
    let statement = try connection.statement(
      "SELECT \(RecordRow.columns) FROM record WHERE id > ? ORDER BY id LIMIT ?")
    try statement.bind([.integer(passed), .integer(Int64(limit))])
    defer { statement.reset() }
    while try statement.step() {
      let row = statement.values
      guard let id = row.first?.id, id > passed else {
        throw .damaged(path: connection.path, "the records are out of order after id \(passed)")
      }
      pass(through: id - 1)
      if RecordRow.isDamaged(row) { damaged.append(RecordID(id)) }
      passed = id
      count += 1
    }
    return count == limit
  }

  /// Records that the ids up to `last` have no record.
  mutating func pass(through last: Int64) {
    guard last >= passed else { return }
    if last > passed, hasBegun { holes.append(Gap(first: passed + 1, last: last)) }
    (passed, hasBegun) = (last, true)
  }
}

extension Gap {
  /// The parts of these runs of ids that are not in a known gap.
  static func unknown(of holes: [Gap], _ connection: Connection) throws(DatabaseError) -> [Gap] {
    var fresh: [Gap] = []
    for hole in holes {
      var next = hole.first
      let known = try connection.rows(
        "SELECT first, last, crc FROM gap WHERE last >= ? AND first <= ? ORDER BY first",
        [.integer(hole.first), .integer(hole.last)])
      for gap in known.compactMap({ Gap($0) }) {
        if gap.first > next { fresh.append(Gap(first: next, last: gap.first - 1)) }
        next = max(next, gap.last + 1)
      }
      if next <= hole.last { fresh.append(Gap(first: next, last: hole.last)) }
    }
    return fresh
  }
}
