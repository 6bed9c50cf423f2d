import Quantities

/// An amount of charge in mAh, at the voltage of its rail.
public struct Charge: Comparable, Hashable, Sendable {
  public var milliampereHours: Double

  public init(milliampereHours: Double) { self.milliampereHours = milliampereHours }

  /// Creates the charge of a constant current over a time; a negative time counts as zero.
  public init(milliamperes: Double, for duration: Duration) {
    milliampereHours = milliamperes * max(duration.inSeconds, 0) / 3600
  }

  public static let zero = Charge(milliampereHours: 0)

  public static func < (a: Charge, b: Charge) -> Bool { a.milliampereHours < b.milliampereHours }
  public static func + (a: Charge, b: Charge) -> Charge {
    Charge(milliampereHours: a.milliampereHours + b.milliampereHours)
  }
  public static func - (a: Charge, b: Charge) -> Charge {
    Charge(milliampereHours: a.milliampereHours - b.milliampereHours)
  }
  public static func += (a: inout Charge, b: Charge) { a = a + b }

  /// Returns the charge of the same energy at the battery. `efficiency` (0...1] is that of the regulator between the
  /// two.
  ///
  /// If a voltage or the efficiency is not positive, the charge is returned unchanged.
  public func drawn(fromVolts battery: Double, railVolts: Double, efficiency: Double) -> Charge {
    guard battery > 0, railVolts > 0, efficiency > 0 else { return self }
    return Charge(milliampereHours: milliampereHours * railVolts / (efficiency * battery))
  }
}
