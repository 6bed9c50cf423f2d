import Quantities
import Testing

import Chips

@Suite struct UeventNonsenseTests {
  @Test(arguments: 0..<200 as Range<UInt64>) func noUeventMovesTheBatteryOutOfItsRanges(
    _ seed: UInt64
  ) throws {
    var random = SplitMix64(seed: seed)
    let numbers = [
      "-5", "0", "100", "99999999999999999999", "-9223372036854775808", "9223372036854775807", "", "x", "1e5",
      " 7", "+7", "\0", "0x10",
    ]
    var text = "POWER_SUPPLY_NAME=a\n"
    for key in [
      "CAPACITY", "CHARGE_NOW", "CHARGE_FULL", "ENERGY_NOW", "ENERGY_FULL", "VOLTAGE_NOW", "CURRENT_NOW",
      "POWER_NOW", "TEMP", "PRESENT", "ONLINE",
    ] where random.byte() & 1 == 0 { text += "POWER_SUPPLY_\(key)=\(random.oneOf(numbers))\n" }
    text +=
      "POWER_SUPPLY_TYPE=\(random.oneOf(["Battery","Unknown","USB",""]))\nPOWER_SUPPLY_STATUS=\(random.oneOf(["Charging","Discharging","Full","Not charging","?"]))"
    var bytes = Array(text.utf8)
    if seed % 3 == 0 { for _ in 0..<20 { bytes[Int(random.next() % UInt64(bytes.count))] = random.byte() } }
    let s = PowerSupplyReading(uevent: bytes)
    var monitor = BatteryMonitor(measuring: .battery(capacity: 2000))
    for t in [0, 1, .max, .min, 60_000_000_000, .max, -1] as [Int64] {
      _ = monitor.take(s.reading, at: Moment(nanoseconds: t)); _ = monitor.lapse(at: Moment(nanoseconds: t))
      let c = monitor.condition
      #expect(c.percent.map { (0...100).contains($0) } ?? true)
      #expect(c.voltage.map { (0.5...6).contains($0) } ?? true)
      #expect(c.current.map { $0.milliamperes.isFinite } ?? true)
    }
  }
}
