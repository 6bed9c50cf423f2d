/// The permissions of servers to change settings, as configured.
public struct ServerPermissions: Equatable, Sendable {
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
  public func objection(to key: ServerKey, by setter: String?) -> String? {
    guard let setting = Schema.table[key.path] else { return "no such setting exists" }
    switch setting.fromServer {
    case .never: return "servers cannot change it"
    case .device: if key.destination != nil { return "it applies to the whole device" }
    case .destination: if key.destination == nil { return "it applies to a single destination" }
    }
    if remote.locks(key.path) { return "it is locked (remote.locked)" }
    guard let name = key.destination ?? setter else {
      return permitted.isEmpty ? "no server may change settings (may_set)" : nil
    }
    guard destinations.contains(name) else { return "no such destination is configured any more" }
    return permitted.contains(name) ? nil : "its server may no longer change settings (may_set)"
  }

  /// True if `name` precedes `other` in the file.
  public func ranks(_ name: String, before other: String) -> Bool {
    guard let rank = destinations.firstIndex(of: name), let otherRank = destinations.firstIndex(of: other)
    else { return false }
    return rank < otherRank
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
