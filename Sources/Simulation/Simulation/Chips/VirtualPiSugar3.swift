import Quantities

/// A simulation of the PiSugar 3 at register level, after the maker's I²C data sheet, with the supply of the host.
///
/// Simulated: the write protection, the clock, the alarm that rings each marked weekday, its refusal at a low battery, the
/// delay of a cut and firmware that ignores it, and the start by a supply that is connected. Not simulated: buttons, both
/// watchdogs, charging, the clock at address 0x68, and the change of its own address.
public struct VirtualPiSugar3: VirtualPowerBoard, Sendable {
  public var faults: Set<PowerBoardFault> = []
  /// Percent.
  public var charge: UInt8 = 80
  /// mV.
  public var voltage: UInt16 = 3900
  /// °C.
  public var temperature: Int8 = 21
  public var isBatteryLow = false
  public private(set) var isFed = false
  public private(set) var isHostPowered = true
  public private(set) var starts = 0
  /// The writes of each register that were taken.
  public private(set) var writes: [UInt8: Int] = [:]
  /// Seconds since 2000 at the last whole second of the clock.
  public var clock: Int64

  private static let control = 0x02
  private static let delay = 0x09
  private static let protection = 0x0B
  private static let alarm = 0x40
  /// The weekdays; hour, minute and second follow.
  private static let mask = 0x44
  private static let outputOn: UInt8 = 1 << 5

  private var memory = [UInt8](repeating: 0, count: 256)
  private var pointer = 0
  private var now = Moment.zero
  private var lastSecond = Moment.zero
  private var cutAt: Moment?

  /// `time` is what the clock shows, in seconds since 2000.
  public init(firmware: String = "1.3.4", time: Int64 = 841_000_000) {
    clock = time
    (memory[0], memory[1]) = (3, 0x0F)
    // Output on, charging allowed, and reserved bits.
    (memory[Self.control], memory[Self.alarm]) = (0x63, 0x05)
    for (offset, byte) in firmware.utf8.prefix(15).enumerated() { memory[0xE2 + offset] = byte }
  }

  public var isInterruptRaised: Bool { false }
  public var nextStep: Moment? { nil }

  /// The board keeps clock and settings without the supply of the bus.
  public mutating func powerUp(at moment: Moment) { advance(to: moment) }

  /// Connects an external supply.
  public mutating func connectSupply() {
    isFed = true
    if !isHostPowered, memory[Self.control] & 1 << 4 != 0 { switchOn() }
  }

  public mutating func advance(to moment: Moment) {
    while now < moment {
      let next = min(moment, max(nextEvent, now + .milliseconds(1)))
      let seconds = (next - lastSecond).wholeSeconds
      lastSecond = lastSecond + .seconds(seconds)
      if !faults.contains(.stopsClock) { clock += seconds }
      now = next
      step(hasTicked: seconds > 0)
    }
  }

  private var nextEvent: Moment {
    let wait = (alarmSecond - clock) % 86_400
    let ring = lastSecond + .seconds(wait > 0 ? wait : wait + 86_400)
    return min(ring, cutTime ?? ring)
  }

  private var cutTime: Moment? {
    guard let at = cutAt else { return nil }
    for case .cutsEarly(let seconds) in faults { return at - .seconds(seconds) }
    return at
  }

  private mutating func step(hasTicked: Bool) {
    if let at = cutTime, now >= at {
      cutAt = nil
      if !faults.contains(.neverCuts) { isHostPowered = false }
    }
    let isDue = hasTicked && memory[Self.alarm] & 0x80 != 0 && (clock - alarmSecond) % 86_400 == 0
    // 2000-01-01 was a Saturday, the last of the seven bits.
    let weekday = (clock / 86_400 + 6) % 7
    if isDue, memory[Self.mask] & 1 << UInt8(clamping: weekday) != 0, !isHostPowered, !isBatteryLow,
      !faults.contains(.neverRings)
    {
      switchOn()
    }
  }

  private mutating func switchOn() {
    memory[Self.control] |= Self.outputOn
    (isHostPowered, cutAt) = (true, nil)
    starts += 1
  }

  private var alarmSecond: Int64 {
    memory[Self.mask + 1...Self.mask + 3].reduce(Int64(0)) {
      $0 * 60 + Int64($1 >> 4) * 10 + Int64($1 & 0x0F)
    }
  }

  private static func bcd(_ value: Int) -> UInt8 { UInt8(truncatingIfNeeded: (value / 10) << 4 | value % 10) }
}

extension VirtualPiSugar3 {
  /// Performs a transaction of one register; more bytes read as 0xFF.
  public mutating func transfer(write: [UInt8], readCount: Int) -> [UInt8] {
    if let first = write.first { pointer = Int(first) }
    if write.count == 2 { store(write[1]) }
    guard readCount > 0 else { return [] }
    return [load()] + [UInt8](repeating: 0xFF, count: readCount - 1)
  }

  private mutating func store(_ value: UInt8) {
    if pointer == Self.protection {
      memory[pointer] = value == 0x29 ? 1 : 0
      return
    }
    guard memory[Self.protection] == 1, (0x02..<0xE0).contains(pointer) else { return }
    writes[UInt8(clamping: pointer), default: 0] += 1
    var value = value
    for fault in faults {
      switch fault {
      case .losesAlarm where pointer > Self.mask && pointer <= Self.mask + 3: return
      // Second, minute, hour, and the weekdays.
      case .changesAlarm(let byte, let other) where pointer == Self.mask + 3 - byte: value = other
      case .changesCut(_, let other) where pointer == Self.delay: value = other
      case .losesDelay where pointer == Self.delay: return
      default: break
      }
    }
    if pointer == Self.control { switchOutput(by: value) }
    memory[pointer] = value
  }

  /// The countdown of the cut begins when the bit is cleared.
  private mutating func switchOutput(by value: UInt8) {
    guard value & Self.outputOn == 0 else { return cutAt = nil }
    guard memory[Self.control] & Self.outputOn != 0 else { return }
    cutAt = now + .seconds(faults.contains(.ignoresDelay) ? 0 : Int64(memory[Self.delay]))
  }

  private func load() -> UInt8 {
    switch pointer {
    case Self.control: return memory[pointer] & 0x7F | (isFed ? 0x80 : 0)
    case 0x04: return UInt8(clamping: Int(temperature) + 40)
    case 0x22: return UInt8(voltage >> 8)
    case 0x23: return UInt8(truncatingIfNeeded: voltage)
    case 0x2A: return charge
    case 0x31...0x37:
      let (days, second) = clock.quotientAndRemainder(dividingBy: 86_400)
      let date = CalendarDate(daysSince1970: Int(clamping: days) + 10_957)
      return Self.bcd(
        [
          date.year % 100, date.month, date.day, Int(clamping: (days + 6) % 7), Int(second) / 3600,
          Int(second) / 60 % 60, Int(second) % 60,
        ][pointer - 0x31])
    default: return memory.indices.contains(pointer) ? memory[pointer] : 0xFF
    }
  }
}
