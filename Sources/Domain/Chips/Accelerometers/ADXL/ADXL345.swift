/// Analog Devices ADXL345: ±2 to ±16 g in steps of 3.9 mg, a FIFO of 32 samples, no temperature sensor.
///
/// Registers and bits are those of the data sheet (rev. E), table 19 and the pages after it.
public struct ADXL345: Accelerometer {
  public static let name = "adxl345"
  /// Pin ALT ADDRESS low, as usual on boards, or high (data sheet, "I2C").
  public static let addresses = [0x53, 0x1D].compactMap(I2CAddress.init)
  public static let witness: String? =
    "a register model of the ADXL345; the kernel's adxl345.h and adxl345_core.c; tables 14 and 15 of the data sheet; "
    + "inactivity by the kernel's register bits only"

  /// Register addresses (data sheet, "Register Map").
  enum Register {
    static let devID: UInt8 = 0x00
    static let threshAct: UInt8 = 0x24
    static let threshInact: UInt8 = 0x25
    static let actInactCtl: UInt8 = 0x27
    static let bwRate: UInt8 = 0x2C
    static let powerCtl: UInt8 = 0x2D
    static let intEnable: UInt8 = 0x2E
    static let intMap: UInt8 = 0x2F
    static let intSource: UInt8 = 0x30
    static let dataFormat: UInt8 = 0x31
    static let dataX0: UInt8 = 0x32
    static let fifoCtl: UInt8 = 0x38
  }

  /// `Rate` of `BW_RATE`; each step doubles it (table 7).
  static let rates = [
    RegisterChoice(1.5625, 4), RegisterChoice(3.125, 5), RegisterChoice(6.25, 6), RegisterChoice(12.5, 7),
    RegisterChoice(25, 8), RegisterChoice(50, 9), RegisterChoice(100, 10),
  ]
  /// `Range` of `DATA_FORMAT` (table 21).
  static let ranges = [
    RegisterChoice(2, 0), RegisterChoice(4, 1), RegisterChoice(8, 2), RegisterChoice(16, 3),
  ]
  /// g per LSB in full resolution, the same in all ranges (table 1: 256 LSB/g).
  static let scale: Float = 1 / 256
  /// Samples in the FIFO and the output registers (section "Retrieving Data from FIFO").
  static let depth = 33
  static let sampleLength = 6

  let registers: ChipRegisters
  /// `FIFO_CTL` during sampling: stream mode in bits 7 and 6, the watermark in bits 4 to 0.
  var fifoControl: UInt8?
  /// LSB from zero to the end of the range: 512 at ±2 g.
  var steps: Int16 = 0
  /// True if a reading failed.
  var isBroken = false
  var selfTest: SelfTestRun?

  public init(bus: any I2CBus, address: I2CAddress) {
    registers = ChipRegisters(bus: bus, address: address)
  }

  /// `DEVID` is 0xE5.
  public func identify() throws(ChipError) {
    try registers.expect(Register.devID, isOneOf: [0xE5])
  }

  /// Bit 3 of `DATA_FORMAT` is `FULL_RES`, right-justified. Bit 1 of `INT_ENABLE` is the watermark, mapped to
  /// INT1 by a zero in `INT_MAP`. Bit 3 of `POWER_CTL` is `Measure`. Bypass mode empties the FIFO.
  public mutating func start(_ request: SamplingRequest) throws(ChipError) -> Sampling {
    (fifoControl, isBroken, selfTest) = (nil, false, nil)
    let rate = try Self.rates.next(upwardsFrom: request.rate, "Hz sampling rate", of: registers.address)
    let range = try Self.ranges.next(upwardsFrom: request.range, "g range", of: registers.address)
    let watermark = request.watermark.map { min(max($0, 1), 31) }
    let control = 0x80 | UInt8(watermark ?? 0)
    try registers.expectReads(of: Self.sampleLength)

    try enterStandby()
    try registers.set(Register.dataFormat, to: 0x08 | range.code)
    try registers.write(Register.bwRate, rate.code)
    try registers.write(Register.fifoCtl, 0)
    try registers.set(Register.fifoCtl, to: control)
    try registers.write(Register.intEnable, watermark == nil ? 0 : 0x02, 0)
    try registers.set(Register.powerCtl, to: 0x08)
    fifoControl = control
    steps = 512 << Int16(range.code)
    return Sampling(
      rate: rate.value, range: range.value, resolution: Double(Self.scale), capacity: Self.depth - 1,
      watermark: watermark)
  }

  /// Each sample is a separate transaction: reading `DATAX0` to `DATAZ1` in one burst advances the FIFO by
  /// one, and the next address byte provides the required 5 µs. Bit 0 of `INT_SOURCE` reports an overrun and
  /// is cleared by reading the data; stream mode continues by itself. In full resolution a sample has ten to
  /// thirteen bits, and the others are copies of the sign. If one sample of a reading is out of range, all
  /// are rejected.
  public mutating func drain() throws(ChipError) -> FIFOReading {
    guard let control = fifoControl else {
      throw .cannot(registers.address, "a reading before the start of sampling")
    }
    if isBroken {
      try registers.write(Register.fifoCtl, 0)
      try registers.set(Register.fifoCtl, to: control)
      isBroken = false
      return FIFOReading(samples: [], isOverrun: true)
    }
    let source: UInt8 = try registers.read(Register.intSource)
    let state = try registers.read(Register.fifoCtl, 2)
    guard state[0] == control else {
      throw .settingLost(
        registers.address, register: Register.fifoCtl, expected: UInt16(control), got: UInt16(state[0]))
    }
    let present = min(Int(state[1] & 0x3F), Self.depth)
    let count = min(present, registers.recordsInOneStep(of: Self.sampleLength, burst: 1))
    var samples: [Acceleration] = []
    samples.reserveCapacity(count)
    isBroken = true
    for _ in 0..<count { samples.append(try readSample()) }
    isBroken = false
    let reading = FIFOReading(
      samples: samples, isOverrun: source & 0x01 != 0, waiting: present - count)
    return samples.allSatisfy(isWithinRange) ? reading : reading.doubted
  }

  public mutating func dieTemperature() throws(ChipError) -> Double? { nil }

  public mutating func powerDown() throws(ChipError) {
    (fifoControl, isBroken, selfTest) = (nil, false, nil)
    try enterStandby()
  }

  private func isWithinRange(_ sample: Acceleration) -> Bool {
    let range = Float(steps) * Self.scale
    let allowed = -range..<range
    return allowed.contains(sample.x) && allowed.contains(sample.y) && allowed.contains(sample.z)
  }

  /// `POWER_CTL` and `INT_ENABLE` are adjacent: standby, no interrupts.
  func enterStandby() throws(ChipError) { try registers.write(Register.powerCtl, 0, 0) }

  func readSample() throws(ChipError) -> Acceleration {
    Acceleration(
      littleEndian: try registers.read(Register.dataX0, Self.sampleLength), at: 0, scale: Self.scale)
  }
}
