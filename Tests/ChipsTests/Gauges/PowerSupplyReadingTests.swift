import Quantities
import Testing

import Chips

@Suite struct PowerSupplyReadingTests {
  private func read(_ text: String) -> PowerSupplyReading { PowerSupplyReading(uevent: Array(text.utf8)) }

  private func battery(_ status: String, _ current: Int) -> GaugeReading {
    read(
      """
      DEVTYPE=power_supply
      POWER_SUPPLY_NAME=bq27441-0
      POWER_SUPPLY_TYPE=Battery
      POWER_SUPPLY_STATUS=\(status)
      POWER_SUPPLY_PRESENT=1
      POWER_SUPPLY_ONLINE=1
      POWER_SUPPLY_VOLTAGE_NOW=3901000
      POWER_SUPPLY_CURRENT_NOW=\(current)
      POWER_SUPPLY_CAPACITY=80
      POWER_SUPPLY_TEMP=-57

      """
    ).reading
  }

  @Test func aBatteryIsRead() throws {
    let reading = battery("Discharging", -120_000)
    #expect(reading.stateOfCharge == 80 && reading.voltage == 3.901 && reading.temperature == -5.7)
    #expect(reading.temperatureSource == .battery && reading.isPlugged == false && reading.isFull == false)
  }

  @Test(
    arguments: [
      ("Charging", 500_000, 500), ("Charging", -500_000, 500), ("Discharging", 120_000, -120),
      ("Discharging", -120_000, -120), ("Full", 0, 0), ("Full", 3000, nil), ("Not charging", -3000, nil),
      ("Unknown", 3000, nil), ("Nonsense", 0, 0),
    ] as [(String, Int, Double?)])
  func theSignFollowsTheStatus(_ status: String, _ current: Int, _ expected: Double?) {
    #expect(battery(status, current).current == expected)
  }

  @Test(
    arguments: [
      ("Charging", true, true, false), ("Discharging", false, false, false), ("Full", true, false, true),
      ("Not charging", true, false, false), ("Unknown", nil, nil, nil),
    ] as [(String, Bool?, Bool?, Bool?)])
  func theStatusIsDecoded(_ status: String, _ plugged: Bool?, _ charging: Bool?, _ full: Bool?) {
    let reading = battery(status, 0)
    #expect(reading.isPlugged == plugged && reading.isCharging == charging && reading.isFull == full)
  }

  @Test func aChargersSupplyReportsOnlyWhetherItIsPluggedIn() {
    let mains = read(
      "POWER_SUPPLY_NAME=usb\nPOWER_SUPPLY_TYPE=USB\nPOWER_SUPPLY_ONLINE=1\nPOWER_SUPPLY_VOLTAGE_NOW=5000000")
    #expect(mains.kind == .supply && mains.name == "usb" && mains.reading.isPlugged == true)
    #expect(mains.reading.voltage == nil)
    #expect(read("POWER_SUPPLY_TYPE=Mains\nPOWER_SUPPLY_ONLINE=0").reading.isPlugged == false)
    #expect(read("POWER_SUPPLY_TYPE=Mains").reading.isPlugged == nil)
  }

  @Test func absentAndPeripheralBatteriesAreRecognised() {
    let absent = read("POWER_SUPPLY_TYPE=Battery\nPOWER_SUPPLY_PRESENT=0\nPOWER_SUPPLY_CAPACITY=0")
    #expect(absent.isAbsent && absent.reading == GaugeReading())
    #expect(read("POWER_SUPPLY_TYPE=Battery\nPOWER_SUPPLY_SCOPE=Device").isOfPeripheral)
  }

  @Test(
    arguments: [
      ("CHARGE_NOW=1500000\nPOWER_SUPPLY_CHARGE_FULL=2000000", 75),
      ("CHARGE_NOW=290000\nPOWER_SUPPLY_CHARGE_FULL=1000000", 29),
      ("ENERGY_NOW=30000000\nPOWER_SUPPLY_ENERGY_FULL=40000000", 75),
      ("CHARGE_NOW=1500000\nPOWER_SUPPLY_CHARGE_FULL=2000000\nPOWER_SUPPLY_CAPACITY=70", 70),
      ("CHARGE_NOW=1500000\nPOWER_SUPPLY_CHARGE_FULL=0", nil), ("CHARGE_NOW=1500000", nil),
    ] as [(String, Double?)])
  func chargeOrEnergyIsConvertedToPercent(_ lines: String, _ expected: Double?) {
    #expect(read("POWER_SUPPLY_TYPE=Battery\nPOWER_SUPPLY_\(lines)").reading.stateOfCharge == expected)
  }

  @Test func powerIsConvertedToCurrentByTheVoltage() {
    let text = "POWER_SUPPLY_STATUS=Discharging\nPOWER_SUPPLY_POWER_NOW=2000000\nPOWER_SUPPLY_VOLTAGE_NOW="
    #expect(read("\(text)4000000").reading.current == -500)
    #expect(read("\(text)0").reading.current == nil)
  }

  @Test func oldKernelsDoNotNameTheType() {
    let old = read("POWER_SUPPLY_NAME=BAT0\nPOWER_SUPPLY_CAPACITY=5")
    #expect(old.name == "BAT0" && old.kind == .unknown && old.type == nil)
    #expect(old.reading.stateOfCharge == 5)
  }

  @Test(
    arguments: [
      "", "\n\n=\n==", "POWER_SUPPLY_CAPACITY=", "POWER_SUPPLY_CAPACITY=eighty", "POWER_SUPPLY_CAPACITY",
      "POWER_SUPPLY_VOLTAGE_NOW=99999999999999999999999", "POWER_SUPPLY_TEMP=0x10", "\u{0}\u{FFFD}=1",
      "CAPACITY=5",
    ])
  func invalidTextsGiveAnEmptyReading(_ text: String) { #expect(read(text).reading == GaugeReading()) }

  @Test(arguments: 0..<50) func noBytesTrap(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var bytes = Array("POWER_SUPPLY_TYPE=Battery\nPOWER_SUPPLY_CURRENT_NOW=-9223372036854775808\n".utf8)
    for _ in 0..<Int(random.byte()) { bytes.append(random.byte()) }
    for _ in 0..<4 { bytes[Int(random.next() % UInt64(bytes.count))] = random.byte() }
    _ = PowerSupplyReading(uevent: bytes)
  }

  @Test(arguments: ["-1", "-5", "-9223372036854775808", "99999999999999999999"])
  func anInvalidCapacityIsUnknownAndNotZero(_ capacity: String) {
    let text = "POWER_SUPPLY_NAME=a\nPOWER_SUPPLY_TYPE=Battery\nPOWER_SUPPLY_CAPACITY=\(capacity)\n"
    var monitor = BatteryMonitor(measuring: .battery())
    #expect(monitor.take(PowerSupplyReading(uevent: Array(text.utf8)).reading, at: .zero).isEmpty)
    #expect(monitor.condition.percent == nil)
  }
}
