import Energy
import Quantities

/// The remaining charge by the gauge and the charge used so far by the ledger: the input of ``PowerBudget``.
public struct PowerUse: Equatable, Sendable {
  /// Remaining charge; nil without a gauge.
  public var remaining: Charge?
  /// Charge used since the ledger began, including the unexplained difference.
  public var drawn: Charge
  /// The part used by sampling and sending.
  public var sampled: Charge
  /// Running time of the ledger.
  public var ran: Duration
  /// Cell temperature in °C, if measured.
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
