import Settings

extension Configuration {
  /// The destination of this name; nil after a complaint that names those there are.
  func destination(named name: String) -> DestinationSettings? {
    if let destination = destinations.first(where: { $0.name == name }) { return destination }
    let names = destinations.map(\.name).joined(separator: ", ")
    Console.complain(
      "no destination \"\(name)\"; there \(names.isEmpty ? "is none in the configuration" : "are \(names)")")
    return nil
  }
}
