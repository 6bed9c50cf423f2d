/// Everything that is wrong with the settings, so that one look mends it all.
public struct SettingsErrors: Error, Equatable, Sendable {
  /// In the order board file, configuration file, overrides; within a file in the order of its text.
  /// At most 50 for each of them. Where each is right by itself, what does not go together.
  public let errors: [SettingsError]

  public init(_ errors: [SettingsError]) { self.errors = errors }
}

extension SettingsErrors: CustomStringConvertible {
  /// One error a line.
  public var description: String { errors.map(\.description).joined(separator: "\n") }
}
