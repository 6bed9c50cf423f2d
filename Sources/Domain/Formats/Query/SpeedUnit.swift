import Quantities

extension SpeedUnit {
  /// Converts a speed in mm/s to hundredths of the unit, rounded half up to a multiple of `rounding`.
  func hundredths(of millimetresPerSecond: Int32, rounding: Int64 = 1) -> Int64 {
    // 1 knot is exactly 1852 m/h.
    let (numerator, denominator): (Int64, Int64) =
      switch self {
      case .knots: (3600, 18_520)
      case .metresPerSecond: (1, 10)
      case .kilometresPerHour: (36, 100)
      }
    let step = denominator * rounding
    return (Int64(millimetresPerSecond) * numerator + step / 2) / step * rounding
  }
}
