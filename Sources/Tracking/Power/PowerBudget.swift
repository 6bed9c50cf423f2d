import Energy
import Glibc
import Quantities

/// Makes a battery last until a date: what is left, less a reserve, is shared out over the days to come, and sampling is
/// stretched until it keeps to its share.
///
/// It performs nothing and reads no clock. Told every few hours what was drawn, it learns what the box draws whatever is
/// sampled and what sampling would draw unstretched; a charge that sampling took at a stretch of n counts n-fold.
public struct PowerBudget: Sendable {
  public struct Rules: Equatable, Sendable {
    /// mAh of the battery as built.
    public var capacity: Charge
    /// Share of the capacity that sampling leaves for alarms and the last position, 0...1.
    public var reserve: Double
    /// Nil: sampling is never stretched, and there is only a forecast.
    public var until: Timestamp?

    public init(capacity: Charge, reserve: Double, until: Timestamp?) {
      self.capacity = capacity
      self.reserve = min(max(reserve, 0), 1)
      self.until = until
    }
  }

  /// How sampling stands to the date.
  public enum Outlook: Equatable, Sendable {
    /// There is no date, or nothing is known yet.
    case none
    case lasts
    /// Even sampling as seldom as can be, it ends before the date.
    case fallsShort
    /// The date is past.
    case over
  }

  /// No sampling is stretched further.
  public static let longestStretch = 48.0
  /// Reviews are no nearer to each other.
  public static let pause = Duration.seconds(6 * 3600)
  /// Days after which what was learned has faded to a third.
  static let memory = 2.0
  /// From one review to the next the stretch grows or shrinks by no more.
  static let largestStep = 2.0
  /// A cell in frost gives up so much of what it holds.
  static let frostShare = 0.75

  public private(set) var rules: Rules?
  /// How many times more seldom than the settings say positions are taken; 1 or more.
  public private(set) var stretch = 1.0
  public private(set) var outlook = Outlook.none
  /// Nil until a gauge told and some hours were seen.
  public private(set) var forecast: PowerForecast?
  private var last: PowerUse?
  /// mAh a day, learned.
  private var fixed: Double?
  private var demand = 0.0
  /// By how much days differ, in mAh.
  private var spread = 0.0
  private var told: (stretch: Double, outlook: Outlook) = (1, .none)

  public init(_ rules: Rules?) { self.rules = rules }

  /// As it was when an earlier program ended.
  public mutating func restore(stretch: Double) {
    guard rules?.until != nil, stretch.isFinite else { return }
    self.stretch = min(max(stretch, 1), Self.longestStretch)
    told = (self.stretch, .lasts)
  }

  public mutating func change(_ rules: Rules?) {
    guard rules != self.rules else { return }
    self.rules = rules
    forecast = nil
    if rules?.until == nil { (stretch, outlook) = (1, .none) }
  }

  /// Looks at what was drawn since the last review; true when ``stretch`` or ``outlook`` are others after it. `time` is
  /// UTC; nil while it is unknown, when nothing is changed.
  public mutating func review(_ use: PowerUse, time: Timestamp?) -> Bool {
    guard let rules else { return false }
    learn(use)
    guard let fixed, let remaining = use.remaining else { return false }
    let isFrost = use.temperature.map { $0 < 0 } ?? false
    let usable = Charge(milliampereHours: remaining.milliampereHours * (isFrost ? Self.frostShare : 1))
    let sampled = demand / stretch
    forecast =
      fixed + sampled > 0
      ? PowerForecast(
        remaining: usable, capacity: rules.capacity, fixed: fixed, sampled: sampled, spread: spread) : nil
    guard let until = rules.until, let time else { return false }
    let before = (stretch, outlook)
    let days = (until - time).inSeconds / 86_400
    guard days > 0 else {
      (stretch, outlook) = (1, .over)
      return before != (stretch, outlook)
    }
    let spendable = usable.milliampereHours - rules.reserve * rules.capacity.milliampereHours
    let allowance = spendable / days - fixed
    let wanted = allowance > 0 ? demand / allowance : .infinity
    outlook = wanted > Self.longestStretch ? .fallsShort : .lasts
    let step = min(max(wanted, stretch / Self.largestStep), stretch * Self.largestStep)
    stretch = min(max(step, 1), Self.longestStretch)
    return before != (stretch, outlook)
  }

  /// How it stands, once there is something to tell: another outlook, or a step of the stretch that one would notice.
  public mutating func hasNews() -> Bool {
    let hasLeapt = stretch > told.stretch * 1.25 || stretch < told.stretch / 1.25
    guard outlook != told.outlook || hasLeapt else { return false }
    told = (stretch, outlook)
    return true
  }

  /// For people.
  public var words: String {
    let times = (stretch * 10).rounded() / 10
    let sampling =
      stretch > 1
      ? "sampling interval \(times) times that of the settings" : "sampling as in the settings"
    switch outlook {
    case .none: return sampling
    case .lasts: return "the battery lasts until power.last_until; \(sampling)"
    case .fallsShort: return "the battery will not last until power.last_until; \(sampling)"
    case .over: return "power.last_until has passed; \(sampling)"
    }
  }

  /// Takes in what was drawn since the last review, if that is long enough ago to say something.
  private mutating func learn(_ use: PowerUse) {
    guard let last else {
      self.last = use
      return
    }
    let days = (use.ran - last.ran).inSeconds / 86_400
    guard use.ran - last.ran >= Self.pause / 2 else {
      // A ledger that begins anew.
      if days < 0 { self.last = use }
      return
    }
    self.last = use
    let drawn = (use.drawn - last.drawn).milliampereHours / days
    let sampled = max((use.sampled - last.sampled).milliampereHours / days, 0)
    guard drawn.isFinite, sampled.isFinite, drawn >= 0 else { return }
    let others = max(drawn - sampled, 0)
    guard let fixed else {
      (self.fixed, demand) = (others, sampled * stretch)
      return
    }
    let weight = 1 - exp(-days / Self.memory)
    let mean = fixed + demand / stretch
    spread += weight * (abs(drawn - mean) - spread)
    self.fixed = fixed + weight * (others - fixed)
    demand += weight * (sampled * stretch - demand)
  }
}
