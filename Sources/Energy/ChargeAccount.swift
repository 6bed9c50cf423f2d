import Quantities

/// What a stretch of logging cost, share by share, and what the gauge saw of it.
public struct ChargeAccount: Equatable, Sendable {
  public struct Entry: Equatable, Sendable {
    public var charge = Charge.zero
    public var time = Duration.zero
    /// For some of the time nobody knew the current: it is in ``time`` and not in ``charge``.
    public var isIncomplete = false

    public init() {}
  }

  /// UTC; nil while the date is unknown.
  public var start: Timestamp?
  /// The day on which it began by the clock on the wall, counted from 1970-01-01; nil while that is unknown.
  public var day: Int?
  /// How long the logger ran.
  public var duration = Duration.zero
  /// V of the supply at which the charges are reckoned.
  public var supplyVolts: Double
  public var entries: [EnergyShare: Entry] = [:]
  /// What the gauge saw leave the battery; nil where none spoke, or did not know the battery's capacity.
  public var seenByGauge: Charge?
  /// What the shares drew while the gauge watched.
  public var explained = Charge.zero

  public init(start: Timestamp?, supplyVolts: Double) {
    self.start = start
    self.supplyVolts = supplyVolts
  }

  /// What all shares drew.
  public var total: Charge { entries.values.reduce(.zero) { $0 + $1.charge } }

  /// What the gauge saw and no share explains; below zero where the board's figures are too high. Nil without a gauge.
  public var unexplained: Charge? { seenByGauge.map { $0 - explained } }

  /// Takes in a later stretch; the earlier start stays.
  public static func += (a: inout ChargeAccount, b: ChargeAccount) {
    a.start = a.start ?? b.start
    a.day = a.day ?? b.day
    a.duration += b.duration
    a.supplyVolts = b.supplyVolts
    a.explained += b.explained
    if let seen = b.seenByGauge { a.seenByGauge = (a.seenByGauge ?? .zero) + seen }
    for (share, entry) in b.entries { a.entries[share, default: Entry()].add(entry) }
  }
}

extension ChargeAccount.Entry {
  mutating func add(_ other: Self) {
    charge += other.charge
    time += other.time
    isIncomplete = isIncomplete || other.isIncomplete
  }
}
