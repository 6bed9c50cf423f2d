import FleetPolicy
import FleetRecords
import PostgreSQL
import Quantities

/// Makes the partitions that uploads need, each in a transaction of its own, before the group.
final class PartitionKeeper {
  private enum Parent: String, CaseIterable {
    case location, event, report
  }

  private let connection: PostgresConnection
  private var plans: [Parent: PartitionPlan]
  private var isLoaded = false
  /// The calls that wait for a list of the partitions or for a new one.
  private var waiting: [(Bool) -> Void] = []

  init(_ connection: PostgresConnection, locations: PartitionWidth) {
    self.connection = connection
    plans = [
      .location: PartitionPlan(locations), .event: PartitionPlan(.month), .report: PartitionPlan(.month),
    ]
  }

  /// The list of partitions may be wrong; it is read again before it is used.
  func invalidate() { isLoaded = false }

  /// Calls the completion when all partitions exist, at once if they do; with false if they cannot be made.
  func ensure(for upload: Upload, received: Timestamp, completion: @escaping (Bool) -> Void) {
    guard isLoaded else {
      return load { [weak self] isDone in
        guard let self, isDone else { return completion(false) }
        make(missing(for: upload, received: received), received.day, completion)
      }
    }
    let absent = missing(for: upload, received: received)
    guard !absent.isEmpty else { return completion(true) }
    make(absent, received.day, completion)
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
    return missing
  }

  private func load(_ completion: @escaping (Bool) -> Void) {
    waiting.append(completion)
    guard waiting.count == 1 else { return }
    let command = PostgresCommand("SELECT parent, lower, upper FROM outrider.partition")
    connection.perform(.statement(command)) { [weak self] result in
      guard let self else { return }
      if case .success(let results) = result, let rows = results.first { take(rows) }
      let calls = waiting
      waiting = []
      for call in calls { call(isLoaded) }
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

  /// A partition that another collector has made in another width fails as an overlap; the new list has it then.
  private func makeNext(_ commands: ArraySlice<PostgresCommand>, _ completion: @escaping (Bool) -> Void) {
    guard let command = commands.first else { return load(completion) }
    connection.perform(.transaction([command])) { [weak self] result in
      guard let self else { return }
      if case .failure(.unreachable) = result { return completion(false) }
      if case .failure(.interrupted) = result { return completion(false) }
      makeNext(commands.dropFirst(), completion)
    }
  }
}
