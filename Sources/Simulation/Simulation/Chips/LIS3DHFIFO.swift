/// The FIFO of a LIS3DH (data sheet DocID17530, sections 5.1 and "FIFO_CTRL_REG", "FIFO_SRC_REG").
struct LIS3DHFIFO: Equatable, Sendable {
  static let depth = 32

  private var samples: [SIMD3<Int16>] = []
  private var control: UInt8 = 0
  /// True after the interrupt that switches stream-to-FIFO mode to FIFO mode.
  private var isTriggered = false
  /// True if the FIFO was full in FIFO mode: it accepts no samples until bypass mode.
  private var isShut = false

  /// Handles a write to `FIFO_CTRL_REG`: bypass mode empties the FIFO.
  mutating func configure(_ value: UInt8) {
    control = value
    guard value >> 6 == 0 else { return }
    samples.removeAll(keepingCapacity: true)
    (isTriggered, isShut) = (false, false)
  }

  /// Adds a sample; false if it was not accepted. FIFO mode (01) stops when full; stream mode (10) drops the
  /// oldest sample; mode 11 streams until the interrupt is raised.
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

  /// `OVRN_FIFO`: set at 32 unread samples, even if none is lost yet, until the first is read.
  var isFull: Bool { samples.count >= Self.depth }

  /// `WTM`: more samples than `FTH`.
  var isAboveWatermark: Bool { samples.count > Int(control & 0x1F) }

  /// `FIFO_SRC_REG`: `WTM`, `OVRN_FIFO`, `EMPTY`, and `FSS`, whose maximum is 31.
  var source: UInt8 {
    UInt8(min(samples.count, 31)) | (isAboveWatermark ? 0x80 : 0) | (isFull ? 0x40 : 0)
      | (samples.isEmpty ? 0x20 : 0)
  }
}
