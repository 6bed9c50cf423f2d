import EventLoop
import FleetPolicy
import FleetRecords
import PostgreSQL
import Quantities

/// One connection that commits groups, one at a time.
final class GroupWriter {
  let connection: PostgresConnection
  private let tables = GroupTables()
  /// The uploads of the transaction in progress.
  private(set) var group: [Submission] = []

  /// `onFree` is called when the connection is available again.
  init(database: String, loop: EventLoop, onFree: @escaping () -> Void) {
    connection = PostgresConnection(database, loop: loop) { event in
      if case .connected = event { onFree() }
    }
  }

  var isFree: Bool { group.isEmpty && connection.isIdle }

  /// Commits a group, and calls the completion with a receipt for each upload.
  func commit(
    _ group: [Submission], age: RecordAge, now: Timestamp,
    desired: (AdmittedDevice) -> SettingsExchange.Whole,
    completion: @escaping (Result<[Receipt], PostgresError>) -> Void
  ) {
    self.group = group
    var repeated = [Int](repeating: 0, count: group.count)
    tables.fill(group, age: age, now: now, known: &repeated)
    let states = StateTables(group, age: age, desired: desired)
    let filled = tables.filled
    let bodies = KeptBodies(group).command.map { [$0] } ?? []
    connection.perform(.transaction(filled.map(\.command) + states.commands + bodies)) { [weak self] result in
      guard let self else { return }
      self.group = []
      completion(
        result.map { results in
          Self.receipts(
            for: group, filled, results, repeated, logPosition: states.logPosition.map { $0 + filled.count })
        })
    }
  }

  private static func receipts(
    for group: [Submission], _ tables: [RowTable], _ results: [QueryResult], _ repeated: [Int],
    logPosition: Int?
  ) -> [Receipt] {
    var (saved, known) = ([Int](repeating: 0, count: group.count), repeated)
    for (table, result) in zip(tables, results) { table.count(result, saved: &saved, known: &known) }
    var have: [Int32: Int64] = [:]
    if let logPosition, results.indices.contains(logPosition) {
      let rows = results[logPosition]
      for row in 0..<rows.rowCount {
        guard let log = rows.integer(row, 0), let number = rows.integer(row, 1) else { continue }
        have[Int32(clamping: log)] = number
      }
    }
    return group.indices.map { index in
      Receipt(saved: saved[index], known: known[index], have: group[index].owner?.log.flatMap { have[$0] })
    }
  }
}
