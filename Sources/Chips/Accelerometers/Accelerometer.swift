/// An accelerometer on an I²C bus, in the state that its driver left it in.
///
/// A call is a few transactions and never waits; what must be waited for is told as a duration.
public protocol Accelerometer {
  /// The name that board files use.
  static var name: String { get }
  /// Where the part can lie, its usual address first.
  static var addresses: [I2CAddress] { get }
  /// A document or a model, made by others, against which registers and conversions were checked; nil while unproven.
  static var witness: String? { get }

  init(bus: any I2CBus, address: I2CAddress)

  /// Throws `wrongIdentity` when another part answers.
  func identify() throws(ChipError)

  /// Samples into the FIFO from now on, at the part's next rate from `wish.rate` upwards.
  mutating func start(_ wish: SamplingWish) throws(ChipError) -> Sampling

  /// Takes all samples that wait, oldest first.
  mutating func drain() throws(ChipError) -> FIFOReading

  /// Raises the interrupt line when something moves, and keeps it raised until ``motionSeen()``. Sampling is over.
  mutating func watchForMotion(_ wish: MotionWatch) throws(ChipError)

  /// Whether it moved since the last call or since ``watchForMotion(_:)``; lowers the line.
  mutating func motionSeen() throws(ChipError) -> Bool

  /// The next step of the self-test; begins it when none is under way, and leaves the part powered down at its end.
  mutating func selfTestStep() throws(ChipError) -> SelfTestStep

  /// Of the die in °C; nil where the part has no thermometer.
  mutating func dieTemperature() throws(ChipError) -> Double?

  mutating func powerDown() throws(ChipError)
}

/// What sampling is wished for.
public struct SamplingWish: Hashable, Sendable {
  /// Hz, 1...100.
  public var rate: Double
  /// ±g.
  public var range: Double
  /// Samples in the FIFO at which the interrupt line is raised; nil raises none.
  public var watermark: Int?

  public init(rate: Double, range: Double = 4, watermark: Int? = nil) {
    self.rate = rate
    self.range = range
    self.watermark = watermark
  }
}

/// What sampling has become.
public struct Sampling: Hashable, Sendable {
  /// Nominal Hz; the true rate is up to 10 % off.
  public var rate: Double
  /// ±g.
  public var range: Double
  /// g of one step.
  public var resolution: Double
  /// Samples that the FIFO holds before it loses one; 1 for a part without FIFO.
  public var capacity: Int
}

/// What waited in a FIFO.
public struct FIFOReading: Hashable, Sendable {
  public var samples: [Acceleration]
  /// Samples were lost before these.
  public var isOverrun: Bool

  public init(samples: [Acceleration], isOverrun: Bool) {
    self.samples = samples
    self.isOverrun = isOverrun
  }
}

/// When movement is worth a wake-up.
public struct MotionWatch: Hashable, Sendable {
  /// g, gravity removed by the part's high-pass filter.
  public var threshold: Double
  /// For how long it must be exceeded, in seconds; rounded to the part's steps, at least one sample.
  public var duration: Double

  public init(threshold: Double = 0.064, duration: Double = 0) {
    self.threshold = threshold
    self.duration = duration
  }
}

/// Where a self-test stands.
public enum SelfTestStep: Hashable, Sendable {
  /// Call again after so long.
  case wait(Duration)
  case passed
  /// The change that the test force made on each axis, in g, and what it should be.
  case failed(change: Acceleration, expected: ClosedRange<Float>)
  /// The part has none.
  case notBuiltIn
}
