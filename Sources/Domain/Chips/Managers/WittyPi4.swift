import Quantities

/// UUGear Witty Pi 4 and 4 L3V7: an ATtiny841 with a PCF85063 clock behind it. The 4 Mini has an identity that no public
/// source states, and is not accepted.
///
/// Registers are those of its firmware, `WittyPi4.ino` revision 7. A transaction carries one register. Every change of a
/// register below 50 is a write of the board's EEPROM, of which a cell lasts 100,000: nothing is written that has its value
/// already, and no voltage is read here, which would be a write as well.
///
/// The supply is cut by the second alarm, which needs no line besides the bus. The maker's way, a falling TXD of the header's
/// UART, would take a byte for the receiver as the end of the host.
public struct WittyPi4: PowerManager {
  public static let name = "witty-pi-4"
  public static let addresses = [0x08].compactMap(I2CAddress.init)
  public static let witness = "firmware WittyPi4.ino revision 7 and utilities.sh of uugear/Witty-Pi-4"

  enum Register {
    static let identity: UInt8 = 0
    static let lastAction: UInt8 = 11
    static let firmware: UInt8 = 12
    /// Seconds, minutes, hours and day of the month in BCD; a day of 0 is no alarm.
    static let startAlarm: UInt8 = 27
    /// V × 10, 255 is off.
    static let lowVoltage: UInt8 = 19
    /// V × 10, 255 is off. With the L3V7 a number other than 0 starts the host when USB power appears.
    static let recoveryVoltage: UInt8 = 22
    static let cutAlarm: UInt8 = 32
    /// Bits 0 to 6 number, bit 7 unit: hours or days; 0 is off. Since revision 7.
    static let guaranteedWake: UInt8 = 49
    /// Seconds (bit 7: the oscillator was stopped), minutes, hours, day, weekday, month, year in BCD.
    static let clock: UInt8 = 58
  }

  /// The models by their identity.
  private static let models: [UInt8: String] = [0x26: "Witty Pi 4", 0x37: "Witty Pi 4 L3V7"]
  /// Earlier firmware computes wrong alarms: hours in seconds overflow 16 bits.
  private static let firstReliable = 5
  private static let firstWithDeadMan = 7

  private let registers: ChipRegisters
  private var address: I2CAddress { registers.address }

  /// The software of the maker tries again after a second.
  public var retryPause: Duration { .milliseconds(500) }
  /// The alarm and the guaranteed wake are ignored while the supply is on.
  public var restartsRunningHost: Bool { false }
  public var cutNeedsClock: Bool { true }

  public init(bus: any I2CBus, address: I2CAddress) {
    registers = ChipRegisters(bus: bus, address: address)
  }

  public func identify() throws(ChipError) -> PowerManagerModel {
    let name = try readModel()
    let firmware = try registers.read(Register.firmware) as UInt8
    guard (1..<0x80).contains(firmware) else {
      throw .wrongIdentity(
        address, register: Register.firmware, expected: [UInt16(Self.firstWithDeadMan)], got: UInt16(firmware)
      )
    }
    let objection =
      firmware < Self.firstReliable
      ? "firmware \(firmware) computes wrong alarms; install revision \(Self.firstWithDeadMan)" : nil
    return PowerManagerModel(name: name, firmware: Int(firmware), objection: objection)
  }

  /// Also read before each change: a byte for this board may cut the supply of another one.
  @discardableResult private func readModel() throws(ChipError) -> String {
    let identity = try registers.read(Register.identity) as UInt8
    guard let name = Self.models[identity] else {
      throw .wrongIdentity(
        address, register: Register.identity, expected: Self.models.keys.sorted().map { UInt16($0) },
        got: UInt16(identity))
    }
    return name
  }

  // MARK: Wake timer

  /// An alarm has a day of the month and no month.
  public var longestWake: Duration { .seconds(27 * 86_400) }
  public var settleTime: Duration { .zero }

