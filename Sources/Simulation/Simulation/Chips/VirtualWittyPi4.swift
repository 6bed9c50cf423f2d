import Quantities

/// A simulation of the Witty Pi 4 at register level, after its firmware `WittyPi4.ino` revision 7, with the supply of the
/// host.
///
/// Simulated: the clock, both alarms with their window of two seconds, the delay of a cut, the refusal of an alarm below the
/// low voltage, the recovery voltage, the guaranteed wake, and a count of EEPROM writes for each cell. Not simulated: the
/// button's pulse on GPIO 4, the LED, the dummy load, temperature, and a halt that the board sees on TXD.
public struct VirtualWittyPi4: VirtualPart, Sendable {
  /// The supply of the host.
  public enum Supply: Equatable, Sendable {
    case on
    /// The cut follows at this time.
    case cutting(at: Moment)
    case off(since: Moment)
  }

  /// Faults of the board; all of them off.
  public struct Faults: Equatable, Sendable {
    /// The clock does not advance.
    public var clockStands = false
    /// The alarm that starts the host never rings.
    public var losesWake = false
    /// The cut is never made.
    public var neverCuts = false
    /// Seconds by which a cut comes early.
    public var cutsEarly: Int64 = 0
    /// The value that this register takes instead of the written one.
    public var misreads: (register: UInt8, value: UInt8)?

    public init() {}

    public static func == (a: Faults, b: Faults) -> Bool {
      (a.clockStands, a.losesWake, a.neverCuts, a.cutsEarly) == (
        b.clockStands, b.losesWake, b.neverCuts, b.cutsEarly
      ) && a.misreads?.register == b.misreads?.register && a.misreads?.value == b.misreads?.value
    }
  }

  public var faults = Faults()
  /// The voltage of the input in V.
  public var voltage = 12.0
  public private(set) var supply = Supply.on
  /// The writes of each EEPROM cell.
  public private(set) var writes = [Int](repeating: 0, count: Self.cells)

  static let cells = 50
  private static let window: Int64 = 2

  private let model: UInt8
  private let firmware: UInt8
  private var memory = [UInt8](repeating: 0, count: 72)
  private var pointer = 0
  private var now = Moment.zero
  /// Seconds since 2000 that the clock shows at ``now``, and the part of a second since.
  private var clock: Int64
  private var fraction = Duration.zero
  /// True after the board cut the supply because of the voltage.
  private var isLow = false
  private var reason: UInt8 = 10

  /// `time` is what the clock shows, in seconds since 2000.
  public init(model: UInt8 = 0x26, firmware: UInt8 = 7, time: Int64 = 841_000_000) {
    (self.model, self.firmware, clock) = (model, firmware, time)
    memory[19] = 255
    memory[21] = 70
    memory[22] = 255
  }

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

  /// Sets the clock, as after a lost backup supply.
  public mutating func setClock(_ time: Int64) { clock = time }

  public mutating func advance(to moment: Moment) {
    while now + (.seconds(1) - fraction) <= moment {
      now = now + (.seconds(1) - fraction)
      fraction = .zero
      if !faults.clockStands { clock += 1 }
      tick()
    }
    if moment > now {
      fraction = fraction + (moment - now)
      now = moment
    }
  }

  private mutating func tick() {
    switch supply {
    case .on:
      if rings(alarm: 32), !faults.neverCuts {
        (reason, memory[40]) = (2, 1)
        let delay = Duration.milliseconds(Int64(memory[21]) * 100)
        supply = .cutting(at: now + max(.zero, delay - .seconds(faults.cutsEarly)))
      } else if isBelow(19), !isLow {
        (reason, isLow) = (4, true)
        supply = .off(since: now)
      }
    case .cutting(let at):
      if now >= at { supply = .off(since: at) }
    case .off(let since):
      if isLow {
        if memory[22] != 255, voltage * 10 >= Double(memory[22]) { switchOn(5) }
      } else if rings(alarm: 27), !faults.losesWake {
        memory[39] = 1
        if !isBelow(19) { switchOn(1) }
      }
      if let wait = guaranteedWake, now - since >= wait, !isHostPowered { switchOn(12) }
    }
  }

  private mutating func switchOn(_ reason: UInt8) {
    (supply, self.reason, isLow) = (.on, reason, false)
  }

  /// True if the voltage is below a threshold, which 255 switches off.
  private func isBelow(_ register: Int) -> Bool {
    memory[register] != 255 && memory[register] != 0 && voltage * 10 <= Double(memory[register])
  }

  private var guaranteedWake: Duration? {
    guard firmware >= 7, memory[49] & 0x7F != 0 else { return nil }
    return .seconds(Int64(memory[49] & 0x7F) * (memory[49] & 0x80 == 0 ? 3600 : 86_400))
  }

  /// An alarm is compared by day of the month and time; it has no month.
  private func rings(alarm register: Int) -> Bool {
    guard memory[register + 3] != 0 else { return false }
    let shown = fields
    guard memory[register + 3] == shown[3] else { return false }
    let seconds = { (bytes: ArraySlice<UInt8>) in
      bytes.reversed().reduce(Int64(0)) { $0 * 60 + Int64($1 >> 4) * 10 + Int64($1 & 0x0F) }
    }
    let late = seconds(shown[0..<3]) - seconds(memory[register..<register + 3])
    return (0..<Self.window).contains(late)
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
    let value = faults.misreads.flatMap { Int($0.register) == pointer ? $0.value : nil } ?? value
    switch pointer {
    case 16..<Self.cells:
      if memory[pointer] != value { writes[pointer] += 1 }
      memory[pointer] = value
    default: break
    }
  }

  private mutating func load() -> UInt8 {
    switch pointer {
    case 0: return model
    case 1, 2:
      // A changed voltage is kept in the EEPROM.
      let value = UInt8(
        clamping: Int(pointer == 1 ? voltage : (voltage * 100).truncatingRemainder(dividingBy: 100)))
      if memory[pointer] != value { writes[pointer] += 1 }
      memory[pointer] = value
      return value
    case 8: return isLow ? 1 : 0
    case 11: return reason
    case 12: return firmware
    case 58...64: return fields[pointer - 58]
    default: return memory.indices.contains(pointer) ? memory[pointer] : 0xFF
    }
  }
}
