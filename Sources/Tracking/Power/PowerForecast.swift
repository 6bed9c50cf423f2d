import Energy
import Quantities

/// How long a battery will last as things go.
public struct PowerForecast: Equatable, Sendable {
  /// mAh a day as of late.
  public let perDay: Double
  /// Days until nothing is left but what the cells keep: the fewest, the likeliest and the most.
  public let days: Days
  /// mAh a day that no sampling can save.
  public let fixedPerDay: Double
  /// Days that would be left if positions were taken as seldom as can be.
  public let longestDays: Double

  public struct Days: Equatable, Sendable {
    public var fewest: Double
    public var likeliest: Double
    public var most: Double
  }

  /// By how much of its capacity a gauge may be wrong.
  static let gaugeError = 0.05
  /// The least by which one day differs from another.
  static let leastSpread = 0.1

  /// `spread` is what days differ by from their mean, in mAh.
  init(remaining: Charge, capacity: Charge, fixed: Double, sampled: Double, spread: Double) {
    let mean = max(fixed + sampled, 0)
    let width = max(2 * spread, Self.leastSpread * mean)
    perDay = mean
    fixedPerDay = fixed
    let left = remaining.milliampereHours
    let doubt = Self.gaugeError * capacity.milliampereHours
    days = Days(
      fewest: Self.days(left - doubt, mean + width), likeliest: Self.days(left, mean),
      most: Self.days(min(left + doubt, capacity.milliampereHours), max(mean - width, mean / 4)))
    longestDays = Self.days(left, max(fixed + sampled / PowerBudget.longestStretch, 0))
  }

  /// Ten years stand for ever.
  private static func days(_ charge: Double, _ perDay: Double) -> Double {
    guard charge > 0 else { return 0 }
    return perDay > 0 ? min(charge / perDay, 3650) : 3650
  }
}
