import Quantities

/// A simulation of ST's LIS3DH at register level (data sheet DocID17530; application note AN3308 for filter
/// and FIFO).
///
/// Simulated: identity, rates, formats and ranges, output and status registers, FIFO, interrupt generator 1
/// with its high-pass filter, the INT1 pin, self-test force, die temperature. Registers of the second
/// generator, of click and of activity detection are stored without effect. Reserved addresses read 0. Both
/// halves of a sample always belong together, with or without `BDU`.
public struct VirtualLIS3DH: VirtualPart, Sendable {
  /// Maximum number of samples of one advance; of a longer time only the newest are taken.
  static let mostSamples = 1 << 20

  /// The value of `WHO_AM_I`; a clone has a different one.
  public var identity: UInt8 = 0x33
  /// Relative deviation of the true rate from the nominal one, -0.5...0.5.
  public let rateError: Double
  /// The self-test response of each axis in g. The data sheet permits 0.068...1.44 (table 4).
  public var selfTestForce = SIMD3(0.35, 0.35, 0.5)
  /// Temperature of the die in °C.
  public var dieTemperature = 25.0
  public let track: AccelerationTrack
  /// Number of samples taken since creation.
  public private(set) var samplesTaken = 0

  var registers = LIS3DHRegisters()
  var fifo = LIS3DHFIFO()
  var motion = LIS3DHMotion()
  private var now = Moment.zero
  /// Start of the present rate, and the number of samples since then.
  private var anchor = Moment.zero
  private var taken = 0

  public init(track: AccelerationTrack, rateError: Double = 0) {
    self.track = track
    self.rateError = rateError.isFinite ? min(max(rateError, -0.5), 0.5) : 0
  }

  public mutating func powerUp(at moment: Moment) {
    registers = LIS3DHRegisters()
    fifo = LIS3DHFIFO()
    motion = LIS3DHMotion()
    now = max(now, moment)
    (anchor, taken) = (now, 0)
  }

  public mutating func advance(to moment: Moment) {
    guard moment > now else { return }
    now = moment
    guard let period else { return }
    let due = (Double(moment.nanoseconds) - Double(anchor.nanoseconds)) / period
    if due - Double(taken) > Double(Self.mostSamples) { taken = Int(due) - Self.mostSamples }
    while let next = nextSample, next <= moment {
      taken += 1
      sample(at: next)
      // The clock is at its maximum.
      if next.nanoseconds == .max { return }
    }
  }

  /// `CTRL_REG3`: `I1_IA1`, `I1_ZYXDA`, `I1_WTM` and `I1_OVERRUN` in bits 6, 4, 2 and 1.
  public var isInterruptRaised: Bool {
    let enabled = registers[.ctrlReg3]
    return enabled & 0x40 != 0 && motion.isActive || enabled & 0x10 != 0 && registers.hasNewSample
      || enabled & 0x04 != 0 && fifo.isAboveWatermark || enabled & 0x02 != 0 && fifo.isFull
  }

  public var nextStep: Moment? { registers[.ctrlReg3] & 0x56 == 0 ? nil : nextSample }

  /// Time of the next sample; nil while powered down.
  public var nextSample: Moment? {
    period.map { period in
      let offset = (Double(taken) + 1) * period
      return anchor + Duration(wholeNanoseconds: offset < 9e18 ? Int64(offset.rounded()) : .max)
    }
  }

  /// The true sampling period in ns.
  private var period: Double? { registers.rate.map { 1e9 / ($0 * (1 + rateError)) } }

  private mutating func sample(at moment: Moment) {
    samplesTaken &+= 1
    let g = track.acceleration(at: moment) + registers.selfTestSign * selfTestForce
    let filtered = motion.take(g, registers)
    let word = registers.words(of: registers.filtersOutput ? filtered : g)
    if registers.usesFIFO {
      guard fifo.append(word, interruptIsRaised: motion.isActive) else { return }
    }
    registers.show(word)
  }
}

extension VirtualLIS3DH {
  /// Performs a transaction. The first byte written is the register address; its upper bit enables auto-increment (data
  /// sheet, "I2C operation").
  public mutating func transfer(write: [UInt8], readCount: Int) -> [UInt8] {
    if let first = write.first { registers.pointer = first }
    for byte in write.dropFirst() {
      store(byte, in: registers.pointer & 0x7F)
      registers.movePointer()
    }
    return (0..<max(0, readCount)).map { _ in
      let byte = fetch(registers.pointer & 0x7F)
      registers.movePointer()
      return byte
    }
  }

  private mutating func store(_ byte: UInt8, in number: UInt8) {
    guard let register = LIS3DHRegisters.Name(rawValue: number), register.isWritable else { return }
    registers[register] = byte
    switch register {
    case .ctrlReg1: (anchor, taken) = (now, 0)
    // `BOOT` reloads the trimming values, which has no visible effect, and clears itself.
    case .ctrlReg5: registers[register] &= 0x7F
    case .fifoCtrlReg: fifo.configure(byte)
    default: break
    }
  }

  private mutating func fetch(_ number: UInt8) -> UInt8 {
    // The FIFO outputs its next sample when the first byte of one is read.
    if number == LIS3DHRegisters.outXL, registers.usesFIFO, let word = fifo.removeFirst() {
      registers.output = word
    }
    if LIS3DHRegisters.outputs.contains(number) { return registers.readOutput(number) }
    switch LIS3DHRegisters.Name(rawValue: number) {
    case .whoAmI: return identity
    case .fifoSrcReg: return fifo.source
    case .int1Src: return motion.readSource(isLatched: registers.isLatched)
    case .reference:
      motion.forgetGravity()
      return registers[.reference]
    case .outADC3H: return registers.temperature(dieTemperature)
    case let register?: return registers[register]
    case nil: return 0
    }
  }
}
