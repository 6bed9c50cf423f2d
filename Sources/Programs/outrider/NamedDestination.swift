import Settings

extension Configuration {
  /// Returns the destination of this name; nil, after a message that lists the configured names, if there is none.
  func destination(named name: String) -> DestinationSettings? {
    if let destination = destinations.first(where: { $0.name == name }) { return destination }
    let names = destinations.map(\.name).joined(separator: ", ")
    Console.complain(
      "no destination \"\(name)\"; configured: \(names.isEmpty ? "none" : names)")
    return nil
  }
}
