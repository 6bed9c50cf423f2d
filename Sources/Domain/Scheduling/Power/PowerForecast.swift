import Energy
import Quantities

/// The forecast of the battery's remaining time at the present consumption.
public struct PowerForecast: Equatable, Sendable {
  /// Recent consumption in mAh a day.
  public let perDay: Double
  /// Days until the usable charge is gone.
  public let days: Days
  /// Consumption in mAh a day that sampling cannot reduce.
  public let fixedPerDay: Double
  /// Days left with the longest sampling intervals.
  public let longestDays: Double

  /// A range of days with the most probable value.
  public struct Days: Equatable, Sendable {
    public var fewest: Double
    public var likeliest: Double
    public var most: Double
  }

  /// Error of the gauge as a share of the capacity.
  static let gaugeError = 0.05
  /// Least deviation between days, as a share of the mean.
  static let leastSpread = 0.1

  /// Creates a forecast. `spread` is the mean deviation of a day's consumption, in mAh.
  init(remaining: Charge, capacity: Charge, fixed: Double, sampled: Double, spread: Double) {
    let mean = max(fixed + sampled, 0)
    let width = max(2 * spread, Self.leastSpread * mean)
    perDay = mean
    fixedPerDay = fixed
    let left = remaining.milliampereHours
    let uncertainty = Self.gaugeError * capacity.milliampereHours
    days = Days(
      fewest: Self.days(left - uncertainty, mean + width), likeliest: Self.days(left, mean),
      most: Self.days(min(left + uncertainty, capacity.milliampereHours), max(mean - width, mean / 4)))
    longestDays = Self.days(left, max(fixed + sampled / PowerBudget.largestIntervalFactor, 0))
  }

  /// The days that a charge lasts, at most ten years.
  private static func days(_ charge: Double, _ perDay: Double) -> Double {
    guard charge > 0 else { return 0 }
    return perDay > 0 ? min(charge / perDay, 3650) : 3650
  }
}
