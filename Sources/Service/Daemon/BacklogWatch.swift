import Records
import Store

/// Detects long queues of destinations. It reports a backlog when it begins and when it ends.
struct BacklogWatch: Equatable {
  /// Length of a queue in records at which a backlog starts; nearly three hours at one record a second.
  static let most = 10_000
  /// Length of a queue in records below which a backlog ends.
  static let few = most / 2

  /// The names of destinations with a backlog.
  private(set) var over: Set<String> = []

  /// Processes the present queues; returns the events of backlogs that began or ended.
  mutating func take(_ destinations: [LogStatus.Destination]) -> [EventRecord] {
    over.formIntersection(destinations.map(\.name))
    return destinations.compactMap { destination in
      let isOver = over.contains(destination.name)
      guard isOver ? destination.queued < Self.few : destination.queued >= Self.most else { return nil }
      if isOver { over.remove(destination.name) } else { over.insert(destination.name) }
      return EventRecord(
        isOver ? .backlogUnder : .backlogOver,
        [.destination: .text(destination.name), .count: .integer(Int64(destination.queued))])
    }
  }
}
