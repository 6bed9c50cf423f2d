/// Where a setting stands.
public struct SettingsPlace: Equatable, Sendable {
  /// The file, or `--set` for the command line; empty where no file is concerned.
  public var file: String
  /// From 1; nil where the key has no place of its own in a text.
  public var line: Int?
  /// From 1, in Unicode scalars; for `--set` counted in the value.
  public var column: Int?
  /// Dotted path, as in `destinations[0].token`; empty for the file as a whole. The name of a header that is no such
  /// name is hidden: its value may stand in it.
  public var path: String

  public init(file: String, line: Int? = nil, column: Int? = nil, path: String = "") {
    self.file = file
    self.line = line
    self.column = column
    self.path = Shown.hidingHeaders(path)
  }
}

extension SettingsPlace: CustomStringConvertible {
  /// `config.json5:4:7: storage.directry`
  public var description: String {
    var position = file
    if let line { position += ":\(line)" }
    if let column { position += ":\(column)" }
    return [position, path].filter { !$0.isEmpty }.joined(separator: ": ")
  }
}
