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

  /// Samples into the FIFO from now on, at the part's next rate and range from those of the wish upwards. Throws
  /// `cannot` where there is none.
  mutating func start(_ wish: SamplingWish) throws(ChipError) -> Sampling

  /// Takes the samples that wait, oldest first: all of them, or as many as a slow bus gives in 50 ms; the rest by
  /// further calls, which may follow at once. Throws `cannot` before ``start(_:)`` and `settingLost` when the part
  /// no longer samples as it was told to. After a fault of the bus on the way the samples are lost: the next call
  /// says so as an overrun and the FIFO begins anew.
  mutating func drain() throws(ChipError) -> FIFOReading

  /// Raises the interrupt line when something moves, and keeps it raised until ``motionSeen()``. Sampling is over.
  /// A part whose filter is not settled yet may report once too often at the beginning.
  mutating func watchForMotion(_ wish: MotionWatch) throws(ChipError)

  /// Throws `settingLost` when the part does not watch for movement any more, as after a loss of supply, or when what
  /// is read is not what a part says: a data line that is held low reads as zeros. One byte is read; the line stays as
  /// it is.
  func checkStillWatching() throws(ChipError)

  /// Whether it moved since the last call or since ``watchForMotion(_:)``; lowers the line.
  mutating func motionSeen() throws(ChipError) -> Bool

  /// Raises the interrupt line once nothing has moved for the whole duration, and keeps it raised until
  /// ``stillnessSeen()``. Sampling is over. Answers what the part watches for in fact: its steps may be coarse, and its
  /// longest duration may be shorter than the wish. Throws `cannot` where the part has no such interrupt; what it did
  /// before goes on then.
  mutating func watchForStillness(_ wish: StillnessWatch) throws(ChipError) -> StillnessWatch

  /// Whether it was still for that long since the last call or since ``watchForStillness(_:)``; lowers the line. A part
  /// that goes on lying still may say so again after each further duration. The LSM6 and the MPU-6050 raise the line
  /// at the end of a stillness too: the answer is false then.
  mutating func stillnessSeen() throws(ChipError) -> Bool

  /// The next step of the self-test; begins it when none is under way, and leaves the part powered down at its end.
  /// A fault of the bus ends it, and so does any other call that sets the part to something.
  mutating func selfTestStep() throws(ChipError) -> SelfTestStep

  /// Of the die in °C; nil where the part has no thermometer or does not sample.
  mutating func dieTemperature() throws(ChipError) -> Double?

  mutating func powerDown() throws(ChipError)
}
