/// Sampling configuration of an accelerometer of the LIS family.
struct LISSampling {
  /// `ODR[3:0]` of `CTRL_REG1` (LIS3DH data sheet, "Data rate configuration").
  static let rates = [
    RegisterChoice(1, 1), RegisterChoice(10, 2), RegisterChoice(25, 3), RegisterChoice(50, 4),
    RegisterChoice(100, 5),
  ]

  /// `FS[1:0]` of `CTRL_REG4` (its description).
  static let ranges = [
    RegisterChoice(2, 0), RegisterChoice(4, 1), RegisterChoice(8, 2), RegisterChoice(16, 3),
  ]

  /// Number of samples that the FIFO holds (section 5.1).
  static let depth = 32
  static let sampleLength = 6

  /// g per LSB of a left-justified word. It is the same in all modes: 16 mg of 8 bits, 4 mg of 10 and 1 mg of
  /// 12 at ±2 g; twice and four times that at ±4 and ±8 g, but twelve times at ±16 g (table 4).
  let scale: Float
  /// `FIFO_CTRL_REG`: stream mode in bits 7 and 6, `FTH` in bits 4 to 0. The watermark is reached with more
  /// than `FTH` samples in the FIFO.
  let fifoControl: UInt8
  /// True if a burst failed, which leaves the position in the FIFO unknown.
  var isBroken = false

  init(range: RegisterChoice, watermark: Int?) {
    scale = 62.5e-6 * [1, 2, 4, 12][Int(range.code & 3)]
    fifoControl = 0x80 | UInt8((watermark ?? Self.depth) - 1)
  }

  /// `FIFO_SRC_REG`: bit 6 `OVRN_FIFO`, bit 5 `EMPTY`, below them `FSS`, which cannot count to 32.
  struct Level {
    let count: Int
    let isOverrun: Bool

    init(source: UInt8) {
      isOverrun = source & 0x40 != 0
      count = isOverrun ? LISSampling.depth : source & 0x20 != 0 ? 0 : Int(source & 0x1F)
    }
  }
}
