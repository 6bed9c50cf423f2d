import Energy
import Quantities

/// What a battery has left and what was drawn of it so far, as gauge and ledger have it.
public struct PowerUse: Equatable, Sendable {
  /// In the battery; nil while no gauge tells.
  public var remaining: Charge?
  /// Drawn by everything since the ledger began, with what the gauge saw and nobody can explain.
  public var drawn: Charge
  /// What sampling and sending drew of it.
  public var sampled: Charge
  /// How long the ledger has run.
  public var ran: Duration
  /// °C of the cells, where it is measured.
  public var temperature: Double?

  public init(
    remaining: Charge?, drawn: Charge, sampled: Charge, ran: Duration, temperature: Double? = nil
  ) {
    self.remaining = remaining
    self.drawn = drawn
    self.sampled = sampled
    self.ran = ran
    self.temperature = temperature
  }
}
