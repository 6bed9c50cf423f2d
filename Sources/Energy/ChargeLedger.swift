import Quantities

/// Attributes every mAh drawn from the supply to a share, and keeps what the gauge saw beside it.
///
/// What the gauge saw and no share explains is ``unexplained``: it is an entry like any other and may be negative
/// where the figures of the board are too high. Shares are reckoned from states that last and charges that come at
/// once, all at the supply.
public struct ChargeLedger: Equatable, Sendable {
  /// A part that draws a steady current until it is told otherwise.
  public enum Part: Hashable, Sendable { case receiver, accelerometer, gauge, host, radio, overhead }

  private struct Flow: Equatable {
    var share: EnergyShare
    /// mA of the supply; nil where nobody knows.
    var milliamperes: Double?
    var since: Moment
  }

  public let start: Moment
  private var flows: [Part: Flow] = [:]
  private var closed: [EnergyShare: ChargeAccount.Entry] = [:]
  private var firstRemaining: Charge?
  private var lastRemaining: Charge?
  private var explainedAtFirst = Charge.zero
  private var explainedAtLast = Charge.zero
  private var explainedBefore = Charge.zero
  private var charged: Charge?

  public init(start: Moment) { self.start = start }

  /// The next page: the parts go on drawing, and the gauge is compared from its last reading on.
  public func continued(now: Moment) -> ChargeLedger {
    var next = ChargeLedger(start: now)
    for (part, flow) in flows {
      next.flows[part] = Flow(share: flow.share, milliamperes: flow.milliamperes, since: now)
    }
    next.firstRemaining = lastRemaining
    next.lastRemaining = lastRemaining
    // What was drawn since that reading is on this page, and the gauge will see it on the next.
    next.explainedAtFirst = explainedAtLast - total(now: now)
    next.explainedAtLast = next.explainedAtFirst
    return next
  }

  /// From now on `part` draws `milliamperes` of the supply for `share`. Nil: nobody knows how much, and only the time
  /// counts. No number, or one below zero, is not known either.
  public mutating func enter(_ part: Part, as share: EnergyShare, milliamperes: Double?, now: Moment) {
    leave(part, now: now)
    let current = milliamperes.flatMap { $0 >= 0 && $0.isFinite ? $0 : nil }
    flows[part] = Flow(share: share, milliamperes: current, since: now)
  }

  /// The part is gone, or nobody knows what it does.
  public mutating func leave(_ part: Part, now: Moment) {
    guard let flow = flows.removeValue(forKey: part) else { return }
    closed[flow.share, default: .init()].add(Self.entry(of: flow, now: now))
  }

  /// A charge that came at once: a flush, a second of processor time.
  public mutating func add(_ charge: Charge, to share: EnergyShare) {
    guard charge.milliampereHours.isFinite else { return }
    closed[share, default: .init()].charge += charge
  }

  /// A state that lasted while no ledger was kept: before this one, as a rule. Nil: nobody knows its current.
  public mutating func add(_ time: Duration, of share: EnergyShare, milliamperes: Double?) {
    guard time > .zero else { return }
    closed[share, default: .init()].time += time
    guard let milliamperes, milliamperes >= 0 else {
      return closed[share, default: .init()].isIncomplete = true
    }
    add(Charge(milliamperes: milliamperes, for: time), to: share)
  }

  /// The gauge says what is left in the battery. While it is charged the gauge explains nothing: call
  /// ``chargerAttached()`` then.
  public mutating func gauge(remaining: Charge, now: Moment) {
    let explained = total(now: now)
    if firstRemaining == nil {
      firstRemaining = remaining
      explainedAtFirst = explained
    }
    lastRemaining = remaining
    explainedAtLast = explained
  }

  /// A charger was attached: the comparison with the gauge is closed, and begins anew with its next reading.
  public mutating func chargerAttached() {
    guard let measured else { return }
    charged = (charged ?? .zero) + measured
    explainedBefore += explainedAtLast - explainedAtFirst
    firstRemaining = nil
    lastRemaining = nil
  }

  /// What one share drew since the start.
  public func charge(of share: EnergyShare, now: Moment) -> Charge {
    entries(now: now)[share]?.charge ?? .zero
  }

  /// What all shares together drew since the start.
  public func total(now: Moment) -> Charge {
    let settled = closed.values.reduce(Charge.zero) { $0 + $1.charge }
    return flows.values.reduce(settled) { $0 + Self.entry(of: $1, now: now).charge }
  }

  /// What the gauge saw leave the battery in all stretches without charger; nil where no gauge has spoken.
  public var seenByGauge: Charge? {
    guard measured != nil || charged != nil else { return nil }
    return (charged ?? .zero) + (measured ?? .zero)
  }

  /// What the gauge saw and no share explains, over the time the gauge covers; nil without a gauge. Shares in that
  /// time plus this equal ``seenByGauge``.
  public var unexplained: Charge? { seenByGauge.map { $0 - explained } }

  /// What the shares drew over the time the gauge covers.
  public var explained: Charge {
    explainedBefore + (firstRemaining == nil ? .zero : explainedAtLast - explainedAtFirst)
  }

  /// All of it as a value that can be kept and added up. `start` is the ledger's in UTC, nil while unknown.
  public func account(start: Timestamp?, supply: SupplyRail, now: Moment) -> ChargeAccount {
    var account = ChargeAccount(start: start, supplyVolts: supply.volts)
    account.duration = max(now - self.start, .zero)
    account.entries = entries(now: now).filter { $0.value != ChargeAccount.Entry() }
    account.seenByGauge = seenByGauge
    account.explained = explained
    return account
  }

  /// What the gauge saw leave between its first and its last reading of this stretch; nil before the first.
  private var measured: Charge? {
    guard let firstRemaining, let lastRemaining else { return nil }
    return firstRemaining - lastRemaining
  }

  private func entries(now: Moment) -> [EnergyShare: ChargeAccount.Entry] {
    flows.values.reduce(into: closed) { entries, flow in
      entries[flow.share, default: .init()].add(Self.entry(of: flow, now: now))
    }
  }

  private static func entry(of flow: Flow, now: Moment) -> ChargeAccount.Entry {
    var entry = ChargeAccount.Entry()
    entry.time = max(now - flow.since, .zero)
    entry.charge = Charge(milliamperes: flow.milliamperes ?? 0, for: entry.time)
    entry.isIncomplete = flow.milliamperes == nil && entry.time > .zero
    return entry
  }
}
