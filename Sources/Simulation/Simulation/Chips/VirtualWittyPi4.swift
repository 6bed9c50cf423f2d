import Quantities

/// A simulation of the Witty Pi 4 at register level, after its firmware `WittyPi4.ino` revision 7, with the supply of the
/// host.
///
/// Simulated: the clock, both alarms with their window of two seconds, the delay of a cut, the refusal of an alarm below the
/// low voltage, the guaranteed wake, and a count of EEPROM writes for each cell. Not simulated: the alarm delayed until the
/// cut, the voltage that the board measures and writes by itself, the cut at a low voltage, which requires SYS_UP, the start
/// at the recovery voltage, the button's pulse on GPIO 4, the LED, the dummy load, temperature, and a halt that the board
/// sees on TXD.
public struct VirtualWittyPi4: VirtualPowerBoard, Sendable {
  /// The supply of the host.
  public enum Supply: Equatable, Sendable {
    case on
    /// The cut follows at this time.
    case cutting(at: Moment)
    case off(since: Moment)
  }

  public var faults: Set<PowerBoardFault> = []
  /// The voltage of the input in V.
  public var voltage = 12.0
  public private(set) var supply = Supply.on
  public private(set) var starts = 0
  /// The writes of each EEPROM cell.
  public private(set) var writes = [Int](repeating: 0, count: Self.cells)

  static let cells = 50
  private static let window: Int64 = 2
  private enum Alarm { case start, cut }

  private let model: UInt8
  private let firmware: UInt8
  private var memory = [UInt8](repeating: 0, count: 72)
  private var pointer = 0
  private var now = Moment.zero
  /// Seconds since 2000 at the last whole second of the clock.
  public var clock: Int64
  private var fraction = Duration.zero

  /// `time` is what the clock shows, in seconds since 2000.
  public init(model: UInt8 = 0x26, firmware: UInt8 = 7, time: Int64 = 841_000_000) {
    (self.model, self.firmware, clock) = (model, firmware, time)
    memory[19] = 255
    memory[21] = 70
    memory[22] = 255
    memory[11] = 10
  }

  public var isBatteryLow: Bool {
    get { voltage <= Double(Self.lowVoltage) / 10 }
    set {
      memory[19] = Self.lowVoltage
      voltage = newValue ? 5.5 : 12
    }
  }

  /// V × 10.
  private static let lowVoltage: UInt8 = 60

  /// True while the host has its supply.
  public var isHostPowered: Bool {
    if case .off = supply { false } else { true }
  }

  public var isInterruptRaised: Bool { false }
  public var nextStep: Moment? { nil }

  /// The board keeps EEPROM and clock without the supply of the bus.
  public mutating func powerUp(at moment: Moment) { advance(to: moment) }

  /// The button, or a pulse at the switch input.
  public mutating func click() {
    guard case .off = supply else { return }
    switchOn(3)
  }

  public mutating func advance(to moment: Moment) {
    while now + (.seconds(1) - fraction) <= moment {
      let idle = min(idleSeconds, (moment - now).wholeSeconds - 1)
      if idle > 0 { pass(.seconds(idle), ticks: idle) }
      pass(.seconds(1) - fraction, ticks: 1)
      fraction = .zero
      tick()
    }
    if moment > now {
      fraction = fraction + (moment - now)
      now = moment
    }
  }

  private mutating func pass(_ time: Duration, ticks: Int64) {
    now = now + time
    if !faults.contains(.stopsClock) { clock += ticks }
  }

  /// The number of the next seconds in which nothing can happen.
  private var idleSeconds: Int64 {
    var idle: Int64
    switch supply {
    case .cutting: return 0
    case .on:
      idle = secondsToAlarm(32)
    case .off(let since):
      idle = secondsToAlarm(27)
      if let wait = guaranteedWake { idle = min(idle, (since + wait - now).wholeSeconds - 2) }
    }
    return idle
  }

  /// The number of the next seconds that are before an alarm, whatever its day.
  private func secondsToAlarm(_ register: Int) -> Int64 {
    let wait = (secondOfDay(memory[register..<register + 3]) - clock) % 86_400
    let ahead = wait < 0 ? wait + 86_400 : wait
    return ahead > 86_400 - Self.window ? 0 : ahead - 1
  }

