import Quantities

/// What a host draws while it waits, while it is down, and on its way there and back, in mA of one rail.
public struct HostCurrents: Equatable, Sendable {
  public var idle: Double
  public var down: Double
  public var starting: Double
  public var stopping: Double
  /// From the alarm until the logger runs.
  public var startTime: Duration
  /// From the command until it is down.
  public var stopTime: Duration

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

  /// What one way down and back takes, whatever lies between.
  public var cycle: Charge {
    Charge(milliamperes: starting, for: startTime) + Charge(milliamperes: stopping, for: stopTime)
  }

  /// The time from which on being down draws less than waiting; nil where it never does.
  ///
  /// The whole cycle counts against it: the host would have drawn its idle current in that time too, which makes this a
  /// little longer than it had to be.
  public var breakEven: Duration? {
    guard idle > down, cycle.milliampereHours.isFinite else { return nil }
    let seconds = cycle.milliampereHours * 3600 / (idle - down)
    guard seconds.isFinite, seconds >= 0, seconds < 1e9 else { return nil }
    return .seconds(seconds)
  }
}
