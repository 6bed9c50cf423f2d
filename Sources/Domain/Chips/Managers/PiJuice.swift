import Quantities

/// Pi Supply PiJuice HAT and PiJuice Zero: an STM32F0 with clock, charger and boost converter.
///
/// Commands are those of the maker's `pijuice.py` and of firmware 1.6. Its alarm is carried out only if no command came for
/// 15 s, and every command clears one that is pending: after the cut was armed the board must be left alone. Its second way
/// back is a watchdog that counts from the last command and runs on while the supply is off. While the supply is on, alarm and
/// watchdog restart the host.
///
/// Commands that are never written here: charging and battery profile (0x51 to 0x5E), addresses and EEPROM (0x7C, 0x7E,
/// 0x7F), reset (0xF0) and boot loader (0xFE).
public struct PiJuice: PowerManager {
  public static let name = "pijuice"
  public static let addresses = [0x14].compactMap(I2CAddress.init)
  public static let witness = "pijuice.py, power_management.c and rtc_ds1339_emu.c of PiSupply/PiJuice"

  private enum Command {
    /// Bits 6 and 7: supply at the 5 V pins of the header; 0 is none.
    static let status: UInt8 = 0x40
    /// Bits 0 to 3: off by the button, 5 V lost, system output lost, started by the watchdog. Writing 0 clears a bit.
    static let events: UInt8 = 0x44
    /// Minutes in two bytes; bit 14: times 4; 0 is off.
    static let watchdog: UInt8 = 0x61
    /// Steps of 1.024 s until the supply is cut, up to 250; 255 is none.
    static let cut: UInt8 = 0x62
    /// Percent from which a charging battery starts the host; bit 7: kept without supply.
    static let wakeOnCharge: UInt8 = 0x63
    /// Seconds, minutes, hours, weekday, day, month, year in BCD, fraction, flags.
    static let clock: UInt8 = 0xB0
    /// Seconds, minutes, hours and day of the month in BCD, mask of hours, period of minutes, mask of weekdays.
    static let alarm: UInt8 = 0xB9
    /// Bits 0 and 2: the alarm starts the host. Second byte, bit 0: the alarm rang.
    static let alarmControl: UInt8 = 0xC2
  }

  private enum Event {
    static let button: UInt8 = 1 << 0
    static let lowVoltage: UInt8 = 1 << 1 | 1 << 2
    static let watchdog: UInt8 = 1 << 3
  }

  /// Earlier firmware misses alarms.
  private static let firstReliable = 15
  private static let noCut: UInt8 = 255
  private static let wakeEnabled: UInt8 = 1 << 0 | 1 << 2
  private static let rang: UInt8 = 1 << 0
  /// Kept, and 20 %: the host starts before an alarm can be set, and must not empty the battery again.
  private static let defaultWakeOnCharge: UInt8 = 0x80 | 20

  private let blocks: PiJuiceBlocks
  private var address: I2CAddress { blocks.address }

  /// The pause of the maker's software after an error.
  public var retryPause: Duration { .seconds(4) }
  public var restartsRunningHost: Bool { true }
  public var cutNeedsClock: Bool { false }

  public init(bus: any I2CBus, address: I2CAddress) { blocks = PiJuiceBlocks(bus: bus, address: address) }

  public func identify() throws(ChipError) -> PowerManagerModel {
    let firmware = try blocks.identify()
    let objection =
      firmware < Self.firstReliable
      ? "firmware \(firmware / 10).\(firmware % 10) misses alarms; install 1.6" : nil
    return PowerManagerModel(name: "PiJuice", firmware: firmware, objection: objection)
  }

  // MARK: Wake timer

  /// An alarm has a day of the month and no month.
  public var longestWake: Duration { .seconds(27 * 86_400) }
  /// The pause of the maker's software before the alarm is read back.
  public var settleTime: Duration { .milliseconds(200) }

  public func seconds() throws(ChipError) -> Int64 {
    let data = try blocks.read(Command.clock, 9)
    guard data[2] & 0x40 == 0 else { throw .cannot(address, "its clock counts 12 hours") }
    guard let time = BoardClock.seconds([data[0], data[1], data[2], data[4], data[5], data[6]]) else {
      throw .cannot(address, "its clock shows an impossible date")
    }
    return time
  }

  @discardableResult public func setWake(in time: Duration) throws(ChipError) -> Int64 {
    guard (shortestWake...longestWake).contains(time) else {
      throw .cannot(address, "an alarm in \(time.wholeSeconds) s")
    }
    let due = try seconds() + time.wholeSeconds
    try blocks.write(Command.alarm, Self.alarm(due))
    // The kernel's driver disables the alarm at each start of the host.
    let control = try blocks.read(Command.alarmControl, 2)
    try blocks.set(Command.alarmControl, to: [control[0] | Self.wakeEnabled, control[1] & ~Self.rang])
    return due
  }

