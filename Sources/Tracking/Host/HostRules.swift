import Energy
import Quantities
import Settings

/// When a host goes down, and how patient it is.
public struct HostRules: Equatable, Sendable {
  public var depth: HostDepth
  /// Nil: nobody knows what it draws, and ``least`` alone decides.
  public var currents: HostCurrents?
  /// It is woken so long before it is needed.
  public var lead: Duration
  /// It never goes down for less.
  public var least = Duration.seconds(300)
  /// It never stays down for longer.
  public var longest = Duration.seconds(86_400)
  /// After a start, or a waking, that no alarm made it stays up so long, for an operator to come in.
  public var afterStart = Duration.seconds(300)
  /// After its own alarm.
  public var afterAlarm = Duration.seconds(30)
  /// Nothing must have kept it up for so long.
  public var quiet = Duration.seconds(10)
  /// The longest that records may take to be durable, and the host to be down after that.
  public var patience = Duration.seconds(90)
  /// The pause after the first failure; each further one doubles it.
  public var firstPause = Duration.seconds(600)
  public var longestPause = Duration.seconds(6 * 3600)

  public init(_ depth: HostDepth, currents: HostCurrents?, lead: Duration) {
    self.depth = depth
    self.currents = currents
    self.lead = lead
  }

  /// The shortest stretch that is worth it; nil where none is.
  public var shortest: Duration? {
    guard let currents else { return least }
    return currents.breakEven.map { max($0, least) }
  }
}
