import GNSS
import Quantities

/// What the plan is at, with what ends it.
enum PlanPhase: Equatable, Sendable {
  /// Nothing is wanted of the receiver.
  case dormant
  /// In backup until then; nil: until something happens.
  case asleep(Pause, until: Moment?)
  case searching(Errand)
  /// There is a fix, and it gets better.
  case settling(Errand, FixSettling)
  /// A fix a second, in cyclic mode or not; lost when no epoch comes.
  case following(cyclic: Bool, since: Moment)
  /// Everything is done but the reading of ephemerides, given up at `until`.
  case reading(until: Moment)
}

/// Why the receiver sleeps.
enum Pause: Equatable, Sendable {
  /// Nothing moves.
  case resting
  /// It moves; the next fix is due at the end.
  case betweenFixes
  /// No sky was found.
  case withoutSky(Errand)

  /// What the receiver wakes for at its end.
  var errand: Errand {
    switch self {
    case .resting: .check
    case .betweenFixes: .onTheWay
    case .withoutSky(let errand): errand
    }
  }
}

/// What a start is for. That somebody waits for a position stands beside it: ``ReceiverPlan/awaitedUntil``.
enum Errand: Equatable, Sendable {
  /// The first fix after the start of the program.
  case first
  /// Motion began.
  case departure
  /// The next fix on the way.
  case onTheWay
  /// Motion ended.
  case arrival
  /// Has the box been carried away? Where no positions are wanted: for who asks.
  case check

  /// Whether it happens in motion.
  var isInMotion: Bool {
    switch self {
    case .departure, .onTheWay: true
    case .first, .arrival, .check: false
    }
  }
}
