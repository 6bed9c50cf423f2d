/// Driver of an accelerometer on an I²C bus; it keeps the chip's configuration as state.
///
/// A call is a few transactions and never blocks for a delay; required delays are returned as durations.
public protocol Accelerometer {
  /// Name in board files.
  static var name: String { get }
  /// Possible addresses, the usual one first.
  static var addresses: [I2CAddress] { get }
  /// Independent document or model that registers and conversions were checked against; nil if unverified.
  static var witness: String? { get }

  init(bus: any I2CBus, address: I2CAddress)

  /// Identifies the chip. Throws `wrongIdentity` if a different chip answers.
  func identify() throws(ChipError)

  /// Identifies the chip after a failed self-test. Throws `wrongIdentity` for an imitation, which only a passed self-test
  /// shows to be compatible.
  func confirmIdentity() throws(ChipError)

  /// Starts sampling into the FIFO, at the chip's lowest rate and range that are not below the desired ones.
  /// Throws `cannot` if there is none.
  mutating func start(_ request: SamplingRequest) throws(ChipError) -> Sampling

  /// Reads the available samples, oldest first: all of them, or as many as a slow bus transfers in 50 ms.
  /// Further calls, which may follow immediately, read the remainder. Throws `cannot` before ``start(_:)``,
  /// and `settingLost` if the chip has lost its configuration. A bus fault during the reading loses the
  /// samples: the next call reports an overrun and the FIFO is restarted.
  mutating func drain() throws(ChipError) -> FIFOReading

  /// Enables wake-on-motion: the interrupt line is raised on motion and stays raised until ``motionSeen()``.
  /// Ends sampling. A chip whose filter has not settled may report one false motion at the beginning.
  mutating func watchForMotion(_ request: MotionWatch) throws(ChipError)

  /// Checks that wake-on-motion is active. Throws `settingLost` if it is not, as after a loss of supply, or if the
  /// value read is impossible: a data line that is stuck low reads as zeros. Reads one byte; the interrupt line is
  /// unchanged.
  func checkStillWatching() throws(ChipError)

  /// Returns true if the chip moved since the last call or since ``watchForMotion(_:)``; lowers the line.
  mutating func motionSeen() throws(ChipError) -> Bool

  /// Enables the inactivity interrupt: the line is raised after the whole duration without motion and stays
  /// raised until ``stillnessSeen()``. Ends sampling. Returns the actual values: the steps may be coarse, and
  /// the longest duration may be shorter than desired. Throws `cannot` if the chip has no such interrupt; its
  /// present mode then continues.
  mutating func watchForStillness(_ request: StillnessWatch) throws(ChipError) -> StillnessWatch

  /// Returns true if the chip was stationary for the duration since the last call or since
  /// ``watchForStillness(_:)``; lowers the line. A chip that remains stationary may report again after each
  /// further duration. The LSM6 and the MPU-6050 also raise the line when motion resumes: the result is then
  /// false.
  mutating func stillnessSeen() throws(ChipError) -> Bool

  /// Performs the next step of the self-test. Starts the test if none is running, and leaves the chip powered
  /// down at its end. A bus fault ends the test, and so does any other call that configures the chip.
  mutating func selfTestStep() throws(ChipError) -> SelfTestStep

  /// Temperature of the die in °C; nil if the chip has no temperature sensor or does not sample.
  mutating func dieTemperature() throws(ChipError) -> Double?

  mutating func powerDown() throws(ChipError)
}
