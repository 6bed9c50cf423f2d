extension ClosedRange<UInt8> {
  /// What a register that counts in this range holds for a value in its steps; the least for what is no number.
  func nearest(to value: Double) -> UInt8 {
    guard value > Double(lowerBound) else { return lowerBound }
    return value < Double(upperBound) ? UInt8(value.rounded()) : upperBound
  }

  /// The same, never below the value so long as the register reaches it.
  func next(upwardsFrom value: Double) -> UInt8 {
    // A product such as 1.1 s times 10 Hz is a trace above what it stands for.
    nearest(to: (value - 1e-9).rounded(.up))
  }
}
