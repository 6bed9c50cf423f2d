import FleetPolicy
import FleetRecords
import PostgreSQL
import Quantities

/// Makes the partitions that uploads need, each in a transaction of its own, before the group.
final class PartitionKeeper {
  private enum Parent: String, CaseIterable {
    case location, event, report, batch
  }

  private let connection: PostgresConnection
  private var plans: [Parent: PartitionPlan]
  private var isLoaded = false
  /// True while partitions are made, or their list is read.
  private var isBusy = false
  private var waiting: [() -> Void] = []

  init(_ connection: PostgresConnection, locations: PartitionWidth) {
    self.connection = connection
    plans = [
      .location: PartitionPlan(locations), .event: PartitionPlan(.month), .report: PartitionPlan(.month),
      .batch: PartitionPlan(.month),
    ]
  }

  /// The list of partitions may be wrong; it is read again before it is used.
  func invalidate() { isLoaded = false }

  /// Calls the completion when all partitions exist, at once if they do; with false if they cannot be made.
  ///
  /// One change at a time: at midnight, all devices need the same partition. Uploads that need no change do not wait.
  func ensure(for upload: Upload, received: Timestamp, completion: @escaping (Bool) -> Void) {
    if isLoaded, missing(for: upload, received: received).isEmpty { return completion(true) }
    guard !isBusy else {
      waiting.append { [weak self] in self?.ensure(for: upload, received: received, completion: completion) }
      return
    }
    guard isLoaded else {
      isBusy = true
      return load { [weak self] isDone in
        guard let self else { return }
        if isDone {
          ensure(for: upload, received: received, completion: completion)
        } else {
          completion(false)
        }
        proceed()
      }
    }
    isBusy = true
    make(missing(for: upload, received: received), received.day) { [weak self] isDone in
      // Whatever could not be made shows in the group.
      completion(isDone)
      self?.proceed()
    }
  }

  private func proceed() {
    let calls = waiting
    waiting = []
    for call in calls { call() }
  }

  private func missing(for upload: Upload, received: Timestamp) -> [Parent: Set<Int>] {
    var missing: [Parent: Set<Int>] = [:]
    func note(_ parent: Parent, _ plan: PartitionPlan?, _ times: some Sequence<Timestamp>) {
      var last: Int?
      for time in times {
        let day = time.day
        if day == last { continue }
        last = day
        if plan?.covers(day) != true { missing[parent, default: []].insert(day) }
      }
    }
    note(.location, plans[.location], upload.locations.lazy.map(\.id.time))
    note(.event, plans[.event], upload.events.lazy.map(\.id.time))
    if upload.report != nil { note(.report, plans[.report], [received]) }
    if upload.body != nil { note(.batch, plans[.batch], [received]) }
    return missing
  }

  private func load(_ completion: @escaping (Bool) -> Void) {
    let command = PostgresCommand("SELECT parent, lower, upper FROM outrider.partition")
    connection.perform(.statement(command)) { [weak self] result in
      guard let self else { return }
      isBusy = false
      if case .success(let results) = result, let rows = results.first {
        take(rows)
        completion(true)
      } else {
        completion(false)
      }
    }
  }

  private func take(_ rows: QueryResult) {
    var bounds: [Parent: [(lower: Timestamp, upper: Timestamp)]] = [:]
    for row in 0..<rows.rowCount {
      guard let parent = rows.text(row, 0).flatMap(Parent.init), let lower = rows.time(row, 1),
        let upper = rows.time(row, 2)
      else { continue }
      bounds[parent, default: []].append((lower, upper))
    }
    for parent in Parent.allCases { plans[parent]?.replace(bounds[parent] ?? []) }
    isLoaded = true
  }

  private func make(
    _ missing: [Parent: Set<Int>], _ today: Int, _ completion: @escaping (Bool) -> Void
  ) {
    var commands: [PostgresCommand] = []
    for parent in Parent.allCases {
      for range in plans[parent]?.missing(missing[parent] ?? [], today: today) ?? [] {
        commands.append(
          PostgresCommand(
            "SELECT outrider.make_partition($1::text, date '1970-01-01' + $2::int4, $3::int4)",
            [
              .text(parent.rawValue), .int4(Int32(clamping: range.firstDay)),
              .int4(Int32(clamping: range.days)),
            ]))
      }
    }
    makeNext(commands[...], completion)
  }

  /// The partitions of one transaction. Each locks itself and its index, and a server has room for a few thousand locks.
  private static let mostTogether = 20

  /// A partition that another collector has made in another width fails as an overlap; the new list has it then.
  /// Those of a transaction that failed are made one by one.
  private func makeNext(
    _ commands: ArraySlice<PostgresCommand>, together: Int = mostTogether,
    _ completion: @escaping (Bool) -> Void
  ) {
    guard !commands.isEmpty else { return load(completion) }
    let next = commands.prefix(together)
    connection.perform(.transaction(Array(next))) { [weak self] result in
      guard let self else { return }
      switch result {
      case .failure(.unreachable), .failure(.interrupted):
        isBusy = false
        completion(false)
      case .failure where next.count > 1: makeNext(commands, together: 1, completion)
      case .success, .failure: makeNext(commands.dropFirst(next.count), together: together, completion)
      }
    }
  }
}
