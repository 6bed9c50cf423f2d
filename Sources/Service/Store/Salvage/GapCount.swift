import Database

/// Finds the ids that a salvaged log lacks, and counts those that were not in a known gap.
struct GapCount {
  /// The first expected id.
  let first: Int64
  /// The missing ids, as sorted ranges.
  private(set) var gaps: [Gap] = []
  /// Number of ids in ``gaps`` that were not in a gap before.
  private(set) var newlyMissing: Int64 = 0

  /// Searches from the first expected id to `highest`. `floor` is the last id that retention has deleted, nil if
  /// unknown.
  init(_ connection: Connection, floor: Int64?, highest: Int64) throws(DatabaseError) {
    let known = try connection.rows(
      "SELECT first, last, crc FROM gap WHERE last > ? ORDER BY first", [.integer(floor ?? 0)]
    )
    .compactMap(Gap.init)
    let highest = max(highest, known.last?.last ?? 0)
    var expected: Int64
    if let floor {
      expected = floor + 1
    } else {
      let lowest = try connection.firstInteger("SELECT min(id) FROM record") ?? highest &+ 1
      expected = min(lowest, known.first?.first ?? lowest)
    }
    first = expected
    let statement = try connection.statement("SELECT id FROM record WHERE id >= ? ORDER BY id")
    try statement.bind([.integer(expected)])
    defer { statement.reset() }
    while try statement.step() {
      guard let id = statement[0].id else { break }
      if expected < id { gaps.append(Gap(first: expected, last: id - 1)) }
      expected = id + 1
    }
    if expected <= highest { gaps.append(Gap(first: expected, last: highest)) }
    newlyMissing = gaps.reduce(0) { $0 + $1.last - $1.first + 1 } - Self.overlap(gaps, known)
  }

  /// The number of ids that are in both lists. Each list is sorted and without overlaps.
  private static func overlap(_ a: [Gap], _ b: [Gap]) -> Int64 {
    var total: Int64 = 0
    var (i, j) = (0, 0)
    while i < a.count, j < b.count {
      total += max(0, min(a[i].last, b[j].last) - max(a[i].first, b[j].first) + 1)
      if a[i].last < b[j].last { i += 1 } else { j += 1 }
    }
    return total
  }

  /// Replaces the gaps in the log by ``gaps``.
  func save(to connection: Connection) throws(DatabaseError) {
    try connection.run("DELETE FROM gap")
    for gap in gaps { try gap.save(to: connection) }
  }

  /// The first gaps as text for a message.
  var description: String {
    let names = gaps.prefix(12).map { $0.first == $0.last ? "\($0.first)" : "\($0.first)–\($0.last)" }
    return names.joined(separator: ", ") + (gaps.count > 12 ? " and others" : "")
  }
}
