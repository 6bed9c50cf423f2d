/// The registers of a LIS3DH (data sheet DocID17530, tables 17 and following) and the meaning of their bits.
struct LIS3DHRegisters: Equatable, Sendable {
  /// The registers by name.
  enum Name: UInt8, Sendable {
    case statusRegAux = 0x07
    case outADC3H = 0x0D
    case whoAmI = 0x0F
    case ctrlReg0 = 0x1E
    case tempCfgReg = 0x1F
    case ctrlReg1, ctrlReg2, ctrlReg3, ctrlReg4, ctrlReg5, ctrlReg6, reference, statusReg
    case fifoCtrlReg = 0x2E
    case fifoSrcReg, int1Cfg, int1Src, int1Ths, int1Duration, int2Cfg, int2Src, int2Ths, int2Duration
    case clickCfg, clickSrc, clickThs, timeLimit, timeLatency, timeWindow, actThs, actDur

    var isWritable: Bool {
      switch self {
      case .statusRegAux, .outADC3H, .whoAmI, .statusReg, .fifoSrcReg, .int1Src, .int2Src, .clickSrc: false
      case .ctrlReg0, .tempCfgReg, .ctrlReg1, .ctrlReg2, .ctrlReg3, .ctrlReg4, .ctrlReg5, .ctrlReg6,
        .reference,
        .fifoCtrlReg, .int1Cfg, .int1Ths, .int1Duration, .int2Cfg, .int2Ths, .int2Duration, .clickCfg,
        .clickThs,
        .timeLimit, .timeLatency, .timeWindow, .actThs, .actDur:
        true
      }
    }
  }

  static let outXL: UInt8 = 0x28
  /// `OUT_X_L` to `OUT_Z_H`.
  static let outputs: ClosedRange<UInt8> = 0x28...0x2D

  /// Address of the next byte; the bit above it enables auto-increment.
  var pointer: UInt8 = 0
  /// The sample in the output registers.
  var output = SIMD3<Int16>.zero
  private var bytes = [UInt8](repeating: 0, count: 64)

  init() {
    self[.ctrlReg0] = 0x10
    self[.ctrlReg1] = 0x07
  }

  subscript(register: Name) -> UInt8 {
    get { bytes[Int(register.rawValue)] }
    set { bytes[Int(register.rawValue)] = newValue }
  }

  /// Advances the address; with the FIFO on, it wraps over the output registers.
  mutating func movePointer() {
    guard pointer & 0x80 != 0 else { return }
    let number = pointer & 0x7F
    let next = number == Self.outputs.upperBound && usesFIFO ? Self.outXL : (number &+ 1) & 0x7F
    pointer = 0x80 | next
  }

  /// Sampling rate in Hz by `ODR[3:0]` and `LPen` of `CTRL_REG1` (table "Data rate configuration"); nil if
  /// powered down.
  var rate: Double? {
    let rates: [Double] = [0, 1, 10, 25, 50, 100, 200, 400, isLowPower ? 1600 : 0, isLowPower ? 5376 : 1344]
    let code = Int(self[.ctrlReg1] >> 4)
    return code < rates.count && rates[code] > 0 ? rates[code] : nil
  }

  private var isLowPower: Bool { self[.ctrlReg1] & 0x08 != 0 }
  /// `FS[1:0]` of `CTRL_REG4`.
  var range: Int { Int(self[.ctrlReg4] >> 4 & 3) }
  /// `FIFO_EN` of `CTRL_REG5`, and a mode other than bypass.
  var usesFIFO: Bool { self[.ctrlReg5] & 0x40 != 0 && self[.fifoCtrlReg] >> 6 != 0 }
  /// `LIR_INT1` of `CTRL_REG5`.
  var isLatched: Bool { self[.ctrlReg5] & 0x08 != 0 }
  /// `FDS` of `CTRL_REG2`.
  var filtersOutput: Bool { self[.ctrlReg2] & 0x08 != 0 }
  /// `ZYXDA` of `STATUS_REG`.
  var hasNewSample: Bool { self[.statusReg] & 0x08 != 0 }

  /// `ST[1:0]` of `CTRL_REG4`: 01 applies a positive force, 10 a negative one.
  var selfTestSign: Double {
    switch self[.ctrlReg4] >> 1 & 3 {
    case 1: 1
    case 2: -1
    default: 0
    }
  }

  /// Left-justified words of a sample in g. At ±2 g: 8 bits of 16 mg in low-power, 10 of 4 mg in normal, 12
  /// of 1 mg in high-resolution mode (`HR` of `CTRL_REG4`); two, four and twelve times that in the other
  /// ranges (table 4). An axis disabled in `CTRL_REG1` reads 0.
  func words(of g: SIMD3<Double>) -> SIMD3<Int16> {
    let (bits, milli) = isLowPower ? (8, 16.0) : self[.ctrlReg4] & 0x08 != 0 ? (12, 1.0) : (10, 4.0)
    let step = milli * [1, 2, 4, 12][range]
    let most = Double(1 << (bits - 1) - 1)
    var words = SIMD3<Int16>.zero
    for axis in 0..<3 where self[.ctrlReg1] >> axis & 1 != 0 {
      let steps = (g[axis] * 1000 / step).rounded(.toNearestOrEven)
      guard !steps.isNaN else { continue }
      words[axis] = Int16(min(max(steps, -most - 1), most)) << (16 - bits)
    }
    return words
  }

  /// Stores a new sample: `STATUS_REG` shows new data on all axes, and an overrun if the previous sample was
  /// not read.
  mutating func show(_ words: SIMD3<Int16>) {
    output = words
    let unread = self[.statusReg] & 0x0F
    self[.statusReg] = 0x0F | unread << 4
  }

  /// Reads one byte of the output registers. `BLE` of `CTRL_REG4` puts the more significant one first.
  mutating func readOutput(_ number: UInt8) -> UInt8 {
    let offset = Int(number - Self.outXL)
    let axis = offset / 2
    let isSecond = offset % 2 == 1
    if isSecond {
      self[.statusReg] &= ~(0x11 << UInt8(axis))
      if self[.statusReg] & 0x07 == 0 { self[.statusReg] &= 0x77 }
    }
    let word = UInt16(bitPattern: output[axis])
    return UInt8(truncatingIfNeeded: isSecond != (self[.ctrlReg4] & 0x40 != 0) ? word >> 8 : word)
  }

  /// `OUT_ADC3_H` with `ADC_EN` and `TEMP_EN` of `TEMP_CFG_REG`: 1 °C per LSB, 0 at 25 °C.
  func temperature(_ celsius: Double) -> UInt8 {
    guard self[.tempCfgReg] & 0xC0 == 0xC0, !celsius.isNaN else { return 0 }
    return UInt8(bitPattern: Int8(min(max((celsius - 25).rounded(), -128), 127)))
  }
}
