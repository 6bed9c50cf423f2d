/// Interrupt generator 1 of a LIS3DH with its high-pass filter (data sheet DocID17530, `INT1_CFG` to
/// `INT1_DURATION` and `CTRL_REG2`; AN3308, "High-pass filter"). Six-direction detection (`6D`) is not
/// simulated.
struct LIS3DHMotion: Equatable, Sendable {
  /// `INT1_SRC`.
  private var source: UInt8 = 0
  /// Number of successive samples that met the condition.
  private var run = 0
  /// The filter's estimate of the constant component; nil before its first sample and after a reset.
  private var steady: SIMD3<Double>?

  /// `IA` of `INT1_SRC`.
  var isActive: Bool { source & 0x40 != 0 }

  /// Resets the filter to the next sample, as reading `REFERENCE` does.
  mutating func forgetGravity() { steady = nil }

  /// Reads `INT1_SRC`, which releases a latched interrupt.
  mutating func readSource(isLatched: Bool) -> UInt8 {
    defer {
      if isLatched { (source, run) = (0, 0) }
    }
    return source
  }

  /// Processes a sample in g and returns it without its constant component.
  mutating func take(_ g: SIMD3<Double>, _ registers: LIS3DHRegisters) -> SIMD3<Double> {
    // `HPCF` 00 to 11 sets the cut-off to the sampling rate divided by 48, 96, 192 or 384.
    let part = 2 * Double.pi / Double(48 << (registers[.ctrlReg2] >> 4 & 3))
    let before = steady ?? g
    let slow = before + part * (g - before)
    steady = slow
    let filtered = g - slow
    evaluate(registers[.ctrlReg2] & 0x01 != 0 ? filtered : g, registers)
    return filtered
  }

  /// Evaluates `INT1_CFG`: bit 7 requires all of the events in bits 5 to 0 instead of any; for each axis the
  /// lower bit means below the threshold, the upper above it. A step of `INT1_THS` is 16, 32, 62 or 186 mg,
  /// depending on the range.
  private mutating func evaluate(_ g: SIMD3<Double>, _ registers: LIS3DHRegisters) {
    let enabled = registers[.int1Cfg] & 0x3F
    let step = [0.016, 0.032, 0.062, 0.186][registers.range]
    let threshold = Double(registers[.int1Ths] & 0x7F) * step
    var events: UInt8 = 0
    for axis in 0..<3 { events |= (abs(g[axis]) > threshold ? 2 : 1) << UInt8(2 * axis) }
    let hit = events & enabled
    let isFulfilled = registers[.int1Cfg] & 0x80 != 0 ? enabled != 0 && hit == enabled : hit != 0
    run = isFulfilled ? run &+ 1 : 0
    let isLong = run > Int(registers[.int1Duration] & 0x7F)
    if registers.isLatched, isActive { return }
    source = isLong ? 0x40 | hit : hit
    // `HPM` 11 resets the filter at each interrupt.
    if isLong, registers[.ctrlReg2] >> 6 == 3 { steady = nil }
  }
}
