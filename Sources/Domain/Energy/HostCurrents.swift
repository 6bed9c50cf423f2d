import Quantities

/// The currents of a host while idle, while down, and during the transitions, in mA of one rail.
public struct HostCurrents: Equatable, Sendable {
  public var idle: Double
  public var down: Double
  public var starting: Double
  public var stopping: Double
  /// The time from the alarm until the logger runs.
  public var startTime: Duration
  /// The time from the command until the host is down.
  public var stopTime: Duration
  /// The current from then until a power manager cuts the supply; zero without one.
  public var untilCut = 0.0
  /// The time from the end of the shutdown until a power manager cuts the supply; zero without one.
  public var cutTime = Duration.zero

  public init(
    idle: Double, down: Double, starting: Double, stopping: Double, startTime: Duration, stopTime: Duration
  ) {
    self.idle = idle
    self.down = down
    self.starting = starting
    self.stopping = stopping
    self.startTime = startTime
    self.stopTime = stopTime
  }

  /// The time from the command until the host is down and, with a power manager, its supply cut.
  public var downTime: Duration { stopTime + cutTime }

  /// The charge of one transition down and back.
  public var cycle: Charge {
    Charge(milliamperes: starting, for: startTime) + Charge(milliamperes: stopping, for: stopTime)
      + Charge(milliamperes: untilCut, for: cutTime)
  }

  /// The time from which being down saves charge compared to idling; nil if it never does.
  ///
  /// The whole charge of the cycle counts as a cost, although an idle host draws current in that time, too. The result
  /// is therefore slightly too long.
  public var breakEven: Duration? {
    guard idle > down, cycle.milliampereHours.isFinite else { return nil }
    let seconds = cycle.milliampereHours * 3600 / (idle - down)
    guard seconds.isFinite, seconds >= 0, seconds < 1e9 else { return nil }
    return .seconds(seconds)
  }
}
