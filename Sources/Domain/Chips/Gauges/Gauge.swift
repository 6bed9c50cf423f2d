/// Driver of a battery fuel gauge or a power monitor.
///
/// A call is a few transactions and never blocks for a delay; required delays are returned as durations.
public protocol Gauge {
  /// Name in board files.
  static var name: String { get }
  /// Possible addresses, the usual one first.
  static var addresses: [I2CAddress] { get }
  /// Independent document or model that registers and conversions were checked against; nil if unverified.
  static var witness: String? { get }
  /// Number of cells in series that the chip is made for; nil for any number.
  static var cells: Int? { get }

  init(bus: any I2CBus, address: I2CAddress, wiring: GaugeWiring)

  /// Identifies the chip, if possible. Throws `wrongIdentity` if a different chip answers. Only reads, unless
  /// identification requires a write.
  func identify() throws(ChipError)

  /// Configures the chip after its start and aborts a measurement in progress; returns the delay before the
  /// first reading.
  mutating func start() throws(ChipError) -> Duration

  /// Performs one burst of transactions. A chip that measures on demand starts a measurement and returns the
  /// delay. After an error the next call starts from the beginning.
  mutating func read() throws(ChipError) -> GaugeStep
}
