/// The accelerometer of ST's LSM6DSO family: ±2 to ±16 g at 16 bits, a FIFO of 512 tagged samples. The
/// gyroscope is off.
///
/// Registers and bits are those of the LSM6DSO data sheet (DS12140), section 9.
public struct LSM6Accelerometer<Part: LSM6Part>: Accelerometer {
  public static var name: String { Part.name }
  /// Pin SDO/SA0 low or high.
  public static var addresses: [I2CAddress] { [0x6A, 0x6B].compactMap(I2CAddress.init) }
  public static var witness: String? { Part.witness }

  let registers: ChipRegisters
  var sampling: LSM6Sampling?
  var selfTest: SelfTestRun?

  public init(bus: any I2CBus, address: I2CAddress) {
    registers = ChipRegisters(bus: bus, address: address)
  }

  /// `WHO_AM_I` is 0x6C.
  public func identify() throws(ChipError) {
    try registers.expect(LSM6Register.whoAmI, isOneOf: [0x6C])
  }

  /// `FIFO_CTRL1` and bit 0 of `FIFO_CTRL2` hold the watermark, `FIFO_CTRL3` the FIFO's batch data rate,
  /// `FIFO_CTRL4` its mode (0 bypass, which empties it; 6 continuous). Bit 3 of `INT1_CTRL` is
  /// `INT1_FIFO_TH`.
  public mutating func start(_ request: SamplingRequest) throws(ChipError) -> Sampling {
    (sampling, selfTest) = (nil, nil)
    let rate = try LSM6Sampling.rates.next(
      upwardsFrom: request.rate, "Hz sampling rate", of: registers.address)
    let range = try LSM6Sampling.ranges.next(upwardsFrom: request.range, "g range", of: registers.address)
    let watermark = request.watermark.map { min(max($0, 1), LSM6Sampling.depth - 1) }
    let level = UInt16(watermark ?? 0)
    let new = LSM6Sampling(rate: rate, range: range)
    try registers.expectReads(of: LSM6Sampling.entryLength - 1)

    try reset()
    try registers.write(
      LSM6Register.fifoCtrl1, UInt8(truncatingIfNeeded: level), UInt8(level >> 8), rate.code)
    try registers.set(LSM6Register.fifoCtrl4, to: LSM6Sampling.continuous)
    try registers.write(LSM6Register.int1Ctrl, watermark == nil ? 0 : 0x08)
    try registers.set(LSM6Register.ctrl1XL, to: new.control)
    sampling = new
    return Sampling(
      rate: rate.value, range: range.value, resolution: Double(new.scale), capacity: LSM6Sampling.depth,
      watermark: watermark)
  }

  /// `FIFO_STATUS1` and `2` count the available entries of seven bytes. In a burst from the tag onwards, the
  /// register address wraps from `FIFO_DATA_OUT_Z_H` to the next tag. Continuous mode continues by itself
  /// after an overrun. One burst has at most ``LSM6Sampling/burst`` entries; an adapter with short reads
  /// needs several. If none of the entries is the accelerometer's, they are doubtful and the FIFO is
  /// restarted.
  public mutating func drain() throws(ChipError) -> FIFOReading {
    guard let current = sampling else {
      throw .cannot(registers.address, "a reading before the start of sampling")
    }
    if current.isBroken {
      try restartFIFO()
      return FIFOReading(samples: [], isOverrun: true)
    }
    let level = LSM6Sampling.Level(status: try registers.readLittleEndian(LSM6Register.fifoStatus1))
    guard level.count > 0 else {
      try checkStillSampling(as: current)
      return FIFOReading(samples: [], isOverrun: level.isOverrun)
    }
    let count = min(level.count, entriesInOneStep)
    sampling?.isBroken = true
    let samples = current.samples(of: try readEntries(count))
    guard !samples.isEmpty else {
      try restartFIFO()
      return FIFOReading(samples: [], isOverrun: level.isOverrun, doubtful: count)
    }
    sampling?.isBroken = false
    return FIFOReading(samples: samples, isOverrun: level.isOverrun, waiting: level.count - count)
  }

  private mutating func restartFIFO() throws(ChipError) {
    try registers.write(LSM6Register.fifoCtrl4, 0)
    try registers.set(LSM6Register.fifoCtrl4, to: LSM6Sampling.continuous)
    sampling?.isBroken = false
  }

  /// True if the adapter reads tag and words in one transaction.
  private var readsWholeEntries: Bool { registers.bus.longestRead >= LSM6Sampling.entryLength }

  private var entriesInOneStep: Int {
    let count =
      readsWholeEntries
      ? registers.recordsInOneStep(of: LSM6Sampling.entryLength, burst: LSM6Sampling.burst)
      : registers.recordsInOneStep(of: LSM6Sampling.entryLength, parts: 2, burst: 1)
    return min(count, LSM6Sampling.burst)
  }

  /// Reads whole entries. If the adapter cannot read one in a single transaction, it reads the tag and then
  /// the words, as in ST's examples: reading `FIFO_DATA_OUT_Z_H` advances the FIFO.
  private func readEntries(_ count: Int) throws(ChipError) -> [UInt8] {
    guard !readsWholeEntries else {
      return try registers.read(
        LSM6Register.fifoDataOutTag, records: count, of: LSM6Sampling.entryLength, burst: LSM6Sampling.burst)
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(LSM6Sampling.entryLength * count)
    for _ in 0..<count {
      bytes.append(try registers.read(LSM6Register.fifoDataOutTag))
      bytes += try registers.read(LSM6Register.fifoDataOutXL, LSM6Sampling.entryLength - 1)
    }
    return bytes
  }

  /// Distinguishes an empty FIFO from a chip that lost its supply, which also shows none.
  private func checkStillSampling(as current: LSM6Sampling) throws(ChipError) {
    try registers.expect(LSM6Register.ctrl1XL, toHold: current.control)
  }

  /// `OUT_TEMP`: 256 LSB/°C, zero at 25 °C (data sheet, "Temperature sensor characteristics").
  public mutating func dieTemperature() throws(ChipError) -> Double? {
    guard sampling != nil else { return nil }
    let raw = try registers.readLittleEndian(LSM6Register.outTempL)
    return 25 + Double(Int16(bitPattern: raw)) / 256
  }

  public mutating func powerDown() throws(ChipError) {
    (sampling, selfTest) = (nil, nil)
    try registers.write(LSM6Register.ctrl1XL, 0)
  }
}
