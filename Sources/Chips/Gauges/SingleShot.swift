/// Progress of a measurement on demand.
struct SingleShot: Hashable, Sendable {
  /// The delay after which a measurement is normally complete.
  let pause: Duration
  /// Number of times that an incomplete measurement was checked; nil if none is in progress.
  private(set) var asked: Int?

  init(pause: Duration) { self.pause = pause }

  /// Number of checks after which an incomplete measurement counts as failed.
  static let patience = 4

  mutating func begin() -> GaugeStep {
    asked = 0
    return .wait(pause)
  }

  /// Ends the measurement in progress, so that the driver starts from the beginning after a fault.
  mutating func take() -> Int? {
    defer { asked = nil }
    return asked
  }

  /// Waits again after `asked` earlier checks; throws if there were too many.
  mutating func wait(afterAsking asked: Int, _ address: I2CAddress) throws(ChipError) -> GaugeStep {
    guard asked + 1 < Self.patience else { throw .cannot(address, "a measurement within the time limit") }
    self.asked = asked + 1
    return .wait(pause)
  }
}
