import Quantities

/// Attributes every mAh drawn from the battery to a share, and keeps what the gauge saw beside it.
///
/// What the gauge saw and no share explains is ``unexplained``: it is an entry like any other and may be negative
/// where the figures of the board are too high. Shares are reckoned from states that last and charges that come at
/// once, all at the battery.
public struct ChargeLedger: Equatable, Sendable {
  /// A part that draws a steady current until it is told otherwise.
  public enum Part: Hashable, Sendable { case receiver, sensors, host, radio, overhead }

  private struct Flow: Equatable {
    var share: EnergyShare
    /// mA at the battery.
    var milliamperes: Double
    var since: Moment
  }

  public let start: Moment
  private var flows: [Part: Flow] = [:]
  private var closed: [EnergyShare: Charge] = [:]
  private var firstRemaining: Charge?
  private var lastRemaining: Charge?
  private var explainedAtFirst = Charge.zero
  private var explainedAtLast = Charge.zero
  private var explainedBefore = Charge.zero
  private var charged = Charge.zero

  public init(start: Moment) { self.start = start }

  /// From now on `part` draws `milliamperes` of the battery for `share`. No number, or one below zero, counts as none.
  public mutating func enter(_ part: Part, as share: EnergyShare, milliamperes: Double, now: Moment) {
    close(part, now: now)
    let current = milliamperes > 0 && milliamperes.isFinite ? milliamperes : 0
    flows[part] = Flow(share: share, milliamperes: current, since: now)
  }

  /// A charge that came at once: an upload, a flush, a second of processor time.
  public mutating func add(_ charge: Charge, to share: EnergyShare) {
    guard charge.milliampereHours.isFinite else { return }
    closed[share, default: .zero] += charge
  }

  /// The gauge says what is left in the battery. While it is charged the gauge explains nothing: call
  /// ``chargerAttached(now:)`` then.
  public mutating func gauge(remaining: Charge, now: Moment) {
    let explained = total(now: now)
    guard firstRemaining != nil else {
      firstRemaining = remaining
      lastRemaining = remaining
      explainedAtFirst = explained
      explainedAtLast = explained
      return
    }
    lastRemaining = remaining
    explainedAtLast = explained
  }

  /// A charger was attached: the comparison with the gauge is closed, and begins anew with its next reading.
  public mutating func chargerAttached(now: Moment) {
    guard let measured else { return }
    charged += measured
    explainedBefore += explainedAtLast - explainedAtFirst
    firstRemaining = nil
    lastRemaining = nil
  }

  /// What one share drew since the start.
  public func charge(of share: EnergyShare, now: Moment) -> Charge {
    flows.values.reduce(closed[share] ?? .zero) { sum, flow in
      flow.share == share ? sum + Self.charge(of: flow, now: now) : sum
    }
  }

  /// What all shares together drew since the start.
  public func total(now: Moment) -> Charge {
    let settled = closed.values.reduce(.zero, +)
    return flows.values.reduce(settled) { $0 + Self.charge(of: $1, now: now) }
  }

  /// What the gauge saw leave between its first and its last reading of this stretch; nil before two readings.
  private var measured: Charge? {
    guard let firstRemaining, let lastRemaining else { return nil }
    return firstRemaining - lastRemaining
  }

  /// What the gauge saw leave the battery in all stretches without charger; nil where no gauge has spoken.
  public var seenByGauge: Charge? {
    guard measured != nil || charged != .zero else { return nil }
    return charged + (measured ?? .zero)
  }

  /// What the gauge saw and no share explains, over the time the gauge covers; nil without a gauge. Shares in that
  /// time plus this equal ``seenByGauge``.
  public var unexplained: Charge? {
    seenByGauge.map { $0 - explained }
  }

  /// What the shares drew over the time the gauge covers.
  public var explained: Charge {
    explainedBefore + (firstRemaining == nil ? .zero : explainedAtLast - explainedAtFirst)
  }

  private mutating func close(_ part: Part, now: Moment) {
    guard let flow = flows.removeValue(forKey: part) else { return }
    closed[flow.share, default: .zero] += Self.charge(of: flow, now: now)
  }

  private static func charge(of flow: Flow, now: Moment) -> Charge {
    Charge(milliamperes: flow.milliamperes, for: now - flow.since)
  }
}
