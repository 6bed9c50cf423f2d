/// The supply currents of the consumers of a device that its board file gives.
public struct BoardCurrents: Equatable, Sendable {
  public let supply: SupplyRail
  /// The currents in mA at the supply.
  private var figures: [EnergyShare: Double] = [:]
  /// The time for which the network keeps a radio active after sending; nil if the board file does not give it.
  public var radioTail: Duration?

  /// Creates a board without current figures.
  public init(supply: SupplyRail) { self.supply = supply }

  /// Sets the current of a consumer in one state, in mA at `volts` of the rail. Negative and invalid numbers are
  /// ignored.
  public mutating func set(_ share: EnergyShare, milliamperes: Double, volts: Double) {
    guard milliamperes >= 0, milliamperes.isFinite else { return }
    figures[share] = supply.milliamperes(for: milliamperes, atVolts: volts)
  }

  /// The current in mA at the supply; nil if unknown.
  ///
  /// A settling receiver draws the tracking current, and so does cyclic tracking without a figure. An unpowered
  /// receiver without a figure draws nothing.
  public subscript(share: EnergyShare) -> Double? {
    switch share {
    case .receiver(.off): figures[share] ?? 0
    case .receiver(.settling): figures[.receiver(.tracking)]
    case .receiver(.cyclic): figures[share] ?? figures[.receiver(.tracking)]
    case .receiver, .accelerometer, .gauge, .hostBase, .hostDown, .hostCycle, .processor, .storage,
      .radioWaiting, .radioSending, .radioTail, .overhead:
      figures[share]
    }
  }
}
