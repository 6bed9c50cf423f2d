/// The content of a power supply of the kernel, `/sys/class/power_supply/NAME/uevent`.
///
/// Keys and units are those of the kernel's `Documentation/ABI/testing/sysfs-class-power` and
/// `Documentation/power/power_supply_class.rst`: µV, µA, µW, µAh, µWh, tenths of a degree, percent. Bytes of
/// any other format give an empty reading.
public struct PowerSupplyReading: Hashable, Sendable {
  /// The kind of power supply.
  public enum Kind: Hashable, Sendable { case battery, supply, unknown }

  /// `POWER_SUPPLY_NAME`, which the kernel always supplies; nil if the bytes have another format.
  public var name: String?
  /// `POWER_SUPPLY_TYPE`, unchanged.
  public var type: String?
  /// `POWER_SUPPLY_TYPE`: `Battery`, or a charger's supply.
  public var kind: Kind = .unknown
  /// `POWER_SUPPLY_SCOPE=Device`: the battery of a mouse or a headset, not of this host.
  public var isOfPeripheral = false
  /// `POWER_SUPPLY_PRESENT=0`: no battery inserted.
  public var isAbsent = false
  /// All values of a battery; for a supply only whether it is plugged in.
  public var reading = GaugeReading()

  /// Maximum number of bytes read; the kernel's buffer for a uevent has 2048.
  public static let longest = 4096

  public init(uevent: [UInt8]) {
    var values: [String: String] = [:]
    for line in uevent.prefix(Self.longest).split(separator: UInt8(ascii: "\n")) {
      guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let key = String(decoding: line[..<equals], as: UTF8.self)
      guard key.hasPrefix("POWER_SUPPLY_") else { continue }
      values[String(key.dropFirst(13))] = String(decoding: line[(equals + 1)...], as: UTF8.self)
    }
    name = values["NAME"]
    type = values["TYPE"]
    isOfPeripheral = values["SCOPE"] == "Device"
    switch type {
    case nil, "Unknown"?: kind = .unknown
    case "Battery"?: kind = .battery
    case .some: kind = .supply
    }
    if kind == .supply {
      // For a battery, ONLINE shows whether it is inserted.
      reading.isPlugged = Self.number("ONLINE", values).map { $0 > 0 }
      return
    }
    isAbsent = Self.number("PRESENT", values) == 0
    if !isAbsent { readBattery(values) }
  }

  private mutating func readBattery(_ values: [String: String]) {
    reading.stateOfCharge = Self.stateOfCharge(values)
    reading.voltage = Self.number("VOLTAGE_NOW", values).map { $0 / 1e6 }
    reading.temperature = Self.number("TEMP", values).map { $0 / 10 }
    reading.temperatureSource = reading.temperature.map { _ in .battery }
    let current = Self.current(values)
    // Drivers differ in the sign of CURRENT_NOW; STATUS has the direction.
    switch values["STATUS"] {
    case "Charging"?:
      (reading.isPlugged, reading.isCharging, reading.isFull) = (true, true, false)
      reading.current = current.map { abs($0) }
    case "Discharging"?:
      (reading.isPlugged, reading.isCharging, reading.isFull) = (false, false, false)
      reading.current = current.map { 0 - abs($0) }
    case "Not charging"?:
      (reading.isPlugged, reading.isCharging, reading.isFull) = (true, false, false)
      reading.deniesCharging = true
      reading.current = current == 0 ? 0 : nil
    case "Full"?:
      (reading.isPlugged, reading.isCharging, reading.isFull) = (true, false, true)
      reading.current = current == 0 ? 0 : nil
    case nil: reading.current = current == 0 ? 0 : nil
    // "Unknown": the driver would report a charging battery.
    case .some:
      reading.deniesCharging = true
      reading.current = current == 0 ? 0 : nil
    }
  }

  /// State of charge in percent. If a driver reports only charge or energy, their fraction of the full value.
  private static func stateOfCharge(_ values: [String: String]) -> Double? {
    // Drivers report a negative value if it is unknown.
    if let capacity = number("CAPACITY", values), capacity >= 0 { return capacity }
    for (now, full) in [("CHARGE_NOW", "CHARGE_FULL"), ("ENERGY_NOW", "ENERGY_FULL")] {
      if let now = number(now, values), let full = number(full, values), now >= 0, full > 0 {
        return now * 100 / full
      }
    }
    return nil
  }

  /// Current in mA. If a driver reports only the power, that divided by the voltage.
  private static func current(_ values: [String: String]) -> Double? {
    if let current = number("CURRENT_NOW", values) { return current / 1000 }
    guard let power = number("POWER_NOW", values), let voltage = number("VOLTAGE_NOW", values), voltage > 0
    else { return nil }
    return power / voltage * 1000
  }

  private static func number(_ key: String, _ values: [String: String]) -> Double? {
    values[key].flatMap { Int64($0) }.map { Double($0) }
  }
}
