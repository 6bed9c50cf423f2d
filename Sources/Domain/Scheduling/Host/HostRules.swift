import Energy
import Quantities

/// The times and currents that decide when the host sleeps.
public struct HostRules: Equatable, Sendable {
  /// The sleep state: suspend or halt.
  public var depth: HostDepth
  /// The host's currents; nil if unknown: then ``least`` alone decides.
  public var currents: HostCurrents?
  /// Time from the wake-up alarm to the task, for the boot or resume.
  public var lead: Duration
  /// Shortest sleep.
  public var least = Duration.seconds(300)
  /// Shortest sleep while the receiver stores its epochs: its memory holds about five minutes, so ``least`` would rule
  /// it out.
  public var leastWhileStoring = Duration.seconds(120)
  /// Longest sleep.
  public var longest = Duration.seconds(86_400)
  /// Time awake after a start or wake-up without alarm, so that an operator can log in.
  public var afterStart = Duration.seconds(300)
  /// Time awake after the alarm, in which the tasks begin.
  public var afterAlarm = Duration.seconds(10)
  /// Time without any sleep inhibitor before a sleep.
  public var quiet = Duration.seconds(5)
  /// Timeout for making records durable, and again for the host to fall asleep.
  public var timeout = Duration.seconds(90)
  /// Delay after the first failure; each further failure doubles it.
  public var firstPause = Duration.seconds(600)
  /// Longest delay after failures.
  public var longestPause = Duration.seconds(6 * 3600)
  /// The power manager that cuts the supply; nil if it stays on.
  public var cut: SupplyCutRules?
  /// True if motion wakes the host by wiring.
  public var wakesOnMotion = false

  public init(_ depth: HostDepth, currents: HostCurrents?, lead: Duration) {
    self.depth = depth
    self.currents = currents
    self.lead = lead
  }

  /// The shortest worthwhile sleep; nil if sleep saves nothing.
  public var shortest: Duration? { shortest(before: .longest) }

  /// The shortest worthwhile sleep before a task; nil if sleep saves nothing.
  func shortest(before purpose: HostNeed.Purpose) -> Duration? {
    let least = purpose == .storedEpochs ? min(least, leastWhileStoring) : least
    guard let currents else { return least }
    return currents.breakEven.map { max($0, least) }
  }
}

/// What limits a sleep during which a power manager cuts the supply of the host.
public struct SupplyCutRules: Equatable, Sendable {
  /// The longest time until the dead-man timer starts the host; nil for a board without one.
  public var deadMan: Duration?
  /// The longest time to an alarm.
  public var longestWake: Duration

  public init(deadMan: Duration?, longestWake: Duration) {
    (self.deadMan, self.longestWake) = (deadMan, longestWake)
  }
}
