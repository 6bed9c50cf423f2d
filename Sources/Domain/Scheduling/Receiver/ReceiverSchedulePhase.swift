import GNSSProtocol
import Quantities

/// The present activity of the receiver schedule, with the condition that ends it.
enum ReceiverSchedulePhase: Equatable, Sendable {
  /// The receiver is not required.
  case dormant
  /// In backup mode or off until a time.
  case asleep(ReceiverSleep, until: Moment)
  /// Without a fix. `startedAt` is nil if the search provides no measure of start times.
  case searching(WakeReason, startedAt: Moment?)
  /// The receiver has a fix whose accuracy still improves, or none that may be recorded.
  case settling(WakeReason, FixWait)
  /// A fix every second, in cyclic tracking or at full power; lost if epochs stop.
  case following(cyclic: Bool, since: Moment)
  /// Only ephemerides are still being read. The reading is abandoned at `until`.
  case reading(until: Moment)

  /// True if the receiver should provide no fixes.
  var isAsleep: Bool {
    switch self {
    case .dormant, .asleep: true
    case .searching, .settling, .following, .reading: false
    }
  }

  /// True if the receiver sleeps because the device is stationary.
  var isAsleepWhileStationary: Bool {
    if case .asleep(.stationary, _) = self { true } else { false }
  }

  /// True if there is no fix yet, or one that still improves.
  var isAcquiring: Bool {
    switch self {
    case .searching, .settling: true
    case .dormant, .asleep, .following, .reading: false
    }
  }

  /// True if the receiver tracks with a fix every second.
  var isFollowing: Bool {
    if case .following = self { true } else { false }
  }

  /// The purpose of the start; nil if the receiver is not starting.
  var wakeReason: WakeReason? {
    switch self {
    case .searching(let wakeReason, _), .settling(let wakeReason, _): wakeReason
    case .dormant, .asleep, .following, .reading: nil
    }
  }

  /// The cause of the sleep; nil while the receiver is awake, and between two fixes while moving. `searchesForTime` is
  /// true if the last search was for the time alone.
  func sleepCause(searchesForTime: Bool) -> SleepCause? {
    switch self {
    case .asleep(.stationary, _): .stationary
    case .asleep(.withoutReception, _): searchesForTime ? .noTime : .noReception
    case .dormant: .noLocations
    case .asleep(.betweenFixes, _), .searching, .settling, .following, .reading: nil
    }
  }

  /// Continues a start for another wake reason; without effect if the receiver is not starting.
  mutating func continueStart(for wakeReason: WakeReason) {
    switch self {
    case .searching(_, let startedAt): self = .searching(wakeReason, startedAt: startedAt)
    case .settling(_, let wait): self = .settling(wakeReason, wait)
    case .dormant, .asleep, .following, .reading: break
    }
  }
}

/// The cause of a receiver's sleep. The raw values are fields of events.
public enum SleepCause: String, Sendable {
  case stationary
  case noReception = "no_reception"
  /// A search for the time alone failed.
  case noTime = "no_time"
  /// The settings require no locations.
  case noLocations = "no_locations"
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
/// ``PendingRequests``.
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

  /// The reason for which a known location is recorded in place of a start. For position checks the recording rules
  /// decide.
  var knownPositionReason: KeepReason {
    switch self {
    case .first: .first
    case .arrival: .arrival
    case .check, .departure, .moving: .period
    }
  }
}

/// The wait at the end of a start: until the accuracy of the fixes settles, then until one may be recorded.
struct FixWait: Equatable, Sendable {
  private var settling: FixSettling
  /// Start of the time in which the fixes have settled and none may be recorded.
  private var unacceptableSince: Moment?

  /// Starts the wait for a fix of this accuracy, the 68 % radius in metres.
  init(accuracy: Double) { settling = FixSettling(accuracy: accuracy) }

  /// Desired accuracy: 68 % radius in metres.
  var accuracy: Double { settling.accuracy }

  /// Records an epoch; nil if the time limit passed without one. Returns true if the accuracy has settled.
  mutating func hasSettled(with epoch: Fix?, now: Moment) -> Bool {
    guard let epoch else { return settling.handleTimeout(now: now) != .wait }
    return settling.handle(epoch, now: now) != .wait
  }

  /// Records a settled fix. Returns true if the start ends with it: it is acceptable, or none was for so long.
  mutating func ends(isAcceptable: Bool, timeout: Duration, now: Moment) -> Bool {
    let since = isAcceptable ? nil : unacceptableSince ?? now
    unacceptableSince = since
    guard let since else { return true }
    guard now - since >= timeout else { return false }
    unacceptableSince = nil
    return true
  }

  /// The time limit of the settling; nil once the accuracy has settled.
  var settlingTimeout: Moment? { settling.nextTimeout }

  /// The end of the wait for an acceptable fix; nil before a fix that is not.
  func acceptanceTimeout(_ timeout: Duration) -> Moment? { unacceptableSince.map { $0 + timeout } }
}
