/// The parts that the program drives, by the names that settings use.
///
/// Nil for a sort takes any name: settings that are read without drivers at hand.
public struct ChipNames: Equatable, Sendable {
  public var accelerometers: [String]?
  public var gauges: [String]?
  /// Where a part can lie, 7 bits; not there for one of which that is not known.
  public var addresses: [String: [UInt8]]
  /// Cells in series that a gauge is made for; not there for one that serves any number.
  public var cellsOfGauges: [String: Int]

  public init(
    accelerometers: [String]? = nil, gauges: [String]? = nil, addresses: [String: [UInt8]] = [:],
    cellsOfGauges: [String: Int] = [:]
  ) {
    self.accelerometers = accelerometers
    self.gauges = gauges
    self.addresses = addresses
    self.cellsOfGauges = cellsOfGauges
  }

  enum Sort: Sendable { case accelerometer, gauge }

  subscript(sort: Sort) -> [String]? {
    switch sort {
    case .accelerometer: accelerometers
    case .gauge: gauges
    }
  }
}
