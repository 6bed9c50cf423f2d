import Settings

/// The board `simulator`, which is part of the program and has no hardware. A board file of that name replaces it.
enum BuiltInBoard {
  static let name = "simulator"

  static let file = SourceText(
    name: "\(name) (built in)",
    bytes: Array("{ title: \"Simulated hardware\", supply: \"mains\" }".utf8))
}
