import EventLoop
import FleetPolicy
import FleetRecords
import PostgreSQL
import Quantities

/// One connection that commits groups, one at a time.
final class GroupWriter {
  let connection: PostgresConnection
  private let loop: EventLoop
  private let requestTime: Duration
  private let tables = GroupTables()
  /// The uploads of the transaction in progress.
  private(set) var group: [Submission] = []

  /// `onFree` is called when the connection is available again.
  init(
    database: String, loop: EventLoop, requestTime: Duration = PostgresRequest.usualLimit,
    onFree: @escaping () -> Void
  ) {
    (self.loop, self.requestTime) = (loop, requestTime)
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
    let commands = [FleetErasures.sharedLock] + filled.map(\.command) + states.commands + bodies
    connection.perform(.transaction(commands, limit: requestTime)) { [weak self] result in
      guard let self else { return }
      self.group = []
      completion(
        result.map { results in
          Self.receipts(
            for: group, filled, Array(results.dropFirst()), repeated,
            logPosition: states.logPosition.map { $0 + filled.count })
        })
    }
  }

  /// Writes a row without a change, and calls the completion with the fault if the database does not accept it.
  func test(completion: @escaping (WriteFault?) -> Void) {
    let command = PostgresCommand(
      """
      WITH step AS (UPDATE outrider.migration SET done = done WHERE name = $1::text RETURNING 1)
      SELECT (SELECT count(*) FROM step), getdatabaseencoding()::text, (SELECT count(*) FROM outrider.access('{}'))
      """, [.text(FleetSchema.lastStep)])
    let start = loop.now
    connection.perform(.transaction([command], limit: requestTime)) { [loop, requestTime] result in
      completion(Self.fault(result, isLate: loop.now - start >= requestTime))
    }
  }

  private static func fault(
    _ result: Result<[QueryResult], PostgresError>, isLate: Bool
  ) -> WriteFault? {
    switch result {
    case .success(let results):
      if let encoding = results.first?.text(0, 1), encoding != FleetSchema.encoding {
        return .encoding(encoding)
      }
      return results.first?.integer(0, 0) == 0 ? .oldTables(missing: FleetSchema.lastStep) : nil
    case .failure(.rejected(let answer)): return WriteFault(state: answer.state)
    case .failure(.unreachable), .failure(.interrupted): return isLate ? .unconfirmed : .unreachable
    case .failure(.invalid): return .rejected(state: "")
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