  private mutating func tick() {
    switch supply {
    case .on:
      if rings(.cut) {
        keep(40, 1)
        keep(10, 1)
        guard !faults.contains(.neverCuts) else { return }
        keep(11, 2)
        let delay = Duration.milliseconds(Int64(memory[21]) * 100)
        supply = .cutting(at: now + max(.zero, delay - .seconds(secondsEarly)))
      }
    case .cutting(let at):
      if now >= at { supply = .off(since: at) }
    case .off(let since):
      if rings(.start), !faults.contains(.neverRings) {
        if !isBelow(19) {
          keep(39, 1)
          keep(9, 1)
          switchOn(1)
        }
      }
      if let wait = guaranteedWake, now - since >= wait, !isHostPowered { switchOn(12) }
    }
  }

  private var secondsEarly: Int64 {
    for case .cutsEarly(let seconds) in faults { return seconds }
    return 0
  }

  /// Stores a value in a cell of the EEPROM, which is written if it changes.
  private mutating func keep(_ cell: Int, _ value: UInt8) {
    if memory[cell] != value { writes[cell] += 1 }
    memory[cell] = value
  }

  private mutating func switchOn(_ reason: UInt8) {
    keep(11, reason)
    supply = .on
    starts += 1
  }

  /// True if the voltage is below a threshold, which 255 switches off.
  private func isBelow(_ register: Int) -> Bool {
    memory[register] != 255 && memory[register] != 0 && voltage * 10 <= Double(memory[register])
  }

  private var guaranteedWake: Duration? {
    guard firmware >= 7, memory[49] & 0x7F != 0 else { return nil }
    let seconds = Int64(memory[49] & 0x7F) * (memory[49] & 0x80 == 0 ? 3600 : 86_400)
    return .seconds(faults.contains(.ringsDeadManEarly) ? seconds / 2 : seconds)
  }

  /// An alarm is compared by day of the month and time; it has no month. It rings once after its registers were written.
  private func rings(_ alarm: Alarm) -> Bool {
    let (register, flag) = alarm == .start ? (27, 9) : (32, 10)
    guard memory[register + 3] != 0, memory[flag] == 0 else { return false }
    let shown = fields
    guard memory[register + 3] == shown[3] else { return false }
    return (0..<Self.window).contains(
      secondOfDay(shown[0..<3]) - secondOfDay(memory[register..<register + 3]))
  }

  private func secondOfDay(_ bytes: ArraySlice<UInt8>) -> Int64 {
    bytes.reversed().reduce(Int64(0)) { $0 * 60 + Int64($1 >> 4) * 10 + Int64($1 & 0x0F) }
  }

  /// Seconds, minutes, hours, day, weekday, month, year in BCD.
  private var fields: [UInt8] {
    let (days, second) = clock.quotientAndRemainder(dividingBy: 86_400)
    let date = CalendarDate(daysSince1970: Int(clamping: days) + 10_957)
    return [
      Int(second) % 60, Int(second) / 60 % 60, Int(second) / 3600, date.day, (date.daysSince1970 + 4) % 7,
      date.month, date.year % 100,
    ].map { UInt8(truncatingIfNeeded: ($0 / 10) << 4 | $0 % 10) }
  }
}

extension VirtualWittyPi4 {
  /// Performs a transaction of one register; more bytes read as 0xFF.
  public mutating func transfer(write: [UInt8], readCount: Int) -> [UInt8] {
    if let first = write.first { pointer = Int(first) }
    if write.count == 2 { store(write[1]) }
    guard readCount > 0 else { return [] }
    return [load()] + [UInt8](repeating: 0xFF, count: readCount - 1)
  }

  private mutating func store(_ value: UInt8) {
    guard (16..<Self.cells).contains(pointer) else { return }
    if (27...31).contains(pointer) { keep(9, 0) }
    if (32...36).contains(pointer) { keep(10, 0) }
    if (27...31).contains(pointer), faults.contains(.losesAlarm) { return }
    var value = value
    for fault in faults {
      switch fault {
      case .changesAlarm(let byte, let other) where pointer == 27 + byte: value = other
      case .changesCut(let byte, let other) where pointer == 32 + byte: value = other
      default: break
      }
    }
    keep(pointer, value)
  }

  private mutating func load() -> UInt8 {
    switch pointer {
    case 0: return model
    case 1, 2:
      // A changed voltage is kept in the EEPROM.
      let value = UInt8(
        clamping: Int(pointer == 1 ? voltage : (voltage * 100).truncatingRemainder(dividingBy: 100)))
      keep(pointer, value)
      return value
    case 12: return firmware
    case 58...64: return fields[pointer - 58]
    default: return memory.indices.contains(pointer) ? memory[pointer] : 0xFF
    }
  }
}
