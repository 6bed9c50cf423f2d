/// What the settings say of who may set what from afar.
public struct ServerSay: Equatable, Sendable {
  /// The destinations in the order of the file.
  private var destinations: [String]
  /// Those of them whose servers are obeyed.
  private var obeyed: Set<String>
  private var remote: RemoteSettings

  public init(_ configuration: Configuration) {
    destinations = configuration.destinations.map(\.name)
    obeyed = Set(destinations.filter(configuration.maySet))
    remote = configuration.remote
  }

  /// Why a value that a server has set does not count; nil where it does. `setter` is the destination whose server it was;
  /// nil where nobody knows: then the value counts while any may set something.
  public func objection(to key: ServerKey, by setter: String?) -> String? {
    guard let setting = Schema.table[key.path] else { return "there is no such setting" }
    switch setting.fromServer {
    case .never: return "no server changes it"
    case .device: if key.destination != nil { return "it is one of the whole device" }
    case .destination: if key.destination == nil { return "it is one of a single destination" }
    }
    if remote.locks(key.path) { return "it is locked here (remote.locked)" }
    guard let name = key.destination ?? setter else {
      return obeyed.isEmpty ? "no server may set anything here (may_set)" : nil
    }
    guard destinations.contains(name) else { return "there is no such destination any more" }
    return obeyed.contains(name) ? nil : "it may not set anything here any more (may_set)"
  }

  /// Whether the one comes before the other in the file.
  public func ranks(_ name: String, before other: String) -> Bool {
    guard let place = destinations.firstIndex(of: name), let otherPlace = destinations.firstIndex(of: other)
    else { return false }
    return place < otherPlace
  }
}

extension StoredLayers {
  /// The same without what servers may not set.
  func heeding(_ say: ServerSay) -> StoredLayers {
    var layers = self
    layers.server = server.filter { say.objection(to: $0.key, by: setters[$0.key]) == nil }
    return layers
  }
}
