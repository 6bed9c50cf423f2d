/// Sampling configuration of an accelerometer of the MPU family.
struct MPUSampling {
  /// `AFS_SEL` of `ACCEL_CONFIG`, bits 4 and 3.
  static let ranges = [
    RegisterChoice(2, 0), RegisterChoice(4, 1), RegisterChoice(8, 2), RegisterChoice(16, 3),
  ]
  /// `DLPF_CFG` by sampling rate; the bandwidths are 5, 10, 21 and 44 Hz, half the rate of the choice or
  /// less.
  static let filters = [
    RegisterChoice(19, 6), RegisterChoice(40, 5), RegisterChoice(85, 4), RegisterChoice(100, 3),
  ]

  static let sampleLength = 6
  /// Bytes per burst; they take about 46 ms at 100 kHz.
  static let burst = 510

  /// g per LSB: 16384 LSB/g at ±2 g.
  let scale: Float
  /// True if the FIFO wrapped or a burst failed: its bytes no longer begin with a sample.
  var isBroken = false

  init(range: RegisterChoice) { scale = Float(range.value) / 32768 }

  /// `SMPLRT_DIV`: the rate is 1 kHz / (1 + `SMPLRT_DIV`), 3.9 Hz at the lowest.
  static func divider(upwardsFrom request: Double) -> UInt8 {
    UInt8(min(max((1000 / request).rounded(.down), 1), 256) - 1)
  }
}
