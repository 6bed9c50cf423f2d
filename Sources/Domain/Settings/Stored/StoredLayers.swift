/// The layers of values that were set at run time, as `--set KEY=VALUE` takes them.
public struct StoredLayers: Equatable, Sendable {
  /// The values that servers have set, proven or not.
  public var server: [ServerKey: String] = [:]
  /// The destination of the server that set each of them, if known.
  public var setters: [ServerKey: String] = [:]
  /// The values that the operator has set, by dotted path.
  public var `operator`: [String: String] = [:]

  public init() {}

  /// The name of the operator's layer in messages.
  static let operatorName = "outrider set"
  static let serverName = "set by a server"
}

/// A setting that a server has set, for the device or for its own destination.
public struct ServerKey: Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
  /// The dotted path.
  public var path: String
  /// The name of the destination; nil for the whole device.
  public var destination: String?

  public init(_ path: String, destination: String? = nil) {
    self.path = path
    self.destination = destination
  }

  /// True for the settings that select the records to send.
  public var isLoggingMode: Bool {
    path == Schema.loggingMode.path || path == Schema.tripLoggingMode.path
  }

  public static func < (a: ServerKey, b: ServerKey) -> Bool {
    (a.path, a.destination ?? "") < (b.path, b.destination ?? "")
  }

  /// The path alone; the context names the destination.
  public var description: String { path }
}
