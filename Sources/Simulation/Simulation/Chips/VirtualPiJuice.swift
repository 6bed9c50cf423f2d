import Quantities

/// A simulation of the PiJuice at the level of its commands, after its firmware 1.6, with the supply of the host.
///
/// Simulated: checksums and a lost top bit, the clock, the alarm with the time it takes to read back, the conditions of a wake
/// (15 s after the last command, 30 s after the last start, no cut pending) and its loss by a command, the cut and its refusal
/// while the host has another supply, the watchdog that runs on while the supply is off, the start by a charge, a low and an
/// empty battery. Not simulated: buttons, LED, IO pins, charging, and the clock at address 0x68.
public struct VirtualPiJuice: VirtualPowerBoard, Sendable {
  /// The connections and the battery.
  public struct Power: Equatable, Sendable {
    /// True if a charger feeds the USB input.
    public var isCharging = false
    /// True if the host has another supply at its 5 V pins.
    public var isFed = false
    /// Percent.
    public var charge: UInt8 = 80
    /// mV.
    public var voltage: UInt16 = 3900
    /// °C.
    public var temperature: Int8 = 21
    /// True if the battery cannot feed the host.
    public var isLow = false

    public init() {}
  }

  public var power = Power()
  public var faults: Set<PowerBoardFault> = []
  /// The number of answers of which the top bit of the first byte is lost.
  public var lostTopBits = 0
  public private(set) var isHostPowered = true
  public private(set) var starts = 0
  /// The writes of each command, those with a wrong checksum left out.
  public private(set) var writes: [UInt8: Int] = [:]
  /// Seconds since 2000 at the last whole second of the clock.
  public var clock: Int64

  private let firmware: UInt8
  private var now = Moment.zero
  private var lastSecond = Moment.zero
  /// What is lost with an empty battery.
  private var memory = Memory()
  /// Percent; bit 7: kept.
  private var wakeOnCharge: UInt8 = 0x7F

  private struct Memory {
    var alarm = Self.noAlarm
    /// The alarm written last, and the time at which it is taken over.
    var next: (alarm: [UInt8], at: Moment)?
    var control: [UInt8] = [0, 0]
    var events: UInt8 = 0
    /// Minutes; 0 is off.
    var watchdog: UInt16 = 0
    var watchdogAt: Moment?
    var cutAt: Moment?
    var lastCommand = Moment.zero
    var lastStart: Moment?
    var isWakePending = false
    /// True until a charge has started the host.
    var startsOnCharge = true

    static let noAlarm: [UInt8] = [0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0, 0xFF]
  }

  private static let settling = Duration.milliseconds(150)
  private static let quiet = Duration.seconds(15)
  private static let sinceStart = Duration.seconds(30)

  /// `time` is what the clock shows, in seconds since 2000; `firmware` is 0x16 for 1.6.
  public init(firmware: UInt8 = 0x16, time: Int64 = 841_000_000) {
    (self.firmware, clock) = (firmware, time)
  }

  public var isInterruptRaised: Bool { false }
  public var nextStep: Moment? { nil }

  public var isBatteryLow: Bool {
    get { power.isLow }
    set { power.isLow = newValue }
  }

  /// The board keeps clock and settings without the supply of the bus.
  public mutating func powerUp(at moment: Moment) { advance(to: moment) }

  /// The battery is empty: everything is lost but the stored settings, and the clock begins at 2000.
  public mutating func empty() {
    (memory, clock, isHostPowered) = (Memory(), 0, false)
    (memory.lastCommand, power.isLow, power.charge) = (now, true, 0)
  }

  public mutating func advance(to moment: Moment) {
    while now < moment {
      let next = min(moment, nextEvent)
      let seconds = (next - lastSecond).wholeSeconds
      lastSecond = lastSecond + .seconds(seconds)
      if !faults.contains(.stopsClock) { clock += seconds }
      let hasTicked = seconds > 0
      now = next
      step(hasTicked: hasTicked)
    }
  }