  public func verifyWake(at due: Int64) throws(ChipError) {
    try blocks.expect(Command.alarm, toHold: Self.alarm(due))
    let control = try blocks.read(Command.alarmControl, 2)
    guard control[0] & Self.wakeEnabled == Self.wakeEnabled else {
      throw .settingLost(
        address, register: Command.alarmControl, expected: UInt16(control[0] | Self.wakeEnabled),
        got: UInt16(control[0]))
    }
  }

  public func clearWake() throws(ChipError) {
    let control = try blocks.read(Command.alarmControl, 2)
    try blocks.set(Command.alarmControl, to: [control[0] & ~Self.wakeEnabled, control[1] & ~Self.rang])
  }

  /// All hours and weekdays, as the maker writes it.
  private static func alarm(_ due: Int64) -> [UInt8] {
    BoardClock.alarm(due) + [0xFF, 0xFF, 0xFF, 0x00, 0xFF]
  }

  // MARK: Power switch

  public func armCut(after time: Duration) throws(ChipError) {
    guard (.seconds(5)...Self.longestCut).contains(time) else {
      throw .cannot(address, "a cut in \(time.wholeSeconds) s")
    }
    guard try blocks.read(Command.status) >> 6 == 0 else {
      throw .cannot(address, "a cut: the host has another supply at its 5 V pins")
    }
    let steps = UInt8(clamping: (time.wholeSeconds * 1000 + 1023) / 1024)
    try blocks.write(Command.cut, [steps])
    let left = try blocks.read(Command.cut)
    // It counts down while it is read.
    guard left <= steps, left + 2 >= steps else {
      throw .settingLost(address, register: Command.cut, expected: UInt16(steps), got: UInt16(left))
    }
  }

  private static let longestCut = Duration.seconds(256)

  public func disarmCut() throws(ChipError) { try blocks.set(Command.cut, to: [Self.noCut]) }

  public func isCutArmed() throws(ChipError) -> Bool { try blocks.read(Command.cut) != Self.noCut }

  // MARK: Supervisor

  /// Steps are minutes up to 16,383, then four minutes up to 65,532. An empty battery ends the watchdog: a charge starts the
  /// host then, which is set as well.
  public func setDeadMan(_ time: Duration?) throws(ChipError) -> Duration? {
    let events = try blocks.read(Command.events)
    if events & 0x0F != 0 { try blocks.write(Command.events, [~(events & 0x0F)]) }
    guard let time else {
      try blocks.set(Command.watchdog, to: [0, 0])
      return nil
    }
    guard (.zero ... .seconds(Self.longestWatchdog * 60)).contains(time) else {
      throw .cannot(address, "a watchdog of \(time.wholeSeconds) s")
    }
    try keepWakeOnCharge()
    let minutes = max(1, (time.wholeSeconds + 59) / 60)
    let isLong = minutes > 0x3FFF
    let steps = isLong ? (minutes + 3) / 4 : minutes
    let word = UInt16(clamping: steps) | (isLong ? 0x4000 : 0)
    try blocks.set(Command.watchdog, to: [UInt8(truncatingIfNeeded: word), UInt8(word >> 8)])
    return .seconds((isLong ? steps * 4 : steps) * 60)
  }

  public func deadMan() throws(ChipError) -> Duration? {
    let data = try blocks.read(Command.watchdog, 2)
    let word = Int64(data[0]) | Int64(data[1]) << 8
    let minutes = (word & 0x3FFF) * (word & 0x4000 == 0 ? 1 : 4)
    return minutes == 0 ? nil : .seconds(minutes * 60)
  }

  public func setLimits(_ limits: SupplyLimits) throws(ChipError) {
    throw .cannot(address, "limits of the voltage: its battery profile has them")
  }

  private static let longestWatchdog: Int64 = 0x3FFF * 4

  /// A level that is stored stays. One that is off, or lost with an empty battery, is replaced.
  private func keepWakeOnCharge() throws(ChipError) {
    let level = try blocks.read(Command.wakeOnCharge)
    guard !(0x80...0x80 | 100).contains(level) else { return }
    try blocks.set(Command.wakeOnCharge, to: [Self.defaultWakeOnCharge])
  }

  public func startReason() throws(ChipError) -> StartReason {
    let events = try blocks.read(Command.events)
    if events & Event.watchdog != 0 { return .deadMan }
    if try blocks.read(Command.alarmControl, 2)[1] & Self.rang != 0 { return .alarm }
    if events & Event.lowVoltage != 0 { return .lowVoltage }
    return events & Event.button != 0 ? .button : .other(events)
  }
}
