/// What the kernel tells of a power supply in `/sys/class/power_supply/NAME/uevent`.
///
/// Keys and units are those of the kernel's `Documentation/ABI/testing/sysfs-class-power` and
/// `Documentation/power/power_supply_class.rst`: µV, µA, µW, µAh, µWh, tenths of a degree, percent. Bytes that are no
/// such text give an empty reading.
public struct PowerSupplyReading: Hashable, Sendable {
  public enum Kind: Hashable, Sendable { case battery, supply, unknown }

  /// `POWER_SUPPLY_NAME`, which the kernel always gives: nil where the bytes are something else.
  public var name: String?
  /// `POWER_SUPPLY_TYPE`, in the kernel's word.
  public var type: String?
  /// `POWER_SUPPLY_TYPE`: `Battery`, or what a battery is charged from.
  public var kind: Kind = .unknown
  /// `POWER_SUPPLY_SCOPE=Device`: it is the battery of a mouse or a headset, not of this machine.
  public var isOfPeripheral = false
  /// `POWER_SUPPLY_PRESENT=0`: the battery is not in its place.
  public var isAbsent = false
  /// Of a battery all that is known; of a supply only whether it is plugged.
  public var reading = GaugeReading()

  /// Bytes that are read at most; the kernel collects a uevent in 2048.
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
      // Of a battery ONLINE tells whether it is in its place.
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

  /// Percent; of a driver that only counts charge or energy, their share of what the battery holds when full.
  private static func stateOfCharge(_ values: [String: String]) -> Double? {
    // Below zero, drivers say that they do not know it.
    if let capacity = number("CAPACITY", values), capacity >= 0 { return capacity }
    for (now, full) in [("CHARGE_NOW", "CHARGE_FULL"), ("ENERGY_NOW", "ENERGY_FULL")] {
      if let now = number(now, values), let full = number(full, values), now >= 0, full > 0 {
        return now * 100 / full
      }
    }
    return nil
  }

  /// mA; of a driver that only tells the power, by the voltage at the same time.
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