  /// The next time at which something may happen without a command; at most a day ahead.
  private var nextEvent: Moment {
    let second = lastSecond + .seconds(1)
    var times = [memory.next?.at, cutTime, watchdogTime].compactMap { $0 }
    if times.contains(where: { $0 <= now }) { times.append(second) }
    if memory.isWakePending || power.isCharging {
      times += [memory.lastCommand + Self.quiet, (memory.lastStart ?? .zero) + Self.sinceStart]
    }
    if isGivingWay || isCharged { times.append(second) }
    let alarm = memory.alarm.prefix(3).reversed().reduce(Int64(0)) { $0 * 60 + Self.number($1) }
    let wait = (alarm - clock) % 86_400
    times.append(lastSecond + .seconds(wait > 0 ? wait : wait + 86_400))
    return times.filter { $0 > now }.min() ?? second
  }

  private var isGivingWay: Bool { isHostPowered && power.isLow && !power.isFed }

  private var isCharged: Bool {
    power.isCharging && memory.startsOnCharge && wakeOnCharge & 0x7F <= 100
      && power.charge >= wakeOnCharge & 0x7F
  }

  private var cutTime: Moment? {
    guard let at = memory.cutAt else { return nil }
    for case .cutsEarly(let seconds) in faults { return at - .seconds(seconds) }
    return at
  }

  private var watchdogTime: Moment? {
    guard memory.watchdog > 0, let at = memory.watchdogAt else { return nil }
    return faults.contains(.ringsDeadManEarly) ? at - .seconds(Int64(memory.watchdog) * 30) : at
  }

  private mutating func step(hasTicked: Bool) {
    if let next = memory.next, now >= next.at { (memory.alarm, memory.next) = (next.alarm, nil) }
    if isGivingWay {
      isHostPowered = false
      memory.events |= 1 << 1
    }
    if hasTicked, memory.alarm.prefix(4) == fields, memory.alarm[4..<7] == [0xFF, 0xFF, 0xFF],
      !faults.contains(.neverRings)
    {
      memory.control[1] |= 1
      if memory.control[0] & 5 == 5 { memory.isWakePending = true }
    }
    if let at = cutTime, now >= at {
      memory.cutAt = nil
      if !power.isFed, !faults.contains(.neverCuts) { isHostPowered = false }
    }
    if memory.isWakePending || isCharged, memory.cutAt == nil, now - memory.lastCommand >= Self.quiet,
      now - (memory.lastStart ?? .zero) >= Self.sinceStart
    {
      restart()
    }
    if let at = watchdogTime, now >= at {
      restart()
      memory.events |= 1 << 3
      memory.watchdogAt = now + .seconds(Int64(memory.watchdog) * 60)
    }
    if !power.isCharging, wakeOnCharge & 0x80 != 0 { memory.startsOnCharge = true }
  }

  /// A host that is up is restarted. A low battery starts none, and the reason for the start is forgotten.
  private mutating func restart() {
    (memory.isWakePending, memory.startsOnCharge, memory.cutAt) = (false, false, nil)
    memory.lastStart = now
    guard !power.isLow || power.isFed else { return }
    isHostPowered = true
    starts += 1
  }

  /// Seconds, minutes, hours and day of the clock in BCD.
  private var fields: ArraySlice<UInt8> {
    let (date, second) = shown
    return [second % 60, second / 60 % 60, second / 3600, date.day].map(Self.bcd)[...]
  }

  private var shown: (date: CalendarDate, second: Int) {
    let (days, second) = clock.quotientAndRemainder(dividingBy: 86_400)
    return (CalendarDate(daysSince1970: Int(clamping: days) + 10_957), Int(second))
  }

  private static func bcd(_ value: Int) -> UInt8 { UInt8(truncatingIfNeeded: (value / 10) << 4 | value % 10) }
  private static func number(_ byte: UInt8) -> Int64 { Int64(byte >> 4) * 10 + Int64(byte & 0x0F) }
}

