extension SetupURL {
  /// What setting up does: the wishes, and each setting that is cleared, for people.
  public struct Plan: Equatable, Sendable {
    public var wishes: OperatorWishes
    public var cleared: [String]
    /// What is set, secrets hidden.
    public var set: [String]
  }

  /// The first destination that speaks Overland gets address and token; without one it is made, without an address it
  /// is taken away. Its name stays, and with it what waits for it.
  public func plan(under configuration: Configuration) -> Plan {
    var destinations = configuration.destinations
    let index = destinations.firstIndex { $0.kind == .overland }
    let name = index.map { destinations[$0].name } ?? Self.newName(beside: destinations.map(\.name))
    var plan = Plan(wishes: OperatorWishes(), cleared: [], set: [])
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
        plan.cleared.append("url: \(effect); what waits for it stays in the log")
      case "token": plan.cleared.append("token: requests carry none")
      case "device_id": plan.cleared.append("device_id: the name is empty")
      default: plan.cleared.append("unique_id: off")
      }
    }
    if let deviceID { plan.set.append("device_id: \(Shown.quoted(deviceID))") }
    if !missing.contains("unique_id") { plan.set.append("unique_id: \(sendsUniqueID ? "on" : "off")") }
    plan.wishes.values = [
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
