import Quantities

/// The present activity of the receiver schedule, with the condition that ends it.
enum ReceiverSchedulePhase: Equatable, Sendable {
  /// The receiver is not required.
  case dormant
  /// In backup mode until a time; nil until an event.
  case asleep(ReceiverSleep, until: Moment?)
  case searching(WakeReason)
  /// The receiver has a fix whose accuracy still improves.
  case settling(WakeReason, FixSettling)
  /// A fix every second, in cyclic tracking or at full power; lost if epochs stop.
  case following(cyclic: Bool, since: Moment)
  /// Only ephemerides are still being read. The reading is abandoned at `until`.
  case reading(until: Moment)
}

/// The cause of a receiver's sleep, with what follows it.
enum ReceiverSleep: Equatable, Sendable {
  /// The device is stationary.
  case stationary
  /// The device moves; the next fix is due at the end.
  case betweenFixes
  /// A search found no reception.
  case withoutReception(WakeReason)

  /// The reason for the wake-up at its end.
  var wakeReason: WakeReason {
    switch self {
    case .stationary: .check
    case .betweenFixes: .moving
    case .withoutReception(let wakeReason): wakeReason
    }
  }
}

/// The wake reason: the purpose of a receiver start. A requested position is tracked separately, in
/// ``ReceiverSchedule/requestDeadline``.
enum WakeReason: Equatable, Sendable {
  /// The first fix after the start of the program.
  case first
  /// Motion began.
  case departure
  /// The next fix while moving.
  case moving
  /// Motion ended.
  case arrival
  /// A position check. If no locations are required: a start for a requested position.
  case check

  /// True if it happens while the device moves.
  var isInMotion: Bool {
    switch self {
    case .departure, .moving: true
    case .first, .arrival, .check: false
    }
  }
}
