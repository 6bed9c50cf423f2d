/// Progress of a measurement on demand.
struct SingleShot: Hashable, Sendable {
  /// The delay after which a measurement is normally complete.
  let pause: Duration
  /// Number of times that an incomplete measurement was checked; nil if none is in progress.
  private(set) var polls: Int?

  init(pause: Duration) { self.pause = pause }

  /// Number of checks after which an incomplete measurement counts as failed.
  static let mostPolls = 4

  mutating func begin() -> GaugeStep {
    polls = 0
    return .wait(pause)
  }

  /// Ends the measurement in progress, so that the driver starts from the beginning after a fault.
  mutating func take() -> Int? {
    defer { polls = nil }
    return polls
  }

  /// Waits again after `polls` earlier checks; throws if there were too many.
  mutating func wait(afterPolls polls: Int, _ address: I2CAddress) throws(ChipError) -> GaugeStep {
    guard polls + 1 < Self.mostPolls else { throw .cannot(address, "a measurement within the time limit") }
    self.polls = polls + 1
    return .wait(pause)
  }
}
