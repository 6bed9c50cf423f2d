/// The power level: how much the battery allows.
///
/// | level | entered by any of | left by any of | meanwhile |
/// | --- | --- | --- | --- |
/// | normal | | | everything as set |
/// | low | charge at or below `power.low`; voltage at or below `power.low_V`; a cell colder than `power.coldest_C` or hotter than `power.hottest_C` | all of these away from their limits, up to `power.resume`; a full battery; no reading for an hour; constant readings for a day | sparse sampling except in trips by hand; a send every half hour at most |
/// | critical | charge at or below `power.critical`; voltage at or below `power.critical_V` | the same quantities as far above these limits as `power.resume` is above `power.low`; the rest as for low | one last position is recorded and the queues are sent; then the receiver is off, only check-ins are sent, and the battery is read less often |
///
/// Every change requires several consecutive readings. From critical the next level is low, unless all of them say
/// normal. While charging, a smaller distance to the limit is enough.
public enum PowerLevel: String, Sendable, CaseIterable, Comparable {
  case normal, low, critical

  private var severity: Int {
    switch self {
    case .normal: 0
    case .low: 1
    case .critical: 2
    }
  }

  public static func < (a: PowerLevel, b: PowerLevel) -> Bool { a.severity < b.severity }
}
