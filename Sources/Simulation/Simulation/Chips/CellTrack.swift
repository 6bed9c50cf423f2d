import Chips
import Quantities

/// The state of one cell, as a pure function of the time.
public struct CellTrack: Sendable {
  /// The state of the cell at one time.
  public struct State: Hashable, Sendable {
    /// Terminal voltage in V.
    public var voltage: Double
    /// Charge in percent, 0...100.
    public var percent: Double
    /// Rate of the charge in percent per hour, positive while charging.
    public var rate: Double
  }

  private enum Source: Sendable {
    case table(TrackTable)
    case model(percent: Double, rates: [(from: Double, rate: Double)])
  }

  private static let columns = ["t_s", "volts", "percent", "percent_per_hour"]
  /// Change of the terminal voltage in V per percent per hour, as with 0.2 Ω in a cell of 2 Ah.
  static let voltsPerRate = 0.004

  private let source: Source
  /// The time of second 0.
  public var start = Moment.zero

  /// Reads rows of `t_s,volts,percent[,percent_per_hour]`, with or without a header. A missing rate is
  /// derived from the two adjacent rows.
  public init(csv: some Sequence<UInt8>) throws(TrackError) {
    source = .table(try TrackTable(csv: csv, names: Self.columns, required: 3))
  }

  /// Simulates a lithium cell that begins at `percent` and charges or discharges at `rates` in percent per
  /// hour, each from a given second on, in order. It stops at empty and at full.
  public init(percent: Double, rates: [(from: Double, rate: Double)]) {
    source = .model(percent: percent, rates: rates)
  }

  /// Simulates a lithium cell that begins at `percent` and charges (positive) or discharges at `rate` in
  /// percent per hour.
  public init(percent: Double, rate: Double) { self.init(percent: percent, rates: [(0, rate)]) }

  public func state(at moment: Moment) -> State {
    let second = Double(moment.nanoseconds) * 1e-9 - Double(start.nanoseconds) * 1e-9
    switch source {
    case .table(let table):
      let rate = table.value(2, at: second)
      return State(
        voltage: table.value(0, at: second), percent: table.value(1, at: second),
        rate: rate.isNaN ? Self.slope(of: table, at: second) : rate)
    case .model(let percent, let rates):
      return Self.state(percent: percent, rates: rates, at: second)
    }
  }

  private static func slope(of table: TrackTable, at second: Double) -> Double {
    guard let index = table.index(at: second), index + 1 < table.times.count else { return 0 }
    let (begin, end) = (table.times[index], table.times[index + 1])
    return (table.value(1, at: end) - table.value(1, at: begin)) / (end - begin) * 3600
  }

  private static func state(
    percent: Double, rates: [(from: Double, rate: Double)], at second: Double
  ) -> State {
    var (charge, rate) = (min(max(percent, 0), 100), 0.0)
    for (index, leg) in rates.enumerated() where leg.from <= second {
      let end = index + 1 < rates.count ? min(rates[index + 1].from, second) : second
      charge = min(max(charge + leg.rate * (end - leg.from) / 3600, 0), 100)
      rate = (charge >= 100 && leg.rate > 0) || (charge <= 0 && leg.rate < 0) ? 0 : leg.rate
    }
    let voltage = OpenCircuitVoltage.lithiumIon.voltage(at: charge) + voltsPerRate * rate
    return State(voltage: voltage, percent: charge, rate: rate)
  }
}
