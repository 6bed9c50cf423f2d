/// Between which voltages a battery or supply is to be, and whether it is.
///
/// Told each voltage that was read; a side is believed after ``confirmations`` readings on end, and left only when the
/// voltage is back by ``hysteresis``.
public struct SupplyRange: Hashable, Sendable {
  public enum Side: Hashable, Sendable { case under, within, over }

  static let confirmations = 3
  /// Share of the limit.
  static let hysteresis = 0.02

  /// V over all cells, or of the supply; nil: no limit on this side.
  public let least: Double?
  public let most: Double?
  public private(set) var side = Side.within
  private var wished = Side.within
  private var readings = 0

  public init(least: Double?, most: Double?) {
    self.least = least
    self.most = most
  }

  /// The side that counts from now on; nil where that is the one before.
  mutating func take(_ voltage: Double) -> Side? {
    let seen = side(of: voltage)
    guard seen != side else {
      readings = 0
      return nil
    }
    readings = seen == wished ? readings + 1 : 1
    wished = seen
    guard readings >= Self.confirmations else { return nil }
    (side, readings) = (seen, 0)
    return seen
  }

  private func side(of voltage: Double) -> Side {
    if let least, voltage < (side == .under ? least * (1 + Self.hysteresis) : least) { return .under }
    if let most, voltage > (side == .over ? most * (1 - Self.hysteresis) : most) { return .over }
    return .within
  }
}
