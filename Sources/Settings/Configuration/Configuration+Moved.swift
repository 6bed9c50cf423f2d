extension Configuration {
  /// The names of the destinations that `next` has at another address: what waits for them is a question then.
  public func destinationsMoved(in next: Configuration) -> [String] {
    destinations.filter { old in
      next.destinations.contains { $0.name == old.name && $0.url != old.url }
    }.map(\.name)
  }
}