extension VirtualPiJuice {
  /// Performs a transaction of one command; more bytes read as 0xFF.
  public mutating func transfer(write: [UInt8], readCount: Int) -> [UInt8] {
    guard let command = write.first else { return [UInt8](repeating: 0xFF, count: max(0, readCount)) }
    memory.lastCommand = now
    memory.isWakePending = false
    if memory.watchdog > 0 { memory.watchdogAt = now + .seconds(Int64(memory.watchdog) * 60) }
    if write.count > 2, let sum = write.last {
      let data = Array(write[1..<(write.count - 1)])
      if Self.sum(data) == sum { store(command, data) }
    }
    guard readCount > 0 else { return [] }
    var answer = load(command)
    answer.append(Self.sum(answer))
    if lostTopBits > 0 {
      lostTopBits -= 1
      answer[0] &= 0x7F
    }
    return Array(answer.prefix(readCount))
      + [UInt8](repeating: 0xFF, count: max(0, readCount - answer.count))
  }

  private static func sum(_ data: [UInt8]) -> UInt8 { data.reduce(0xFF, ^) }

  private mutating func store(_ command: UInt8, _ data: [UInt8]) {
    writes[command, default: 0] += 1
    switch (command, data.count) {
    case (0x44, 1): memory.events &= data[0]
    case (0x61, 2):
      let word = UInt16(data[1]) << 8 | UInt16(data[0])
      memory.watchdog = (word & 0x3FFF) << (word & 0x4000 == 0 ? 0 : 2)
      memory.watchdogAt = now + .seconds(Int64(memory.watchdog) * 60)
    case (0x62, 1):
      var value = data[0]
      for case .changesCut(_, let other) in faults { value = other }
      if value <= 250 { memory.cutAt = now + .milliseconds(Int64(value) * 1024) }
      if value == 255 { memory.cutAt = nil }
    case (0x63, 1): if data[0] & 0x80 != 0 { wakeOnCharge = data[0] }
    case (0xB9, 9):
      guard !faults.contains(.losesAlarm) else { return }
      var alarm = data
      for case .changesAlarm(let byte, let value) in faults where alarm.indices.contains(byte) {
        alarm[byte] = value
      }
      memory.next = (alarm, now + Self.settling)
    case (0xC2, 2): memory.control = [data[0], memory.control[1] & (data[1] | 0xFC)]
    default: break
    }
  }

  private func load(_ command: UInt8) -> [UInt8] {
    let word = { (value: UInt16) in [UInt8(truncatingIfNeeded: value), UInt8(value >> 8)] }
    switch command {
    case 0x40:
      let battery: UInt8 = power.isCharging ? 1 << 2 : 0
      return [battery | (power.isCharging ? 3 << 4 : 0) | (power.isFed ? 3 << 6 : 0)]
    case 0x41: return [power.charge]
    case 0x44: return [memory.events]
    case 0x47: return [UInt8(bitPattern: power.temperature), 0xFF]
    case 0x49: return word(power.voltage)
    case 0x61:
      return word(memory.watchdog > 0x3FFF ? memory.watchdog >> 2 | 0x4000 : memory.watchdog)
    case 0x62:
      guard let at = memory.cutAt else { return [255] }
      return [UInt8(clamping: max(.zero, at - now).wholeNanoseconds / 1_024_000_000)]
    case 0x63: return [wakeOnCharge]
    case 0xB0:
      let (date, _) = shown
      return Array(fields.prefix(3)) + [Self.bcd(1 + (date.daysSince1970 + 3) % 7), fields[3]]
        + [Self.bcd(date.month), Self.bcd(date.year % 100), 0, 0]
    case 0xB9: return memory.alarm
    case 0xC2: return memory.control
    case 0xFD: return [firmware, 0]
    default: return [0]
    }
  }
}