  public func seconds() throws(ChipError) -> Int64 {
    for _ in 0..<Self.clockReads {
      let (first, date) = try (readClock(0), readClock(3, 5, 6))
      let (minute, hour, last) = try (readClock(1)[0], readClock(2)[0], readClock(0)[0])
      guard last >= first[0] else { continue }
      guard first[0] & 0x80 == 0 else { throw .cannot(address, "its clock has stopped") }
      guard let time = BoardClock.seconds([last, minute, hour] + date) else {
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
    return try setAlarm(Register.startAlarm, in: time)
  }

  public func verifyWake(at due: Int64) throws(ChipError) { try expect(Register.startAlarm, toBe: due) }

  public func clearWake() throws(ChipError) { try clearAlarm(Register.startAlarm) }

  // MARK: Power switch

  public func armCut(after time: Duration) throws(ChipError) {
    guard (.seconds(5)...longestWake).contains(time) else {
      throw .cannot(address, "a cut in \(time.wholeSeconds) s")
    }
    _ = try setAlarm(Register.cutAlarm, in: time)
  }

  public func disarmCut() throws(ChipError) { try clearAlarm(Register.cutAlarm) }

  public func isCutArmed() throws(ChipError) -> Bool {
    try registers.read(Register.cutAlarm + 3) as UInt8 != 0
  }

  /// The board compares an alarm each second, also while it is written: the day is cleared first and set last.
  private func setAlarm(_ register: UInt8, in time: Duration) throws(ChipError) -> Int64 {
    let due = try seconds() + time.wholeSeconds
    try clearAlarm(register)
    for (offset, value) in zip(UInt8(0)..., BoardClock.alarm(due)) {
      try change(register + offset, to: value)
    }
    try expect(register, toBe: due)
    return due
  }

  private func expect(_ register: UInt8, toBe due: Int64) throws(ChipError) {
    for (offset, value) in zip(UInt8(0)..., BoardClock.alarm(due)) {
      try registers.expect(register + offset, toHold: value)
    }
  }

  private func clearAlarm(_ register: UInt8) throws(ChipError) {
    try readModel()
    try change(register + 3, to: 0)
  }

  /// Writes a register unless it has the value, and reads it back.
  private func change(_ register: UInt8, to value: UInt8) throws(ChipError) {
    guard try registers.read(register) as UInt8 != value else { return }
    try registers.set(register, to: value)
  }

  // MARK: Supervisor

  public func deadMan() throws(ChipError) -> Duration? {
    try requireGuaranteedWake()
    let value = try registers.read(Register.guaranteedWake) as UInt8
    let number = Int(value & 0x7F)
    return number == 0 ? nil : .seconds(number * (value & 0x80 == 0 ? 3600 : 86_400))
  }

  private func requireGuaranteedWake() throws(ChipError) {
    let firmware = try registers.read(Register.firmware) as UInt8
    guard firmware >= Self.firstWithDeadMan else {
      throw .cannot(
        address, "no guaranteed wake before firmware \(Self.firstWithDeadMan), and this is \(firmware)")
    }
  }

  /// Steps are hours up to 127, then days up to 127.
  public func setDeadMan(_ time: Duration?) throws(ChipError) -> Duration? {
    try readModel()
    try requireGuaranteedWake()
    guard let time else {
      try change(Register.guaranteedWake, to: 0)
      return nil
    }
    guard (.zero ... .seconds(127 * 86_400)).contains(time) else {
      throw .cannot(address, "a guaranteed wake in \(time.wholeSeconds) s")
    }
    let hours = max(1, (time.wholeSeconds + 3599) / 3600)
    let days = (hours + 23) / 24
    try change(Register.guaranteedWake, to: UInt8(hours <= 127 ? hours : days | 0x80))
    return .seconds(hours <= 127 ? hours * 3600 : days * 86_400)
  }

  /// The 4 takes 2.0 to 25.0 V in steps of 0.1 V. The L3V7 has no recovery voltage: it starts when USB power appears.
  public func setLimits(_ limits: SupplyLimits) throws(ChipError) {
    try readModel()
    let isCellBoard = try registers.read(Register.identity) as UInt8 == Self.cellModel
    if let low = limits.low { try change(Register.lowVoltage, to: tenths(low)) }
    guard let recovery = limits.recovery else { return }
    try change(Register.recoveryVoltage, to: isCellBoard ? 1 : tenths(recovery))
  }

  private static let cellModel: UInt8 = 0x37

  private func tenths(_ volts: Double) throws(ChipError) -> UInt8 {
    let number = (volts * 10).rounded()
    guard (20...250).contains(number) else { throw .cannot(address, "a limit of \(volts) V") }
    return UInt8(number)
  }

  public func startReason() throws(ChipError) -> StartReason {
    switch try registers.read(Register.lastAction) as UInt8 {
    case 1: .alarm
    case 2: .armedCut
    case 3: .button
    case 4: .lowVoltage
    case 5, 9, 10: .supply
    case 6, 7: .temperature
    case 8: .delayedAlarm
    case 11: .reboot
    case 12: .deadMan
    case let number: .other(number)
    }
  }
}
