/// The permitted voltage range of a battery or supply, and the side on which the voltage is.
///
/// Receives each voltage reading. A side is confirmed after ``confirmations`` successive readings, and left
/// only when the voltage has returned by ``hysteresis``.
public struct SupplyRange: Hashable, Sendable {
  /// The position of a voltage relative to the range.
  public enum Side: Hashable, Sendable { case under, within, over }

  static let confirmations = 3
  /// Hysteresis as a fraction of the limit.
  static let hysteresis = 0.02

  /// Lower limit in V of all cells in series, or of the supply; nil for none.
  public let least: Double?
  public let most: Double?
  public private(set) var side = Side.within
  private var pendingSide = Side.within
  private var readings = 0

  public init(least: Double?, most: Double?) {
    self.least = least
    self.most = most
  }

  /// Adds a reading; returns the new side if it has changed.
  mutating func take(_ voltage: Double) -> Side? {
    let seen = side(of: voltage)
    guard seen != side else {
      readings = 0
      return nil
    }
    readings = seen == pendingSide ? readings + 1 : 1
    pendingSide = seen
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
