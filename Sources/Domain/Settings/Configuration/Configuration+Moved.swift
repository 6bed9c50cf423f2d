extension Configuration {
  /// The names of the destinations whose address differs in `next`. Their queues require a decision.
  public func destinationsMoved(in next: Configuration) -> [String] {
    destinations.filter { old in
      next.destinations.contains { $0.name == old.name && $0.url != old.url }
    }.map(\.name)
  }
}
