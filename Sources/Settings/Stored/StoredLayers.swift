/// What was set while the logger ran, beside its files: values as `--set KEY=VALUE` takes them.
public struct StoredLayers: Equatable, Sendable {
  /// What servers have set, proven or not.
  public var server: [ServerKey: String] = [:]
  /// Whose server each of them was, where that is known.
  public var setters: [ServerKey: String] = [:]
  /// What the operator has set, by dotted path.
  public var `operator`: [String: String] = [:]

  public init() {}

  /// The name that stands for the operator's layer in messages.
  static let operatorName = "outrider set"
  static let serverName = "set by a server"
}

/// A setting that a server has set: for the device, or for the destination that is its own.
public struct ServerKey: Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
  /// Dotted.
  public var path: String
  /// Nil: the whole device.
  public var destination: String?

  public init(_ path: String, destination: String? = nil) {
    self.path = path
    self.destination = destination
  }

  /// It says which records are sent.
  public var isLoggingMode: Bool {
    path == Schema.loggingMode.path || path == Schema.tripLoggingMode.path
  }

  public static func < (a: ServerKey, b: ServerKey) -> Bool {
    (a.path, a.destination ?? "") < (b.path, b.destination ?? "")
  }

  /// The path alone: whose it is the reader knows.
  public var description: String { path }
}
