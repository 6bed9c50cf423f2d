/// The permissions of servers to change settings, as configured.
public struct ServerPermissions: Equatable, Sendable {
  /// The reason why a value that a server has set does not apply.
  public enum Objection: Hashable, Sendable {
    case unknownSetting
    /// Servers cannot change the setting at all.
    case notForServers
    case appliesToDevice, appliesToDestination
    case locked
    /// Nothing is known about the server, and no server may change settings.
    case noServerPermitted
    case unconfiguredDestination
    case notPermitted
  }

  /// The destinations in the order of the file.
  private var destinations: [String]
  /// The destinations whose servers may change settings.
  private var permitted: Set<String>
  private var remote: RemoteSettings

  public init(_ configuration: Configuration) {
    destinations = configuration.destinations.map(\.name)
    permitted = Set(destinations.filter(configuration.maySet))
    remote = configuration.remote
  }

  /// The reason why a value that a server has set does not apply; nil if it does. `setter` is the destination of the server;
  /// if it is unknown (nil), the value applies while any server may change settings.
  public func objection(to key: ServerKey, by setter: String?) -> Objection? {
    guard let setting = Schema.table[key.path] else { return .unknownSetting }
    switch setting.fromServer {
    case .never: return .notForServers
    case .device: if key.destination != nil { return .appliesToDevice }
    case .destination: if key.destination == nil { return .appliesToDestination }
    }
    if remote.locks(key.path) { return .locked }
    guard let name = key.destination ?? setter else { return permitted.isEmpty ? .noServerPermitted : nil }
    guard destinations.contains(name) else { return .unconfiguredDestination }
    return permitted.contains(name) ? nil : .notPermitted
  }

  /// True if `name` precedes `other` in the file.
  public func ranks(_ name: String, before other: String) -> Bool {
    guard let rank = destinations.firstIndex(of: name), let otherRank = destinations.firstIndex(of: other)
    else { return false }
    return rank < otherRank
  }
}

extension ServerPermissions.Objection: CustomStringConvertible {
  /// The reason for people.
  public var description: String {
    switch self {
    case .unknownSetting: "no such setting exists"
    case .notForServers: "servers cannot change it"
    case .appliesToDevice: "it applies to the whole device"
    case .appliesToDestination: "it applies to a single destination"
    case .locked: "it is locked (remote.locked)"
    case .noServerPermitted: "no server may change settings (may_set)"
    case .unconfiguredDestination: "no such destination is configured any more"
    case .notPermitted: "its server may no longer change settings (may_set)"
    }
  }
}

extension StoredLayers {
  /// The layers without values that servers may not set.
  func applyingPermissions(_ permissions: ServerPermissions) -> StoredLayers {
    var layers = self
    layers.server = server.filter { permissions.objection(to: $0.key, by: setters[$0.key]) == nil }
    return layers
  }
}
