/// The FIFO of a LIS3DH (data sheet DocID17530, sections 5.1 and "FIFO_CTRL_REG", "FIFO_SRC_REG").
struct LIS3DHFIFO: Equatable, Sendable {
  static let depth = 32

  private var samples: [SIMD3<Int16>] = []
  private var control: UInt8 = 0
  /// The interrupt that turns stream-to-FIFO mode into FIFO mode has come.
  private var isTriggered = false
  /// It was full in FIFO mode, and stays shut until bypass mode.
  private var isShut = false

  /// `FIFO_CTRL_REG` was written: bypass mode empties it.
  mutating func configure(_ value: UInt8) {
    control = value
    guard value >> 6 == 0 else { return }
    samples.removeAll(keepingCapacity: true)
    (isTriggered, isShut) = (false, false)
  }

  /// False when the sample was not taken: FIFO mode (01) ends when it is full, in stream mode (10) the oldest
  /// sample goes. Mode 11 streams until the interrupt is raised.
  mutating func append(_ sample: SIMD3<Int16>, interruptIsRaised: Bool) -> Bool {
    let mode = control >> 6
    if mode == 3, interruptIsRaised { isTriggered = true }
    let endsWhenFull = mode == 1 || isTriggered
    if endsWhenFull, isFull { isShut = true }
    if isShut { return false }
    if isFull { samples.removeFirst() }
    samples.append(sample)
    isShut = endsWhenFull && isFull
    return true
  }

  mutating func removeFirst() -> SIMD3<Int16>? { samples.isEmpty ? nil : samples.removeFirst() }

  /// `OVRN_FIFO`: raised at 32 unread samples, whether one is lost already or not, until the first is read.
  var isFull: Bool { samples.count >= Self.depth }

  /// `WTM`: more samples than `FTH`.
  var isAboveWatermark: Bool { samples.count > Int(control & 0x1F) }

  /// `FIFO_SRC_REG`: `WTM`, `OVRN_FIFO`, `EMPTY`, and `FSS`, which ends at 31.
  var source: UInt8 {
    UInt8(min(samples.count, 31)) | (isAboveWatermark ? 0x80 : 0) | (isFull ? 0x40 : 0)
      | (samples.isEmpty ? 0x20 : 0)
  }
}
