import Quantities

/// The charge of a period of logging: per consumer, and as measured by the fuel gauge.
public struct ChargeAccount: Equatable, Sendable {
  /// The charge and time of one share.
  public struct Entry: Equatable, Sendable {
    public var charge = Charge.zero
    public var time = Duration.zero
    /// True if the current was unknown for a part of ``time``, which ``charge`` does not include.
    public var isIncomplete = false

    public init() {}
  }

  /// The start in UTC; nil while the date is unknown.
  public var start: Timestamp?
  /// The day of the start in local time, counted from 1970-01-01; nil while it is unknown.
  public var day: Int?
  /// The time for which the logger ran.
  public var duration = Duration.zero
  /// The supply voltage of the charges in V.
  public var supplyVolts: Double
  public var entries: [EnergyShare: Entry] = [:]
  /// The charge drawn from the battery as measured by the fuel gauge; nil without a gauge or without a known capacity.
  public var seenByGauge: Charge?
  /// The charge of the consumers in the time that the gauge covers.
  public var explained = Charge.zero

  public init(start: Timestamp?, supplyVolts: Double) {
    self.start = start
    self.supplyVolts = supplyVolts
  }

  /// The sum of all consumers.
  public var total: Charge { entries.values.reduce(.zero) { $0 + $1.charge } }

  /// The unexplained difference: measured charge less the sum of the consumers. It is negative if the board's figures
  /// are too high, and nil without a gauge.
  public var unexplained: Charge? { seenByGauge.map { $0 - explained } }

  /// Adds a later period; the earlier start is kept.
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
