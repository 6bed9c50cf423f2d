import Quantities

extension Configuration {
  /// Warnings about valid settings that are probably mistakes, from the configuration alone.
  public var warnings: [String] { warnings(on: .complete) }

  /// Warnings about valid settings that are probably mistakes on this host, with key and reason; usually empty.
  public func warnings(on machine: MachineFacts) -> [String] {
    profiles.indices.compactMap { index in
      neverAppliesReason(index).map {
        "profiles[\(index)] (\(profiles[index].when.rawValue)): never applies: \($0)"
      }
    }
      + destinations.enumerated().flatMap { index, destination in
        [loginWarning(of: destination), nameWarning(of: destination)].compactMap { $0 }.map {
          "destinations[\(index)] (\(destination.name)): \($0)"
        }
      } + withoutEffect(on: machine)
      + [lostTrips, radiusWithoutSensor, openShare, ownShare].compactMap { $0 }
  }

  /// The warning about positions that other machines can read.
  private var openShare: String? {
    guard let address = share.gpsd, !Self.isLoopback(address) else { return nil }
    return
      "share.gpsd: \(address) is not a loopback address: gpsd's protocol has no sign-in, so everyone who can connect "
      + "reads the positions; use 127.0.0.1:2947, and ssh -L 2947:127.0.0.1:2947 from another machine"
  }

  /// The warning about a logger that would read itself.
  private var ownShare: String? {
    guard let source = receiver.gpsd, let address = share.gpsd, address.hasSuffix(":\(source.port)"),
      source.host == "localhost" || source.host == "::1" || source.host.hasPrefix("127.")
    else { return nil }
    return
      "share.gpsd: \(address) is the address of receiver.gpsd, whose gpsd already serves other programs; switch "
      + "share.gpsd off"
  }

  private static func isLoopback(_ address: String) -> Bool {
    let host = address.prefix(upTo: address.lastIndex(of: ":") ?? address.endIndex)
    return host == "localhost" || host == "[::1]" || host.hasPrefix("127.")
  }

  /// The warning about trips that are not recorded: recording pauses, and only a position check detects a departure.
  private var lostTrips: String? {
    guard isTracking, pausesWhileStationary, accelerometer == nil, lines.ignition == nil, !reactsToSupply
    else {
      return nil
    }
    let interval = gives(Schema.checkInterval.path) ? main.checkInterval : PositionCheck.intervalWithoutSensor
    let seconds = interval.components.seconds
    let lost =
      "main.pause_automatically: with automatic pauses and neither accelerometer, ignition line nor supply voltage, trips "
      + "shorter than \(seconds) s between two position checks are not recorded"
    switch supply {
    case .vehicle:
      return "\(lost); with the supply of a vehicle, set main.pause_automatically: false"
    case .mains, .battery:
      return
        "\(lost); add accelerometer, lines.ignition or motion.voltage, or set main.pause_automatically: false"
    }
  }

  /// The warning about a geofence that a nearer position check always precedes.
  private var radiusWithoutSensor: String? {
    guard let radius = main.resumeRadiusMetres, radius >= PositionCheck.distanceWithoutSensor, isTracking,
      pausesWhileStationary, accelerometer == nil, lines.ignition == nil,
      origins[Schema.resumeWithGeofence.path] ?? .default > .profile
    else { return nil }
    return
      "main.resume_with_geofence: without accelerometer and ignition line, position checks resume recording 30 m from the "
      + "stop, so the radius changes nothing; add accelerometer or lines.ignition, or switch it off"
  }

  /// True if the supply is used to detect a running engine.
  private var reactsToSupply: Bool { gauge != nil && (motion.voltage != nil || motion.reactsToCharger) }

  /// The reason why Home Assistant would ignore the device by its name, with the remedy; nil if the name is suitable. Home
  /// Assistant silently drops messages with one level after `owntracks/`. The address shows its webhook; any broker can
  /// feed it.
  public func nameWarning(of destination: DestinationSettings) -> String? {
    guard
      destination.kind == .owntracks || destination.kind == .overland && destination.records == .owntracks,
      destination.url.isBroker || destination.url.text.contains("/api/webhook/")
    else { return nil }
    let name = destination.deviceID ?? deviceID
    guard !name.isEmpty, !Self.isOwnerAndDevice(name) else { return nil }
    return
      "device_id: \"\(name)\" has no slash, so Home Assistant ignores its messages; give the destination a device_id "
      + "such as \"\(user(of: destination))/\(name)\""
  }

  /// The warning about a user without a password. A broker accepts that, but it is rarely intended.
  private func loginWarning(of destination: DestinationSettings) -> String? {
    guard destination.user != nil, destination.password == nil, destination.token == nil,
      destination.url.isBroker
    else { return nil }
    return "user: login without a password; give password, too"
  }

  private func user(of destination: DestinationSettings) -> String {
    destination.user.flatMap { $0.contains("/") ? nil : $0 } ?? "me"
  }

  private static func isOwnerAndDevice(_ name: String) -> Bool {
    name.split(separator: "/", omittingEmptySubsequences: false).count == 2
      && name.split(separator: "/").count == 2
  }

  private func neverAppliesReason(_ index: Int) -> String? {
    if let reason = unsatisfiableReason(profiles[index].when) { return reason }
    let before = profiles[..<index].map(\.when)
    if let whole = before.first(where: isAlwaysTrue) {
      return "\(whole.rawValue) precedes it and holds at all times; move this profile before it"
    }
    if before.contains(.moving), before.contains(.stop) {
      return "moving and stop precede it, and one of them holds at all times; move this profile before them"
    }
    return nil
  }

  /// True for a condition that holds at all times. A device without a gauge counts as full on mains and in a vehicle.
  private func isAlwaysTrue(_ condition: ProfileCondition) -> Bool {
    switch condition {
    case .always: true
    case .charging: gauge == nil && supply != .battery
    case .lowBattery, .inZone, .trip, .moving, .stop: false
    }
  }

  private func unsatisfiableReason(_ condition: ProfileCondition) -> String? {
    switch condition {
    case .inZone:
      return zones.contains(where: \.hasProfile) ? nil : "no zone has profile: true; set it for a zone"
    case .charging:
      return gauge == nil && supply == .battery
        ? "charging is unknown without a gauge; configure gauge" : nil
    case .lowBattery:
      switch supply {
      case .mains: return "supply is mains, which is never low; remove the profile, or set supply"
      case .vehicle where power.lowVolts == nil && power.criticalVolts == nil:
        return "no voltage of the vehicle is defined as low; set power.low_V"
      case .vehicle, .battery:
        return gauge == nil ? "a low battery is unknown without a gauge; configure gauge" : nil
      }
    case .trip, .moving, .stop, .always: return nil
    }
  }
}
