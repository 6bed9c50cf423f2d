import Energy
import GNSSProtocol
import Quantities

/// A logger in the simulated world: it switches a receiver and writes records.
protocol DayLogger: ~Copyable {
  mutating func handle(_ event: WorldEvent, now: Moment) -> [WorldAction]
  var nextTimeout: Moment? { get }
  mutating func handleTimeout(now: Moment) -> [WorldAction]
  /// Ends the day. Returns what the device drew; nil for a logger that is a receiver's schedule only.
  mutating func finish(now: Moment) -> DeviceAccount?
}

/// An input from the simulated world.
enum WorldEvent: Sendable {
  /// The program has started.
  case started
  /// The accelerometer detects the start or end of motion, or a different kind.
  case accelerometer(MotionEdge)
  /// The strongest satellite received without a fix, in dBHz.
  case received(strongest: Double)
  /// An epoch of the receiver, with or without a position.
  case epoch(Fix)
}

/// An output to the simulated world.
enum WorldAction: Sendable {
  case receiver(ReceiverState)
  /// A record of a position with its time in seconds from the start of the day.
  case record(GeoPoint, at: Double)
}
