// Reasons why settings of components, battery, radio and destinations have no effect; nil if they have one.

extension Configuration {
  var withoutGauge: String? { gauge == nil ? "no gauge is configured" : nil }
  var withoutIgnition: String? {
    lines.ignition == nil ? "no ignition line is configured (lines.ignition)" : nil
  }

  var withoutPage: String? {
    if !api.isEnabled { return "api.enabled is false" }
    return page.isEnabled ? nil : "page.enabled is false"
  }

  // MARK: Receiver

  var withoutSerialPort: String? { receiver.gpsd == nil ? nil : "the receiver is read through receiver.gpsd" }
  var withoutControl: String? { receiver.control == .none ? "receiver.control is none" : nil }

  // MARK: Battery

  /// The reason why a limit of the charge has no effect. The limits apply to a battery only.
  var withoutCharge: String? {
    supply == .battery ? withoutGauge : "supply is \(supply.rawValue), not battery"
  }

  var withoutVoltage: String? { supply == .mains ? "supply is mains" : withoutGauge }

  var withoutCapacity: String? {
    if let reason = withoutCharge { return reason }
    if gauge?.capacityMAh != nil { return nil }
    return power.capacityMAh == nil
      ? "the battery's capacity is not given (gauge.capacity_mAh or power.capacity_mAh)" : nil
  }

  var withoutUseForCapacity: String? {
    if let reason = withoutCharge { return reason }
    if gauge?.capacityMAh != nil { return "gauge.capacity_mAh is given" }
    return nil
  }

  // MARK: Parking

  var withoutParkingSensor: String? {
    if parking.delay == nil { return "parking.delay is off" }
    let isSensing =
      accelerometer != nil || lines.ignition != nil
      || gauge != nil && (motion.voltage != nil || motion.reactsToCharger)
    return isSensing
      ? nil : "neither accelerometer nor ignition line is configured to report motion without a fix"
  }

  // MARK: Radio

  var withoutServer: String? {
    destinations.contains { $0.kind != .file } ? nil : "no destination is on the network"
  }

  var radioSwitchedByPrograms: String? {
    network.up == nil && network.down == nil ? nil : "network.up or network.down switches the radio"
  }

  var withoutRadioSwitch: String? {
    network.up == nil && network.down == nil && network.radio == nil && network.line == nil
      ? "nothing switches the radio (network.up, network.down, network.rfkill, network.line)" : nil
  }

  // MARK: Destinations

  var withoutSettingServer: String? {
    destinations.contains { $0.kind != .file && maySet($0.name) }
      ? nil : "no destination has a server that may change settings"
  }

  func withoutFollower(of setting: Requirement.SendingSetting) -> String? {
    if destinations.isEmpty { return "no destination is configured" }
    switch setting {
    case .interval:
      return destinations.contains { $0.sendInterval == nil || isSetByServer(setting, of: $0) }
        ? nil : "every destination has its own send_interval"
    case .loggingMode, .tripLoggingMode:
      return destinations.contains {
        $0.loggingMode == nil && $0.usualLoggingMode == nil || isSetByServer(setting, of: $0)
      }
        ? nil : "every destination has its own logging mode"
    case .batchSize, .tripBatchSize:
      let follows = destinations.contains { destination in
        guard destination.kind == .overland,
          destination.batchSize == nil || isSetByServer(setting, of: destination)
        else { return false }
        let sending = delivery(to: destination.name)
        if setting == .batchSize, sending.loggingMode == .all { return true }
        let isForTrips = setting == .tripBatchSize || isForTrips(unless: Schema.tripBatchSize.path)
        return isForTrips && sending.tripLoggingMode == .all
      }
      return follows ? nil : "no destination that follows it takes several records per request"
    }
  }

  /// True if the server of a destination has set this for it: that precedes the destination's own value.
  private func isSetByServer(
    _ setting: Requirement.SendingSetting, of destination: DestinationSettings
  ) -> Bool {
    let path =
      switch setting {
      case .interval: Schema.sendInterval.path
      case .loggingMode: Schema.loggingMode.path
      case .batchSize: Schema.batchSize.path
      case .tripLoggingMode: Schema.tripLoggingMode.path
      case .tripBatchSize: Schema.tripBatchSize.path
      }
    return destinationLayer[destination.name]?[path] != nil
  }
}
