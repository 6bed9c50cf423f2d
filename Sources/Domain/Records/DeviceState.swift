import Quantities

/// The state of the device when a record was written; part of every record except events.
public struct DeviceState: Hashable, Sendable {
  public var batteryState: BatteryState
  /// State of charge in percent, 0...100.
  public var batteryPercent: UInt8?
  /// Name of the joined Wi-Fi network; empty if there is none.
  public var wifi: String
  /// The configured name of the device.
  public var deviceID: String

  public init(
    deviceID: String, batteryState: BatteryState = .unknown, batteryPercent: UInt8? = nil, wifi: String = ""
  ) {
    self.deviceID = deviceID
    self.batteryState = batteryState
    self.batteryPercent = batteryPercent
    self.wifi = wifi
  }
}

extension LocationRecord {
  /// The state of the device at the time of the fix.
  public var device: DeviceState {
    get {
      DeviceState(deviceID: deviceID, batteryState: batteryState, batteryPercent: batteryPercent, wifi: wifi)
    }
    set {
      deviceID = newValue.deviceID
      batteryState = newValue.batteryState
      batteryPercent = newValue.batteryPercent
      wifi = newValue.wifi
    }
  }
}
