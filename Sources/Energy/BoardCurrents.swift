/// What the parts of a box draw of its supply, as far as its board says.
public struct BoardCurrents: Equatable, Sendable {
  public let supply: SupplyRail
  /// mA of the supply.
  private var figures: [EnergyShare: Double] = [:]
  /// How long the network keeps a radio up after a sending; nil where the board does not say.
  public var radioTail: Duration?

  /// A board that says nothing yet.
  public init(supply: SupplyRail) { self.supply = supply }

  /// A part draws `milliamperes` at `volts` of its own rail while it is in this state. A current below zero, or one
  /// that is no number, is not taken.
  public mutating func set(_ share: EnergyShare, milliamperes: Double, volts: Double) {
    guard milliamperes >= 0, milliamperes.isFinite else { return }
    figures[share] = supply.milliamperes(for: milliamperes, atVolts: volts)
  }

  /// mA of the supply; nil where the board does not say. A receiver that settles tracks, one without a figure for
  /// cyclic mode does so at full current, and one without supply draws nothing where it has no figure.
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
