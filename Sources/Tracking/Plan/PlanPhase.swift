import GNSS
import Quantities

/// The present activity of the receiver schedule, with the condition that ends it.
enum PlanPhase: Equatable, Sendable {
  /// The receiver is not required.
  case dormant
  /// In backup mode until a time; nil until an event.
  case asleep(Pause, until: Moment?)
  case searching(Errand)
  /// The receiver has a fix whose accuracy still improves.
  case settling(Errand, FixSettling)
  /// A fix every second, in cyclic tracking or at full power; lost if epochs stop.
  case following(cyclic: Bool, since: Moment)
  /// Only ephemerides are still being read. The reading is abandoned at `until`.
  case reading(until: Moment)
}

/// The cause of a receiver's sleep, with what follows it.
enum Pause: Equatable, Sendable {
  /// The device is stationary.
  case resting
  /// The device moves; the next fix is due at the end.
  case betweenFixes
  /// A search found no reception.
  case withoutSky(Errand)

  /// The reason for the wake-up at its end.
  var errand: Errand {
    switch self {
    case .resting: .check
    case .betweenFixes: .onTheWay
    case .withoutSky(let errand): errand
    }
  }
}

/// The wake reason: the purpose of a receiver start. A requested position is tracked separately, in
/// ``ReceiverPlan/awaitedUntil``.
enum Errand: Equatable, Sendable {
  /// The first fix after the start of the program.
  case first
  /// Motion began.
  case departure
  /// The next fix while moving.
  case onTheWay
  /// Motion ended.
  case arrival
  /// A position check. If no locations are required: a start for a requested position.
  case check

  /// True if it happens while the device moves.
  var isInMotion: Bool {
    switch self {
    case .departure, .onTheWay: true
    case .first, .arrival, .check: false
    }
  }
}
