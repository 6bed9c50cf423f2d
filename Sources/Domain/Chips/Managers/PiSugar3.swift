import Quantities

/// PiSugar 3 and 3 Plus: a microcontroller with a DS3231 clock behind it.
///
/// Registers are those of the maker's I²C data sheet and `pisugar3.rs`. A transaction carries one register. Writes are ignored
/// until 0x29 was written to the write protection, so every change is read back. Reserved bits keep their values.
///
/// The board has no second timer. Its alarm has no date: set for all weekdays, one that is missed, for example at a low
/// battery, rings again a day later. The other way back is a supply that is connected.
///
/// Registers that are never written here: its own address (0x50 and 0x51), charging and battery (0x20), and the clock.
public struct PiSugar3: PowerManager {
  public static let name = "pisugar-3"
  public static let addresses = [0x57].compactMap(I2CAddress.init)
  public static let witness = "pisugar3.rs of PiSugar/pisugar-power-manager-rs and constants.py of sugarpie"

  private enum Register {
    /// Bit 7: an external supply is connected; bit 5: output on; bit 4: start when a supply is connected.
    static let control: UInt8 = 0x02
    /// Seconds from the clearing of the output bit to the cut.
    static let cutDelay: UInt8 = 0x09
    /// Year, month, day, weekday, hour, minute, second in BCD.
    static let clock: UInt8 = 0x31
    /// Bit 7: the alarm is on.
    static let alarmControl: UInt8 = 0x40
    /// A bit for each weekday, then hour, minute and second in BCD.
    static let alarm: UInt8 = 0x44
  }

  private static let outputOn: UInt8 = 1 << 5
  private static let startsWithSupply: UInt8 = 1 << 4
  private static let alarmOn: UInt8 = 1 << 7
  private static let everyDay: UInt8 = 0x7F
  /// Earlier firmware has no write protection, and is known to cut the supply by itself (issue 72 of PiSugar/PiSugar).
  private static let firstReliable = 124
  /// The time from the alarm until a program can ask for the reason of the start.
  private static let startTime: Int64 = 300

  private let registers: PiSugarRegisters
  private var address: I2CAddress { registers.address }

  public var retryPause: Duration { .milliseconds(500) }
  /// The alarm switches the output on, which it is.
  public var restartsRunningHost: Bool { false }
  public var cutNeedsClock: Bool { false }

  public init(bus: any I2CBus, address: I2CAddress) {
    registers = PiSugarRegisters(bus: bus, address: address)
  }

  public func identify() throws(ChipError) -> PowerManagerModel {
    try registers.identify()
    let firmware = try registers.readFirmware()
    let objection =
      firmware < Self.firstReliable ? "firmware before 1.2.4 cuts the supply by itself; install 1.3.4" : nil
    return PowerManagerModel(name: "PiSugar 3", firmware: firmware, objection: objection)
  }

  // MARK: Wake timer

  /// An alarm has a time of the day and no date.
  public var longestWake: Duration { .seconds(86_400 - 60) }
  public var settleTime: Duration { .zero }

  public func seconds() throws(ChipError) -> Int64 {
    for _ in 0..<Self.clockReads {
      let first = try readClock(6)
      let fields = try readClock(0, 1, 2, 4, 5, 6)
      guard let last = fields.last, last >= first[0] else { continue }
      guard let time = BoardClock.seconds(fields.reversed()) else {
        throw .cannot(address, "its clock shows an impossible date")
      }
      return time
    }
    throw .cannot(address, "its clock does not hold still")
  }

  /// The registers are read one by one: a reading during which the minute ends is repeated.
  private static let clockReads = 3

  private func readClock(_ offsets: UInt8...) throws(ChipError) -> [UInt8] {
    var bytes: [UInt8] = []
    for offset in offsets { bytes.append(try registers.read(Register.clock + offset)) }
    return bytes
  }

  @discardableResult public func setWake(in time: Duration) throws(ChipError) -> Int64 {
    guard (shortestWake...longestWake).contains(time) else {
      throw .cannot(address, "an alarm in \(time.wholeSeconds) s")
    }
    let due = try seconds() + time.wholeSeconds
    // The board compares an alarm each second, also while it is written.
    try clearWake()
    for (offset, value) in zip(UInt8(0)..., Self.alarm(due)) {
      try registers.set(Register.alarm + offset, to: value)
    }
    try registers.set(Register.alarmControl, bits: Self.alarmOn, to: Self.alarmOn)
    return due
  }

  public func verifyWake(at due: Int64) throws(ChipError) {
    for (offset, value) in zip(UInt8(0)..., Self.alarm(due)) {
      try registers.expect(Register.alarm + offset, toHold: value)
    }
    try registers.expect(Register.alarmControl, bits: Self.alarmOn, toHold: Self.alarmOn)
  }

  public func clearWake() throws(ChipError) {
    try registers.set(Register.alarmControl, bits: Self.alarmOn, to: 0)
  }

  /// All weekdays, hour, minute and second.
  private static func alarm(_ due: Int64) -> [UInt8] {
    let time = BoardClock.alarm(due)
    return [everyDay, time[2], time[1], time[0]]
  }

  // MARK: Power switch

  /// The delay is read back before the output is switched off: without it the supply would be cut at once.
  public func armCut(after time: Duration) throws(ChipError) {
    guard (.seconds(5) ... .seconds(255)).contains(time) else {
      throw .cannot(address, "a cut in \(time.wholeSeconds) s")
    }
    try registers.set(Register.cutDelay, to: UInt8(clamping: time.wholeSeconds))
    try registers.set(Register.control, bits: Self.startsWithSupply, to: Self.startsWithSupply)
    try registers.set(Register.control, bits: Self.outputOn, to: 0)
  }

  public func disarmCut() throws(ChipError) {
    try registers.set(Register.control, bits: Self.outputOn, to: Self.outputOn)
  }

  public func isCutArmed() throws(ChipError) -> Bool {
    try registers.read(Register.control) & Self.outputOn == 0
  }

  // MARK: Supervisor

  public func setDeadMan(_ time: Duration?) throws(ChipError) -> Duration? {
    guard time == nil else { throw noDeadMan }
    return nil
  }

  public func deadMan() throws(ChipError) -> Duration? { throw noDeadMan }

  private var noDeadMan: ChipError {
    .cannot(address, "a dead-man timer: it has none; set power_manager.dead_man to off")
  }

  public func setLimits(_ limits: SupplyLimits) throws(ChipError) {
    throw .cannot(address, "limits of the voltage: it stores none")
  }

  /// The board keeps no reason. A start shortly after the time of an alarm that is on is one by the alarm, also if that is a
  /// day late.
  public func startReason() throws(ChipError) -> StartReason {
    let control = try registers.read(Register.alarmControl)
    guard control & Self.alarmOn != 0 else { return .other(control) }
    let hour = try registers.read(Register.alarm + 1)
    let minute = try registers.read(Register.alarm + 2)
    let second = try registers.read(Register.alarm + 3)
    // On the first day of the board's calendar.
    guard let alarm = BoardClock.seconds([second, minute, hour, 0x01, 0x01, 0x00]) else {
      return .other(control)
    }
    let since = (try seconds() - alarm) % 86_400
    return since <= Self.startTime ? .alarm : .other(control)
  }
}
