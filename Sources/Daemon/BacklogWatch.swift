import Records
import Store

/// Destinations for which very many records wait: each is said once, and once when far fewer wait.
struct BacklogWatch: Equatable {
  /// Records; nearly three hours at one a second.
  static let most = 10_000
  /// Below this a backlog is over.
  static let few = most / 2

  private(set) var over: Set<String> = []

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
