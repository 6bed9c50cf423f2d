extension ClosedRange<UInt8> {
  /// The nearest count of this range for a value in steps; the smallest for NaN.
  func nearest(to value: Double) -> UInt8 {
    guard value > Double(lowerBound) else { return lowerBound }
    return value < Double(upperBound) ? UInt8(value.rounded()) : upperBound
  }

  /// The next count that is not below the value, or the largest of the range.
  func next(upwardsFrom value: Double) -> UInt8 {
    // A product such as 1.1 s times 10 Hz can slightly exceed its exact value.
    nearest(to: (value - 1e-9).rounded(.up))
  }
}
