import Quantities

/// A requirement for a setting of the whole configuration to have an effect.
enum Requirement: Equatable, Sendable {
  // Components of the device.
  case accelerometer, gauge, ignition, light, wireless, serialPort
  // Battery.
  case charge, chargeLimit, voltage, voltageLimit, capacity, ownCapacity, lastUntil
  // Tracking.
  case sampling, tripSampling, choiceOfPause, pause, sleepingReceiver, cyclicReceiver, ownDecimation,
    tripDecimation
  case maxAccuracy, deferral, parking, parkingSensor, freezeIgnition
  // Another setting.
  case indicator, motionVoltage, speedLimit, idling, tow, targetSpeed, api, apiListen, page, mapTiles
  // Destinations.
  case sending(SendingSetting), identityDestination, settingServer
  // Radio and host.
  case networkProgram(RadioProgram), kernelRadio, networkLine, switchedNetwork
  case hostMaySleep, hostSleep, hostProgram, notificationProgram, heartbeat

  /// A setting of sending that a destination can override.
  enum SendingSetting: Sendable { case interval, loggingMode, batchSize, tripLoggingMode, tripBatchSize }

  /// A program that switches the radio.
  enum RadioProgram: Sendable { case up, down }

  /// The reason why the setting has no effect, as text after "has no effect because"; nil if it has one.
  func obstacle(in configuration: Configuration, on machine: MachineFacts) -> String? {
    switch self {
    case .accelerometer: configuration.accelerometer == nil ? "no accelerometer is configured" : nil
    case .gauge: configuration.withoutGauge
    case .ignition: configuration.withoutIgnition
    case .light: configuration.leds.status == nil ? "no light is configured (leds.status)" : nil
    case .wireless: machine.hasWirelessNetwork() ? nil : "the host has no wireless network device"
    case .serialPort: configuration.withoutSerialPort
    case .charge: configuration.withoutCharge
    case .chargeLimit:
      configuration.withoutCharge
        ?? (configuration.power.low == nil && configuration.power.critical == nil
          ? "power.low and power.critical are off" : nil)
    case .voltage: configuration.withoutVoltage
    case .voltageLimit:
      configuration.withoutVoltage
        ?? (configuration.power.lowVolts == nil && configuration.power.criticalVolts == nil
          ? "power.low_V and power.critical_V are off" : nil)
    case .capacity: configuration.withoutCapacity
    case .ownCapacity: configuration.withoutUseForCapacity
    case .lastUntil: configuration.power.lastUntil == nil ? "power.last_until is off" : nil
    case .sampling: configuration.keepsEachFix
    case .tripSampling: configuration.keepsEachFixOfTrips
    case .choiceOfPause: configuration.sleepsInAnyCase
    case .pause: configuration.withoutPause
    case .sleepingReceiver: configuration.receiverNeverSleeps
    case .cyclicReceiver:
      configuration.withoutSerialPort ?? configuration.withoutControl ?? configuration.receiverNeverSleeps
    case .ownDecimation: configuration.withoutOwnDecimation
    case .tripDecimation:
      configuration.profiles.contains { $0.when == .trip } ? "a profile has when: \"trip\"" : nil
    case .maxAccuracy: configuration.main.maxAccuracyMetres == nil ? "main.max_accuracy is off" : nil
    case .deferral:
      configuration.destinations.contains(where: \.hasHistoricStats) ? nil : configuration.withoutSerialPort
    case .parking: configuration.parking.delay == nil ? "parking.delay is off" : nil
    case .parkingSensor: configuration.withoutParkingSensor
    case .freezeIgnition: configuration.parking.freeze == .ignition ? configuration.withoutIgnition : nil
    case .indicator:
      configuration.main.showsIndicator || configuration.trip.showsIndicator
        ? nil : "main.background_indicator and trip.background_indicator are false"
    case .motionVoltage:
      configuration.motion.voltage == nil ? "motion.voltage is off" : configuration.withoutGauge
    case .speedLimit: configuration.driving.speedLimit == nil ? "driving.speed_limit_kmh is off" : nil
    case .idling:
      configuration.driving.idlingDelay == nil ? "driving.idling is off" : configuration.withoutIgnition
    case .tow: configuration.driving.towDelay == nil ? "driving.tow is off" : configuration.withoutIgnition
    case .targetSpeed:
      configuration.withoutSerialPort ?? configuration.withoutControl
        ?? (configuration.receiver.speed == .automatic ? nil : "receiver.speed is not auto")
    case .api: configuration.api.isEnabled ? nil : "api.enabled is false"
    case .apiListen:
      configuration.api.listen == nil
        ? "api.listen is off" : configuration.api.isEnabled ? nil : "api.enabled is false"
    case .page: configuration.withoutPage
    case .mapTiles: configuration.map.tiles == nil ? "map.tiles is off" : configuration.withoutPage
    case .sending(let setting): configuration.withoutFollower(of: setting)
    case .identityDestination:
      configuration.destinations.contains(where: \.hasUniqueID)
        ? nil : "no destination is of kind overland or writes GeoJSON files"
    case .settingServer: configuration.withoutSettingServer
    case .networkProgram(let program):
      machine.fault(of: program == .up ? configuration.network.up : configuration.network.down)
        ?? configuration.withoutServer
    case .kernelRadio: configuration.radioSwitchedByPrograms ?? configuration.withoutServer
    case .networkLine:
      configuration.radioSwitchedByPrograms
        ?? (configuration.network.radio == nil
          ? configuration.withoutServer : "network.rfkill switches the radio")
    case .switchedNetwork: configuration.withoutRadioSwitch ?? configuration.withoutServer
    case .hostMaySleep:
      configuration.supply == .mains && !configuration.host.whileFed
        ? "supply is mains and host.while_fed is false, so that the host stays awake" : nil
    case .hostSleep: configuration.host.sleep == nil ? "host.sleep is off" : nil
    case .hostProgram:
      configuration.host.sleep == nil ? "host.sleep is off" : machine.fault(of: configuration.host.down)
    case .notificationProgram:
      configuration.notificationPrograms.lazy.compactMap { machine.fault(of: $0) }.first
    case .heartbeat: configuration.heartbeat.url == nil ? "heartbeat.url is off" : nil
    }
  }
}

extension DestinationSettings {
  /// True if its records can contain the identity of the installation.
  fileprivate var hasUniqueID: Bool {
    switch kind {
    case .overland: records != .owntracks
    case .file: fileFormat != .gpx
    case .owntracks, .query: false
    }
  }
}

extension MachineFacts {
  fileprivate func fault(of program: String?) -> String? {
    program.flatMap { path in programFault(path).map { "\(path) \($0)" } }
  }
}
