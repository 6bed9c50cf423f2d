import Energy
import Glibc
import Quantities

/// The battery budget: makes the battery last until a date. The remaining charge, less a reserve, is divided by the
/// days left. Sampling intervals are lengthened until sampling keeps to its share.
///
/// It performs nothing and reads no clock. Every few hours its owner, ``Tracker``, reports the use. From that it
/// learns the consumption without sampling, and that of sampling at the set intervals. A charge used at a factor of n
/// counts n times.
public struct PowerBudget: Sendable {
  /// The settings of the budget.
  public struct Rules: Equatable, Sendable {
    /// Nominal capacity of the battery.
    public var capacity: Charge
    /// Share of the capacity that sampling leaves for alarms and the last position, 0...1.
    public var reserve: Double
    /// The date; nil: intervals are not changed, and there is only a forecast.
    public var until: Timestamp?

    public init(capacity: Charge, reserve: Double, until: Timestamp?) {
      self.capacity = capacity
      self.reserve = min(max(reserve, 0), 1)
      self.until = until
    }
  }

  /// The result of the budget for the date.
  public enum Outlook: Equatable, Sendable {
    /// No date is configured, or no data is available yet.
    case none
    case lasts
    /// The battery is empty before the date, even with the longest intervals.
    case fallsShort
    /// The date has passed.
    case over
  }

  /// Largest factor of the intervals.
  public static let largestIntervalFactor = 48.0
  /// Shortest time between two reviews.
  public static let pause = Duration.seconds(6 * 3600)
  /// Time constant of learning in days, after which a third of the old value remains.
  static let memory = 2.0
  /// Largest change of the factor from one review to the next.
  static let largestStep = 2.0
  /// Share of the charge that is usable below 0 °C.
  static let frostShare = 0.75

  public private(set) var rules: Rules?
  /// Factor by which the intervals are longer than set; 1 or more.
  public private(set) var intervalFactor = 1.0
  /// The result of the last review.
  public private(set) var outlook = Outlook.none
  /// The forecast; nil before the gauge has reported and some hours have passed.
  public private(set) var forecast: PowerForecast?
  private var last: PowerUse?
  /// Consumption without sampling in mAh a day, learned.
  private var fixed: Double?
  private var samplingPerDay = 0.0
  /// Mean deviation of a day's consumption, in mAh.
  private var spread = 0.0
  private var reported: (intervalFactor: Double, outlook: Outlook) = (1, .none)

  public init(_ rules: Rules?) { self.rules = rules }

  /// Restores the factor of an earlier run.
  public mutating func restore(intervalFactor: Double) {
    guard rules?.until != nil, intervalFactor.isFinite else { return }
    self.intervalFactor = min(max(intervalFactor, 1), Self.largestIntervalFactor)
    reported = (self.intervalFactor, .lasts)
  }

  /// Applies other settings.
  public mutating func change(_ rules: Rules?) {
    guard rules != self.rules else { return }
    self.rules = rules
    forecast = nil
    if rules?.until == nil { (intervalFactor, outlook) = (1, .none) }
  }

  /// Reviews the use since the last review. Returns true if ``intervalFactor`` or ``outlook`` changed. `time` is UTC; nil
  /// while unknown: then nothing changes.
  public mutating func review(_ use: PowerUse, time: Timestamp?) -> Bool {
    guard let rules else { return false }
    learn(use)
    guard let fixed, let remaining = use.remaining else { return false }
    let isFrost = use.temperature.map { $0 < 0 } ?? false
    let usable = Charge(milliampereHours: remaining.milliampereHours * (isFrost ? Self.frostShare : 1))
    let sampled = samplingPerDay / intervalFactor
    forecast =
      fixed + sampled > 0
      ? PowerForecast(
        remaining: usable, capacity: rules.capacity, fixed: fixed, sampled: sampled, spread: spread) : nil
    guard let until = rules.until, let time else { return false }
    let before = (intervalFactor, outlook)
    let days = (until - time).inSeconds / 86_400
    guard days > 0 else {
      (intervalFactor, outlook) = (1, .over)
      return before != (intervalFactor, outlook)
    }
    let spendable = usable.milliampereHours - rules.reserve * rules.capacity.milliampereHours
    let allowance = spendable / days - fixed
    let requiredFactor = allowance > 0 ? samplingPerDay / allowance : .infinity
    outlook = requiredFactor > Self.largestIntervalFactor ? .fallsShort : .lasts
    let step = min(max(requiredFactor, intervalFactor / Self.largestStep), intervalFactor * Self.largestStep)
    intervalFactor = min(max(step, 1), Self.largestIntervalFactor)
    return before != (intervalFactor, outlook)
  }

  /// True once after a change worth reporting: another outlook, or a clearly different factor.
  public mutating func hasReportableChange() -> Bool {
    let hasJumped =
      intervalFactor > reported.intervalFactor * 1.25 || intervalFactor < reported.intervalFactor / 1.25
    guard outlook != reported.outlook || hasJumped else { return false }
    reported = (intervalFactor, outlook)
    return true
  }

  /// The state of the budget as a clause for people.
  public var text: String {
    let times = (intervalFactor * 10).rounded() / 10
    let sampling =
      intervalFactor > 1
      ? "sampling interval \(times) times that of the settings" : "sampling as in the settings"
    switch outlook {
    case .none: return sampling
    case .lasts: return "the battery lasts until power.last_until; \(sampling)"
    case .fallsShort: return "the battery will not last until power.last_until; \(sampling)"
    case .over: return "power.last_until has passed; \(sampling)"
    }
  }

  /// Learns from the use since the last review, if enough time has passed.
  private mutating func learn(_ use: PowerUse) {
    guard let last else {
      self.last = use
      return
    }
    let days = (use.ran - last.ran).inSeconds / 86_400
    guard use.ran - last.ran >= Self.pause / 2 else {
      // The ledger was reset.
      if days < 0 { self.last = use }
      return
    }
    self.last = use
    let drawn = (use.drawn - last.drawn).milliampereHours / days
    let sampled = max((use.sampled - last.sampled).milliampereHours / days, 0)
    guard drawn.isFinite, sampled.isFinite, drawn >= 0 else { return }
    let others = max(drawn - sampled, 0)
    guard let fixed else {
      (self.fixed, samplingPerDay) = (others, sampled * intervalFactor)
      return
    }
    let weight = 1 - exp(-days / Self.memory)
    let mean = fixed + samplingPerDay / intervalFactor
    spread += weight * (abs(drawn - mean) - spread)
    self.fixed = fixed + weight * (others - fixed)
    samplingPerDay += weight * (sampled * intervalFactor - samplingPerDay)
  }
}
