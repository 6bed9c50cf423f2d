/// The registers of a MAX17048 (data sheet 19-6171, table "Register Summary") and the meaning of their bits.
struct MAX17048Words: Equatable, Sendable {
  /// The registers by name.
  enum Name: UInt8, Sendable {
    case vcell = 0x02
    case soc = 0x04
    case mode = 0x06
    case version = 0x08
    case hibrt = 0x0A
    case config = 0x0C
    case valrt = 0x14
    case crate = 0x16
    case vreset = 0x18
    case status = 0x1A
  }

  /// Bits of `STATUS`.
  enum Flag: UInt16, Sendable {
    /// `RI`: not configured since reset.
    case reset = 0x0100
    /// `VH`, `VL`: outside `VALRT`.
    case voltageHigh = 0x0200
    case voltageLow = 0x0400
    /// `VR`: the cell was exchanged.
    case voltageReset = 0x0800
    /// `HD`: charge below `ATHD`.
    case chargeLow = 0x1000
    /// `SC`: charge changed by one percent.
    case chargeChanged = 0x2000
  }

  /// `CMD`, and the value that resets the chip.
  static let command: UInt8 = 0xFE
  static let reset: UInt16 = 0x5400

  private static let alert: UInt16 = 0x0020
  /// The words at even addresses from 0 on.
  private var words = [UInt16](repeating: 0, count: 14)
  /// The last estimate in whole percent; nil before the first.
  private var percent: Int?
  private var isLow = false

  init() {
    self[.hibrt] = 0x8030
    self[.config] = 0x971C
    self[.valrt] = 0x00FF
    self[.vreset] = 0x960C
    self[.status] = Flag.reset.rawValue
  }

  subscript(name: Name) -> UInt16 {
    get { words[Int(name.rawValue / 2)] }
    set { words[Int(name.rawValue / 2)] = newValue }
  }

  func read(_ number: UInt8) -> UInt16 { Name(rawValue: number).map { self[$0] } ?? 0 }

  mutating func write(_ word: UInt16, to number: UInt8) {
    guard let name = Name(rawValue: number) else { return }
    switch name {
    case .vcell, .soc, .version, .crate: break
    // `EnSleep` is writable; the quick start clears itself and `HibStat` is read-only.
    case .mode: self[.mode] = word & 0x2000 | self[.mode] & 0x1000
    // `ALRT` can be cleared, not set.
    case .config: self[.config] = word & ~Self.alert | word & self[.config] & Self.alert
    // Flags can be cleared, not set; `EnVR` is writable.
    case .status: self[.status] = word & 0x4000 | word & self[.status] & 0x3F00
    // The lower byte identifies the production lot.
    case .vreset: self[.vreset] = word & 0xFF00 | self[.vreset] & 0x00FF
    case .hibrt, .valrt: self[name] = word
    }
  }

  /// `SLEEP` of `CONFIG`, allowed by `EnSleep` of `MODE`.
  var isAsleep: Bool { self[.config] & 0x0080 != 0 && self[.mode] & 0x2000 != 0 }
  /// `ALRT` of `CONFIG`.
  var isAlerting: Bool { self[.config] & Self.alert != 0 }
  /// `EnVR` of `STATUS`.
  var reportsReset: Bool { self[.status] & 0x4000 != 0 }
  /// V; `VRESET[7:1]` counts 40 mV.
  var resetThreshold: Double { Double(self[.vreset] >> 9) * 0.04 }

  /// `HibStat` of `MODE`.
  var isHibernating: Bool {
    get { self[.mode] & 0x1000 != 0 }
    set { self[.mode] = self[.mode] & ~0x1000 | (newValue ? 0x1000 : 0) }
  }

  /// Sets a flag, and asserts ALRT if the flag was not set.
  mutating func raise(_ flag: Flag) {
    guard self[.status] & flag.rawValue == 0 else { return }
    self[.status] |= flag.rawValue
    self[.config] |= Self.alert
  }

  /// Updates the voltage. `VCELL` counts 78.125 µV, `VALRT` 20 mV: the minimum in its upper, the maximum in
  /// its lower byte.
  mutating func take(voltage: Double) {
    self[.vcell] = Self.word(voltage / 78.125e-6)
    if voltage < Double(self[.valrt] >> 8) * 0.02 { raise(.voltageLow) }
    if voltage > Double(self[.valrt] & 0xFF) * 0.02 { raise(.voltageHigh) }
  }

  /// Updates the charge. `SOC` counts 1/256 %, `CRATE` 0.208 %/h. `ATHD` of `CONFIG` is 32 % minus its value;
  /// `ALSC` enables an alert for each percent.
  mutating func take(percent value: Double, rate: Double) {
    self[.soc] = Self.word(value * 256)
    let steps = (rate / 0.208).rounded(.toNearestOrEven)
    self[.crate] = UInt16(bitPattern: steps.isNaN ? 0 : Int16(min(max(steps, -32768), 32767)))
    let whole = Int(self[.soc] >> 8)
    if self[.config] & 0x0040 != 0, let percent, percent != whole { raise(.chargeChanged) }
    percent = whole
    let wasLow = isLow
    isLow = value < 32 - Double(self[.config] & 0x1F)
    if isLow, !wasLow { raise(.chargeLow) }
  }

  private static func word(_ value: Double) -> UInt16 {
    value.isNaN ? 0 : UInt16(min(max(value, 0), 65535))
  }
}
