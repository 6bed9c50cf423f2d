extension Configuration {
  /// What is allowed and cannot be meant, by the configuration alone.
  public var warnings: [String] { warnings(on: .complete) }

  /// What is allowed and cannot be meant on this machine, each with key and reason; empty as a rule.
  public func warnings(on machine: MachineFacts) -> [String] {
    profiles.indices.compactMap { index in
      neverCounts(index).map { "profiles[\(index)] (\(profiles[index].when.rawValue)): never counts: \($0)" }
    }
      + destinations.enumerated().flatMap { index, destination in
        [loginTrouble(of: destination), nameTrouble(of: destination)].compactMap { $0 }.map {
          "destinations[\(index)] (\(destination.name)): \($0)"
        }
      } + withoutEffect(on: machine) + [lostTrips].compactMap { $0 }
  }

  /// Which trips leave nothing: recording pauses, and nothing but a position check tells that the box has left.
  private var lostTrips: String? {
    guard isTracking, pausesAtRest, accelerometer == nil, lines.ignition == nil, !heedsSupply else {
      return nil
    }
    let interval = gives(Schema.checkInterval.path) ? main.checkInterval : Self.checkWithoutSensor
    let seconds = interval.components.seconds
    let lost =
      "main.pause_automatically: with automatic pauses and neither accelerometer, ignition line nor supply voltage, trips "
      + "shorter than \(seconds) s between two position checks are not recorded"
    switch supply {
    case .vehicle:
      return "\(lost); the supply is a vehicle, so do not pause: set main.pause_automatically: false"
    case .mains, .battery:
      return
        "\(lost); add accelerometer, lines.ignition or motion.voltage, or set main.pause_automatically: false"
    }
  }

  /// The supply tells that an engine runs.
  private var heedsSupply: Bool { gauge != nil && (motion.voltage != nil || motion.heedsCharger) }

  /// Time between two position checks without a motion sensor, unless `main.check_interval` is given.
  public static let checkWithoutSensor = Duration.seconds(180)

  /// Why a server of OwnTracks would not know the device by its name, with the remedy; nil where nothing is amiss. Home
  /// Assistant drops what has one level behind `owntracks/` and says nothing; its webhook shows in the address, a broker
  /// may always feed it.
  public func nameTrouble(of destination: DestinationSettings) -> String? {
    guard
      destination.kind == .owntracks || destination.kind == .overland && destination.records == .owntracks,
      destination.url.isBroker || destination.url.text.contains("/api/webhook/")
    else { return nil }
    let name = destination.deviceID ?? deviceID
    guard !name.isEmpty, !Self.isOwnerAndDevice(name) else { return nil }
    return
      "device_id: \"\(name)\" has no slash, and Home Assistant drops what comes from it; give the destination a device_id "
      + "such as \"\(user(of: destination))/\(name)\""
  }

  /// A broker takes a name alone, which is seldom meant.
  private func loginTrouble(of destination: DestinationSettings) -> String? {
    guard destination.user != nil, destination.password == nil, destination.token == nil,
      destination.url.isBroker
    else { return nil }
    return "user: logs in without a password; give password too"
  }

  private func user(of destination: DestinationSettings) -> String {
    destination.user.flatMap { $0.contains("/") ? nil : $0 } ?? "me"
  }

  private static func isOwnerAndDevice(_ name: String) -> Bool {
    name.split(separator: "/", omittingEmptySubsequences: false).count == 2
      && name.split(separator: "/").count == 2
  }

  private func neverCounts(_ index: Int) -> String? {
    if let reason = cannotHold(profiles[index].when) { return reason }
    let before = profiles[..<index].map(\.when)
    if let whole = before.first(where: holdsAlways) {
      return "\(whole.rawValue) stands before it and holds at all times; put this one before that"
    }
    if before.contains(.moving), before.contains(.stop) {
      return "moving and stop stand before it, and one of them holds at all times; put this one before them"
    }
    return nil
  }

  /// A box without a gauge counts as full on mains and in a vehicle.
  private func holdsAlways(_ condition: ProfileCondition) -> Bool {
    switch condition {
    case .always: true
    case .charging: gauge == nil && supply != .battery
    case .lowBattery, .inZone, .trip, .moving, .stop: false
    }
  }

  private func cannotHold(_ condition: ProfileCondition) -> String? {
    switch condition {
    case .inZone:
      return zones.contains(where: \.hasProfile) ? nil : "no zone has profile: true; give it to one of zones"
    case .charging:
      return gauge == nil && supply == .battery
        ? "without a gauge nobody knows whether the battery is charged; name one (gauge)" : nil
    case .lowBattery:
      switch supply {
      case .mains: return "supply is mains, which is never low; remove it, or set supply"
      case .vehicle where power.lowVolts == nil && power.criticalVolts == nil:
        return "no voltage of the vehicle counts as low; set power.low_V"
      case .vehicle, .battery:
        return gauge == nil ? "without a gauge nobody knows that the battery is low; name one (gauge)" : nil
      }
    case .trip, .moving, .stop, .always: return nil
    }
  }
}
