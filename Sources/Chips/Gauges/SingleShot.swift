/// How far a measurement on demand is.
struct SingleShot: Hashable, Sendable {
  /// The pause after which a measurement is done in any case.
  let pause: Duration
  /// How often a measurement was asked for and not done; nil while none is under way.
  private(set) var asked: Int?

  init(pause: Duration) { self.pause = pause }

  /// How often an unfinished measurement is waited for before it counts as lost.
  static let patience = 4

  mutating func begin() -> GaugeStep {
    asked = 0
    return .wait(pause)
  }

  /// Nothing is under way from here on, so that a fault on the way leaves a driver that begins anew.
  mutating func take() -> Int? {
    defer { asked = nil }
    return asked
  }

  /// It is not done after it was asked `asked` times before.
  mutating func wait(afterAsking asked: Int, _ address: I2CAddress) throws(ChipError) -> GaugeStep {
    guard asked + 1 < Self.patience else { throw .cannot(address, "finish a measurement in time") }
    self.asked = asked + 1
    return .wait(pause)
  }
}
