import Energy
import GNSS
import Quantities

/// What lives through a day of the simulated world: it switches a receiver and writes records.
protocol DayLogger: Sendable {
  mutating func handle(_ event: WorldEvent, now: Moment) -> [WorldAction]
  var nextTimeout: Moment? { get }
  mutating func handleTimeout(now: Moment) -> [WorldAction]
}

/// What the simulated world has to say.
enum WorldEvent: Sendable {
  /// The program has begun.
  case started
  /// The accelerometer began or ceased to see motion, or names another kind of it.
  case accelerometer(MotionEdge)
  /// The strongest satellite heard while there is no fix, in dB-Hz.
  case heard(strongest: Double)
  /// An epoch of the receiver, with or without a position.
  case epoch(Fix)
}

/// What is wanted of the simulated world.
enum WorldAction: Sendable {
  case receiver(ReceiverState)
  /// A record of this place, as of a time in seconds from the start of the day.
  case record(Place, at: Double)
}
