import Quantities
import Scheduling

/// The power level and the battery budget, and what they leave of the desired tracking policy.
public struct PowerPolicy: Sendable {
  /// The power level and its cause.
  private var watch: PowerWatch
  public private(set) var budget: PowerBudget

  init(_ rules: PowerRules?, budget: PowerBudget.Rules?) {
    watch = PowerWatch(rules)
    self.budget = PowerBudget(budget)
  }

  public var level: PowerLevel { watch.level }
  public var cause: PowerCause { watch.cause }
  var stage: PowerStage { watch.stage }
  /// True while the last position before the receiver is switched off is awaited.
  var waitsForPosition: Bool { watch.waitsForPosition }
  var nextTimeout: Moment? { watch.nextTimeout }

  /// Processes a reading of the supply.
  mutating func take(_ reading: PowerReading, now: Moment) -> [PowerWatch.Action] {
    watch.take(reading, now: now)
  }

  /// Acts on a deadline that has passed.
  mutating func handleTimeout(now: Moment) -> [PowerWatch.Action] { watch.handleTimeout(now: now) }

  /// Notes that a position was recorded.
  mutating func positionKept(now: Moment) -> [PowerWatch.Action] { watch.positionKept(now: now) }

  /// Applies other rules.
  mutating func change(_ rules: PowerRules?, budget rulesOfBudget: PowerBudget.Rules?, now: Moment)
    -> [PowerWatch.Action]
  {
    budget.change(rulesOfBudget)
    return watch.change(rules, now: now)
  }

  /// Processes the measured use; true if the budget permits another interval than before.
  mutating func review(_ use: PowerUse, time: Timestamp?) -> Bool { budget.review(use, time: time) }

  /// The outlook of the budget, if it has changed enough to be reported.
  mutating func hasReportableChange() -> Bool { budget.hasReportableChange() }

  /// Continues the level and the budget of an earlier run.
  mutating func restore(_ level: PowerLevel, intervalFactor: Double, now: Moment) {
    watch.restore(level, now: now)
    budget.restore(intervalFactor: intervalFactor)
  }

  /// The tracking policy that the supply permits in place of `desired`; nil leaves the receiver on. `isByHand` is true in a
  /// trip by hand, which is recorded in full.
  func affordable(_ desired: TrackingPolicy?, isByHand: Bool, keepsLocations: Bool) -> TrackingPolicy? {
    if case .survival = stage { return .off }
    if isByHand { return desired }
    switch level {
    case .normal: return lengthened(desired, keepsLocations: keepsLocations)
    case .low, .critical: return (desired ?? .significant).sparing.lengthened(by: budget.intervalFactor)
    }
  }

  private func lengthened(_ desired: TrackingPolicy?, keepsLocations: Bool) -> TrackingPolicy? {
    guard budget.intervalFactor >= TrackingPolicy.intervalFactorOfS || desired != nil else { return nil }
    // Without locations there is no interval to lengthen.
    guard let policy = desired ?? (keepsLocations ? Self.awake : nil) else { return nil }
    return policy.lengthened(by: budget.intervalFactor)
  }

  private static let awake = TrackingPolicy(moving: .everySecond, stationary: .asMoving)
}
