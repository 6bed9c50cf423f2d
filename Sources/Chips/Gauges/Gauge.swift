/// A battery gauge or a power monitor.
///
/// A call is a few transactions and never waits; what must be waited for is told as a duration.
public protocol Gauge {
  /// The name that board files use.
  static var name: String { get }
  /// Where the part can lie, its usual address first.
  static var addresses: [I2CAddress] { get }
  /// A document or a model, made by others, against which registers and conversions were checked; nil while unproven.
  static var witness: String? { get }
  /// Cells in series that the part is made for; nil for one that serves any number.
  static var cells: Int? { get }

  init(bus: any I2CBus, address: I2CAddress, wiring: GaugeWiring)

  /// Throws `wrongIdentity` when another part answers, as far as the part can tell. Only reads, unless the part tells
  /// its identity no other way.
  func identify() throws(ChipError)

  /// Sets what must be set after a start of the part and drops a measurement under way; a pause after which it may be read.
  mutating func start() throws(ChipError) -> Duration

  /// One burst of transactions. A part that measures on demand begins with that and names the pause.
  /// After an error the next call begins anew.
  mutating func read() throws(ChipError) -> GaugeStep
}
