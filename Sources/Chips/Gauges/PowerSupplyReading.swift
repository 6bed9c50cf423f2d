/// What the kernel tells of a power supply in `/sys/class/power_supply/NAME/uevent`.
///
/// Keys and units are those of the kernel's `Documentation/ABI/testing/sysfs-class-power` and
/// `Documentation/power/power_supply_class.rst`: µV, µA, tenths of a degree, percent. Bytes that are no such text give
/// an empty reading.
public struct PowerSupplyReading: Hashable, Sendable {
  public enum Kind: Hashable, Sendable { case battery, supply, unknown }

  /// `POWER_SUPPLY_NAME`.
  public var name: String?
  /// `POWER_SUPPLY_TYPE`: `Battery`, or what a battery is charged from.
  public var kind: Kind = .unknown
  /// `POWER_SUPPLY_SCOPE=Device`: it is the battery of a mouse or a headset, not of this machine.
  public var isOfPeripheral = false
  /// Of a battery all that is known; of a supply only whether it is plugged.
  public var reading = GaugeReading()

  /// The most that is read; a sysfs file is one page.
  private static let longest = 4096

  public init(uevent: [UInt8]) {
    var values: [String: String] = [:]
    for line in uevent.prefix(Self.longest).split(separator: UInt8(ascii: "\n")) {
      guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let key = String(decoding: line[..<equals], as: UTF8.self)
      guard key.hasPrefix("POWER_SUPPLY_") else { continue }
      values[String(key.dropFirst(13))] = String(decoding: line[(equals + 1)...], as: UTF8.self)
    }
    name = values["NAME"]
    isOfPeripheral = values["SCOPE"] == "Device"
    switch values["TYPE"] {
    case nil: kind = .unknown
    case "Battery"?: kind = .battery
    case .some: kind = .supply
    }
    if kind == .supply {
      // Of a battery ONLINE tells whether it is in its place.
      reading.isPlugged = Self.number("ONLINE", values).map { $0 > 0 }
    } else if Self.number("PRESENT", values) != 0 {
      readBattery(values)
    }
  }

  private mutating func readBattery(_ values: [String: String]) {
    reading.stateOfCharge = Self.number("CAPACITY", values)
    reading.voltage = Self.number("VOLTAGE_NOW", values).map { $0 / 1e6 }
    reading.temperature = Self.number("TEMP", values).map { $0 / 10 }
    reading.temperatureSource = reading.temperature.map { _ in .battery }
    let current = Self.number("CURRENT_NOW", values).map { $0 / 1000 }
    // Drivers do not agree on the sign of CURRENT_NOW; STATUS has the direction.
    switch values["STATUS"] {
    case "Charging"?:
      (reading.isPlugged, reading.isCharging, reading.isFull) = (true, true, false)
      reading.current = current.map { abs($0) }
    case "Discharging"?:
      (reading.isPlugged, reading.isCharging, reading.isFull) = (false, false, false)
      reading.current = current.map { 0 - abs($0) }
    case "Not charging"?:
      (reading.isPlugged, reading.isCharging, reading.isFull) = (true, false, false)
      reading.current = current == 0 ? 0 : nil
    case "Full"?:
      (reading.isPlugged, reading.isCharging, reading.isFull) = (true, false, true)
      reading.current = current == 0 ? 0 : nil
    case nil, .some:
      reading.current = current == 0 ? 0 : nil
    }
  }

  private static func number(_ key: String, _ values: [String: String]) -> Double? {
    values[key].flatMap { Int64($0) }.map { Double($0) }
  }
}
