/// How sparing the box is with its battery.
///
/// | level | entered by any of | left by any of | meanwhile |
/// | --- | --- | --- | --- |
/// | normal | | | everything is as the settings say |
/// | low | charge at or below `power.low`; voltage at or below `power.low_V`; a cell colder than `power.coldest_C` or hotter than `power.hottest_C` | all of these away from their limits up to `power.resume`; a full battery; no reading for an hour; a gauge that stands still for a day | positions are taken sparsely but in trips by hand, and sent each half hour at most |
/// | critical | charge at or below `power.critical`; voltage at or below `power.critical_V` | the same quantities as far above these limits as `power.resume` is above `power.low`; the rest as for low | one last position is recorded and all that waits is sent; then the receiver is off and nothing is sent but a check-in, and the battery is looked at seldom |
///
/// Each step takes several readings on end, and from critical the way leads through low unless all of them say normal.
/// While charge flows in, less of a distance to the limit will do.
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
