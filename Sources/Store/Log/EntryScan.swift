import Database
import Records

/// Reads the entries of a log in their order, and notes those that fail their checksum and the numbers without one.
struct EntryScan {
  /// The last number that was passed.
  private(set) var passed: Int64
  private(set) var damaged: [RecordID] = []
  /// Runs of numbers without an entry, known gaps included.
  private(set) var holes: [Gap] = []
  /// Without a floor nothing says where the log begins.
  private var hasBegun: Bool

  /// Begins behind `passed`. `floor` is the highest number that retention has deleted.
  init(after passed: Int64, floor: Int64?) {
    self.passed = max(passed, floor ?? 0)
    hasBegun = self.passed > 0 || floor != nil
  }

  /// Reads up to `limit` entries; false at the end of the log. Throws ``Database/DatabaseError/Kind/damaged`` if the
  /// order of the entries turns back.
  mutating func read(_ limit: Int, from connection: Connection) throws(DatabaseError) -> Bool {
    var count = 0
    let statement = try connection.statement(
      "SELECT \(RecordRow.columns) FROM record WHERE id > ? ORDER BY id LIMIT ?")
    try statement.bind([.integer(passed), .integer(Int64(limit))])
    defer { statement.reset() }
    while try statement.step() {
      let row = statement.values
      guard let id = row.first?.id, id > passed else {
        throw .damaged(path: connection.path, "the order of the records turns back behind \(passed)")
      }
      pass(through: id - 1)
      if case .damaged = RecordRow.read(row) { damaged.append(RecordID(id)) }
      passed = id
      count += 1
    }
    return count == limit
  }

  /// The numbers up to `last` have no entry.
  mutating func pass(through last: Int64) {
    guard last >= passed else { return }
    if last > passed, hasBegun { holes.append(Gap(first: passed + 1, last: last)) }
    (passed, hasBegun) = (last, true)
  }
}

extension Gap {
  /// The parts of these runs of numbers that are in no gap.
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
