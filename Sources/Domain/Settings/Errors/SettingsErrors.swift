/// All errors in the settings, reported together.
public struct SettingsErrors: Error, Equatable, Sendable {
  /// The errors in the order board file, configuration file, overrides; within a file in the order of its text. There are
  /// at most 50 of each source. If every source is valid, the conflicts between them.
  public let errors: [SettingsError]

  public init(_ errors: [SettingsError]) { self.errors = errors }
}

extension SettingsErrors: CustomStringConvertible {
  /// The errors, one per line.
  public var description: String { errors.map(\.description).joined(separator: "\n") }
}
