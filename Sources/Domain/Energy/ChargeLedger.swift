import Quantities

/// The ledger of one period: the charge of every consumer, compared with the measurement of the fuel gauge.
///
/// The charge is computed from the duration of states and from single amounts, all at the supply. The difference
/// between measurement and sum is ``unexplained``. It may be negative if the board's figures are too high.
public struct ChargeLedger: Equatable, Sendable {
  /// A consumer with a constant current until its next state.
  public enum Part: Hashable, Sendable { case receiver, accelerometer, gauge, host, radio, overhead }

  private struct Flow: Equatable {
    var share: EnergyShare
    /// The current in mA at the supply; nil if unknown.
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

  /// Returns the ledger of the next period: the states continue, and the gauge is compared from its last reading.
  public func continued(now: Moment) -> ChargeLedger {
    var next = ChargeLedger(start: now)
    for (part, flow) in flows {
      next.flows[part] = Flow(share: flow.share, milliamperes: flow.milliamperes, since: now)
    }
    next.firstRemaining = lastRemaining
    next.lastRemaining = lastRemaining
    // The charge since that reading belongs to this period, but the gauge will measure it in the next.
    next.explainedAtFirst = explainedAtLast - total(now: now)
    next.explainedAtLast = next.explainedAtFirst
    return next
  }

  /// Starts a state: `part` draws `milliamperes` at the supply for `share`.
  ///
  /// If the current is nil, negative or invalid, it is unknown, and only the time counts.
  public mutating func enter(_ part: Part, as share: EnergyShare, milliamperes: Double?, now: Moment) {
    leave(part, now: now)
    let current = milliamperes.flatMap { $0 >= 0 && $0.isFinite ? $0 : nil }
    flows[part] = Flow(share: share, milliamperes: current, since: now)
  }

  /// Ends the state of a part, because it is gone or its state is unknown.
  public mutating func leave(_ part: Part, now: Moment) {
    guard let flow = flows.removeValue(forKey: part) else { return }
    closed[flow.share, default: .init()].add(Self.entry(of: flow, now: now))
  }

  /// Adds time of a share that is not a part with states, such as the processor. If the current is nil, only the time
  /// counts.
  public mutating func add(_ time: Duration, at milliamperes: Double?, to share: EnergyShare) {
    guard time > .zero else { return }
    var entry = ChargeAccount.Entry()
    entry.time = time
    let current = milliamperes.flatMap { $0 >= 0 && $0.isFinite ? $0 : nil }
    entry.charge = Charge(milliamperes: current ?? 0, for: time)
    entry.isIncomplete = current == nil
    closed[share, default: .init()].add(entry)
  }

  /// Adds a single amount of charge.
  public mutating func add(_ charge: Charge, to share: EnergyShare) {
    guard charge.milliampereHours.isFinite else { return }
    closed[share, default: .init()].charge += charge
  }

  /// Processes a reading of the charge in the battery. Readings while charging are not valid: call
  /// ``chargerAttached()``.
  public mutating func gauge(remaining: Charge, now: Moment) {
    let explained = total(now: now)
    if firstRemaining == nil {
      firstRemaining = remaining
      explainedAtFirst = explained
    }
    lastRemaining = remaining
    explainedAtLast = explained
  }

  /// Ends the comparison with the gauge because a charger was attached. The next reading starts a new one.
  public mutating func chargerAttached() {
    guard let measured else { return }
    charged = (charged ?? .zero) + measured
    explainedBefore += explainedAtLast - explainedAtFirst
    firstRemaining = nil
    lastRemaining = nil
  }

  /// Returns the charge of one share since the start.
  public func charge(of share: EnergyShare, now: Moment) -> Charge {
    entries(now: now)[share]?.charge ?? .zero
  }

  /// Returns the charge of all shares since the start.
  public func total(now: Moment) -> Charge {
    let settled = closed.values.reduce(Charge.zero) { $0 + $1.charge }
    return flows.values.reduce(settled) { $0 + Self.entry(of: $1, now: now).charge }
  }

  /// The measured charge in all periods without a charger; nil without a reading.
  public var seenByGauge: Charge? {
    guard measured != nil || charged != nil else { return nil }
    return (charged ?? .zero) + (measured ?? .zero)
  }

  /// The unexplained difference: the measured charge less the sum of the shares over the same time; nil without a
  /// gauge.
  public var unexplained: Charge? { seenByGauge.map { $0 - explained } }

  /// The sum of the shares over the time that the gauge covers.
  public var explained: Charge {
    explainedBefore + (firstRemaining == nil ? .zero : explainedAtLast - explainedAtFirst)
  }

  /// Returns the ledger as a value that can be stored and added. `start` is its start in UTC, nil while unknown.
  public func account(start: Timestamp?, supply: SupplyRail, now: Moment) -> ChargeAccount {
    var account = ChargeAccount(start: start, supplyVolts: supply.volts)
    account.duration = max(now - self.start, .zero)
    account.entries = entries(now: now).filter { $0.value != ChargeAccount.Entry() }
    account.seenByGauge = seenByGauge
    account.explained = explained
    return account
  }

  /// The measured charge between the first and the last reading; nil before the first.
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
