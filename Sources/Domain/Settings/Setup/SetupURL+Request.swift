extension SetupURL {
  /// The effect of a setup URL: the request, and the settings that are set and cleared, as text for people.
  public struct Plan: Equatable, Sendable {
    public var request: OperatorRequest
    public var cleared: [String]
    /// The settings that are set; secrets are hidden.
    public var set: [String]
  }

  /// Plans the change. The first Overland destination gets address and token; if there is none, one is added. Without an
  /// address, the destination is removed. An existing destination keeps its name and so its queue.
  public func plan(under configuration: Configuration) -> Plan {
    var destinations = configuration.destinations
    let index = destinations.firstIndex { $0.kind == .overland }
    let name = index.map { destinations[$0].name } ?? Self.newName(beside: destinations.map(\.name))
    var plan = Plan(request: OperatorRequest(), cleared: [], set: [])
    if let url {
      var destination =
        index.map { destinations[$0] } ?? DestinationSettings(name: name, kind: .overland, url: url)
      destination.url = url
      destination.token = token
      if let index { destinations[index] = destination } else { destinations.insert(destination, at: 0) }
      plan.set.append("url: \(url), as destination \(name)")
      if token != nil { plan.set.append("token: (hidden)") }
    } else if let index {
      destinations.remove(at: index)
    }
    for parameter in missing {
      switch parameter {
      case "url":
        let effect = index == nil ? "no destination was set" : "nothing is sent to \(name) any more"
        plan.cleared.append("url: \(effect); queued records stay in the log")
      case "token": plan.cleared.append("token: requests have none")
      case "device_id": plan.cleared.append("device_id: the name is empty")
      default: plan.cleared.append("unique_id: off")
      }
    }
    if let deviceID { plan.set.append("device_id: \(Shown.quoted(deviceID))") }
    if !missing.contains("unique_id") { plan.set.append("unique_id: \(sendsUniqueID ? "on" : "off")") }
    plan.request.values = [
      Schema.deviceID.path: deviceID ?? "", Schema.uniqueID.path: sendsUniqueID ? "true" : "false",
      Schema.destinations.path: Schema.destinations.kind.written(destinations, true).json,
    ]
    return plan
  }

  private static func newName(beside names: [String]) -> String {
    (0...).lazy.map { $0 == 0 ? "overland" : "overland-\($0 + 1)" }.first { !names.contains($0) }
      ?? "overland"
  }
}
