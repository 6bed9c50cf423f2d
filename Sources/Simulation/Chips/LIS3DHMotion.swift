/// Interrupt generator 1 of a LIS3DH with the high-pass filter in front of it (data sheet DocID17530, `INT1_CFG` to
/// `INT1_DURATION` and `CTRL_REG2`; AN3308, "High-pass filter"). Six-direction detection (`6D`) is not modelled.
struct LIS3DHMotion: Equatable, Sendable {
  /// `INT1_SRC`.
  private var source: UInt8 = 0
  /// Samples in a row that fulfilled the condition.
  private var run = 0
  /// What the filter takes for the steady part; nil before its first sample and after a reset.
  private var steady: SIMD3<Double>?

  /// `IA` of `INT1_SRC`.
  var isActive: Bool { source & 0x40 != 0 }

  /// Reading `REFERENCE` sets the filter to the next sample.
  mutating func forgetGravity() { steady = nil }

  /// Reading `INT1_SRC` releases a latched interrupt.
  mutating func readSource(isLatched: Bool) -> UInt8 {
    defer {
      if isLatched { (source, run) = (0, 0) }
    }
    return source
  }

  /// Takes a sample in g and answers it without its steady part.
  mutating func take(_ g: SIMD3<Double>, _ registers: LIS3DHRegisters) -> SIMD3<Double> {
    // `HPCF` 00 to 11 let pass what is faster than the rate through 48, 96, 192, 384.
    let part = 2 * Double.pi / Double(48 << (registers[.ctrlReg2] >> 4 & 3))
    let before = steady ?? g
    let slow = before + part * (g - before)
    steady = slow
    let filtered = g - slow
    judge(registers[.ctrlReg2] & 0x01 != 0 ? filtered : g, registers)
    return filtered
  }

  /// `INT1_CFG`: bit 7 asks for all of the events in bits 5 to 0 instead of any; for each axis the lower bit stands for
  /// below, the upper for above the threshold. A step of `INT1_THS` is 16, 32, 62 or 186 mg by the range.
  private mutating func judge(_ g: SIMD3<Double>, _ registers: LIS3DHRegisters) {
    let wanted = registers[.int1Cfg] & 0x3F
    let step = [0.016, 0.032, 0.062, 0.186][registers.range]
    let threshold = Double(registers[.int1Ths] & 0x7F) * step
    var events: UInt8 = 0
    for axis in 0..<3 { events |= (abs(g[axis]) > threshold ? 2 : 1) << UInt8(2 * axis) }
    let hit = events & wanted
    let isFulfilled = registers[.int1Cfg] & 0x80 != 0 ? wanted != 0 && hit == wanted : hit != 0
    run = isFulfilled ? run &+ 1 : 0
    let isLong = run > Int(registers[.int1Duration] & 0x7F)
    if registers.isLatched, isActive { return }
    source = isLong ? 0x40 | hit : hit
    // `HPM` 11 resets the filter at each interrupt.
    if isLong, registers[.ctrlReg2] >> 6 == 3 { steady = nil }
  }
}
