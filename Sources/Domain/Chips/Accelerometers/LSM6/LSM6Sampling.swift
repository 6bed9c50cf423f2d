/// Sampling configuration of an accelerometer of the LSM6DSO family.
struct LSM6Sampling {
  /// `ODR_XL` of `CTRL1_XL`; `BDR_XL` of `FIFO_CTRL3` uses the same codes.
  static let rates = [
    RegisterChoice(12.5, 1), RegisterChoice(26, 2), RegisterChoice(52, 3), RegisterChoice(104, 4),
  ]

  /// `FS_XL` of `CTRL1_XL`; ±16 g has code 1.
  static let ranges = [
    RegisterChoice(2, 0), RegisterChoice(4, 2), RegisterChoice(8, 3), RegisterChoice(16, 1),
  ]

  /// Number of entries that the FIFO holds, and bytes per entry: a tag and three words.
  static let depth = 512
  static let entryLength = 7
  /// Entries per burst: 448 bytes take about 40 ms at 100 kHz.
  static let burst = 64
  /// `FIFO_MODE` of `FIFO_CTRL4`.
  static let continuous: UInt8 = 6
  /// `TAG_SENSOR` of a sample of the accelerometer.
  static let accelerometerTag: UInt8 = 2

  /// g per LSB: 0.061, 0.122, 0.244 and 0.488 mg (data sheet, table 2).
  let scale: Float
  /// `CTRL1_XL`.
  let control: UInt8
  /// True if a burst failed, which leaves the position in the FIFO unknown.
  var isBroken = false

  init(rate: RegisterChoice, range: RegisterChoice) {
    scale = Float(range.value) * 30.5e-6
    control = rate.code << 4 | range.code << 2
  }

  /// The accelerometer's samples among whole entries; other entries are ignored.
  func samples(of bytes: [UInt8]) -> [Acceleration] {
    var samples: [Acceleration] = []
    samples.reserveCapacity(bytes.count / Self.entryLength)
    for start in stride(from: 0, through: bytes.count - Self.entryLength, by: Self.entryLength)
    where bytes[start] >> 3 == Self.accelerometerTag {
      samples.append(Acceleration(littleEndian: bytes, at: start + 1, scale: scale))
    }
    return samples
  }

  /// `FIFO_STATUS1` and `2`: ten bits count the entries; `FIFO_OVR_LATCHED` is bit 3 of the second and
  /// `FIFO_OVR_IA` bit 6.
  struct Level {
    let count: Int
    let isOverrun: Bool

    init(status: UInt16) {
      count = min(Int(status & 0x03FF), LSM6Sampling.depth)
      isOverrun = status & 0x4800 != 0
    }
  }
}
