import Settings

/// The board that the program carries in itself: no hardware at all. A file of the same name takes its place.
enum BuiltInBoard {
  static let name = "simulator"

  static let file = SourceText(
    name: "\(name) (built in)",
    bytes: Array("{ title: \"Simulated hardware\", supply: \"mains\" }".utf8))
}
