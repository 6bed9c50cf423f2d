/// The layer that gave a setting its value. A later one overrides an earlier one.
public enum Origin: UInt8, Comparable, Sendable, CaseIterable {
  case `default`
  /// The board file.
  case board
  /// The preset of `usage_profile`.
  case profile
  /// The configuration file.
  case file
  /// The server that receives the records, through `set` in its response.
  case server
  /// The operator, through `outrider set`.
  case `operator`
  /// `--set KEY=VALUE` on the command line.
  case override

  public static func < (a: Origin, b: Origin) -> Bool { a.rawValue < b.rawValue }

  public var word: StaticString {
    switch self {
    case .default: "default"
    case .board: "board"
    case .profile: "profile"
    case .file: "file"
    case .server: "server"
    case .operator: "operator"
    case .override: "--set"
    }
  }
}
