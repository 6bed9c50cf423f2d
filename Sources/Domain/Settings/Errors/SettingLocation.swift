/// The location of a setting in a file, for messages.
public struct SettingLocation: Equatable, Sendable {
  /// The file, or `--set` for the command line; empty if no file is concerned.
  public var file: String
  /// The line, from 1; nil if the key has no position in a text.
  public var line: Int?
  /// The column, from 1, in Unicode scalars; for `--set` counted in the value.
  public var column: Int?
  /// The dotted path, as in `destinations[0].token`; empty for the whole file. An invalid header name is hidden because it
  /// can contain the value.
  public var path: String

  public init(file: String, line: Int? = nil, column: Int? = nil, path: String = "") {
    self.file = file
    self.line = line
    self.column = column
    self.path = Shown.hidingHeaders(path)
  }
}

extension SettingLocation: CustomStringConvertible {
  /// Text for messages, as in `config.json5:4:7: storage.directry`.
  public var description: String {
    var position = file
    if let line { position += ":\(line)" }
    if let column { position += ":\(column)" }
    return [position, path].filter { !$0.isEmpty }.joined(separator: ": ")
  }
}
