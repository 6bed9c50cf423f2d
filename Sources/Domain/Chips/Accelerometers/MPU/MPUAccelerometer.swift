/// The accelerometer of InvenSense's MPU family: ±2 to ±16 g at 16 bits. The gyroscopes are off.
///
/// The FIFO has no watermark and must be polled. It overwrites its oldest bytes, not its oldest samples, so
/// an overrun loses all samples.
public struct MPUAccelerometer<Part: MPUPart>: Accelerometer {
  public static var name: String { Part.name }
  /// Pin AD0 low or high.
  public static var addresses: [I2CAddress] { [0x68, 0x69].compactMap(I2CAddress.init) }
  public static var witness: String? { Part.witness }

  let registers: ChipRegisters
  var sampling: MPUSampling?
  var selfTest: (run: SelfTestRun, limits: SelfTestLimits)?

  public init(bus: any I2CBus, address: I2CAddress) {
    registers = ChipRegisters(bus: bus, address: address)
  }

  /// `WHO_AM_I` is independent of the address.
  public func identify() throws(ChipError) {
    try registers.expect(MPURegister.whoAmI, isOneOf: Part.identities)
  }

  /// `SMPLRT_DIV`, `CONFIG`, `GYRO_CONFIG` and `ACCEL_CONFIG` are adjacent. Bit 4 of `INT_ENABLE` is
  /// `FIFO_OFLOW_EN`: the line is raised on an overflow, when data is already lost, and lowered by reading
  /// `INT_STATUS`.
  public mutating func start(_ request: SamplingRequest) throws(ChipError) -> Sampling {
    (sampling, selfTest) = (nil, nil)
    let filter = try MPUSampling.filters.next(
      upwardsFrom: request.rate, "Hz sampling rate", of: registers.address)
    let range = try MPUSampling.ranges.next(upwardsFrom: request.range, "g range", of: registers.address)
    let divider = MPUSampling.divider(upwardsFrom: request.rate)
    let new = MPUSampling(range: range)

    try wake()
    try registers.write(MPURegister.smplrtDiv, divider, filter.code, 0, range.code << 3)
    try write(Part.filter(filter.code))
    try registers.write(MPURegister.intPinCfg, 0x20, 0x10)
    try restartFIFO()
    sampling = new
    return Sampling(
      rate: 1000 / (Double(divider) + 1), range: range.value, resolution: Double(new.scale),
      capacity: Part.fifoLength / MPUSampling.sampleLength, watermark: nil)
  }

  /// Bit 4 of `INT_STATUS` reports an overrun, and `FIFO_COUNT` the number of available bytes. A burst from
  /// `FIFO_R_W` does not increment the address. One burst has at most ``MPUSampling/burst`` bytes; an adapter
  /// with short reads needs several, because the register supplies successive bytes in any grouping. A partly
  /// written sample is left for the next reading.
  public mutating func drain() throws(ChipError) -> FIFOReading {
    guard let current = sampling else {
      throw .cannot(registers.address, "a reading before the start of sampling")
    }
    let status: UInt8 = try registers.read(MPURegister.intStatus)
    let waiting = Int(try registers.readBigEndian(MPURegister.fifoCountH))
    if current.isBroken || status & 0x10 != 0 || waiting >= Part.fifoLength {
      sampling?.isBroken = true
      try restartFIFO()
      sampling?.isBroken = false
      return FIFOReading(samples: [], isOverrun: true)
    }
    let present = waiting / MPUSampling.sampleLength
    guard present > 0 else {
      try checkFIFOStillOn()
      return FIFOReading(samples: [], isOverrun: false)
    }
    let most = registers.recordsInOneStep(of: 1, burst: MPUSampling.burst) / MPUSampling.sampleLength
    let count = min(present, max(1, min(most, MPUSampling.burst / MPUSampling.sampleLength)))
    sampling?.isBroken = true
    let bytes = try registers.read(
      MPURegister.fifoRW, records: MPUSampling.sampleLength * count, of: 1, burst: MPUSampling.burst)
    sampling?.isBroken = false
    let samples = (0..<count).map {
      Acceleration(bigEndian: bytes, at: MPUSampling.sampleLength * $0, scale: current.scale)
    }
    return FIFOReading(samples: samples, isOverrun: false, waiting: present - count)
  }

  public mutating func dieTemperature() throws(ChipError) -> Double? {
    guard sampling != nil else { return nil }
    return Part.temperature(Int16(bitPattern: try registers.readBigEndian(MPURegister.tempOutH)))
  }

  /// `SLEEP` is bit 6 of `PWR_MGMT_1`.
  public mutating func powerDown() throws(ChipError) {
    (sampling, selfTest) = (nil, nil)
    try registers.write(MPURegister.pwrMgmt1, 0x40)
  }
}
