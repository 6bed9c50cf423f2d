import EventLoop
import LoggerConfiguration
import Quantities
import Tracking

/// Owns the tracker and its deadlines, and passes it events in the order in which they happened.
final class TrackerController {
  /// Handlers, set before the first event.
  struct Outputs {
    /// Executes the actions of the tracker.
    var execute: ([TrackerAction], Moment) -> Void = { _, _ in }
    /// Passes the epochs before now that the receiver has sent. Returns false while it has some buffered; `asks` permits to
    /// wake it for them.
    var catchUp: (_ asks: Bool, Moment) -> Bool = { _, _ in true }
    /// Called when no event waits any more.
    var caughtUp: () -> Void = {}
  }

  private let context: LoggerContext
  var outputs = Outputs()
  private(set) var tracker: Tracker
  /// True while the parts of the logger have their settings for trips.
  private(set) var isInTrip = false
  /// True if the device was moving after the last actions.
  private var isMoving = false
  /// Events that wait for buffered epochs of the receiver, oldest first.
  private var deferredEvents: [(event: TrackerEvent, moment: Moment)] = []
  /// True if a deadline has passed that waits for buffered epochs.
  private var hasDeferredTimeout = false
  private var timer: LoopTimer?
  private var scheduleTimer: LoopTimer?

  init(_ context: LoggerContext, dates: DateBounds) {
    self.context = context
    tracker = Tracker(settings: TrackerSettings(context.configuration), dates: dates)
    timer = context.loop.addTimer("tracker") { [unowned self] now in handleTimeout(now: now) }
    scheduleTimer = context.loop.addTimer("receiver schedule") { [unowned self] now in handleTimeout(now: now)
    }
  }

  /// Stops the deadlines.
  func stop() {
    for timer in [timer, scheduleTimer] {
      if let timer { context.loop.removeTimer(timer) }
    }
  }

  /// True while an event waits for buffered epochs of the receiver.
  var hasDeferredEvents: Bool { !deferredEvents.isEmpty }

  /// Passes an event to the tracker and executes the resulting actions.
  ///
  /// Earlier epochs are passed first. If the receiver has them buffered, the event waits for them.
  func process(_ event: TrackerEvent, now: Moment) {
    guard outputs.catchUp(!event.canWait, now) else {
      deferredEvents.append((event, now))
      return
    }
    processDirectly(event, now: now)
  }

  /// Passes an event to the tracker even if the receiver has epochs buffered.
  func processDirectly(_ event: TrackerEvent, now: Moment) {
    let actions = tracker.handle(event, now: now)
    // A device that was moving before the start does not begin to move.
    if case .started = event { isMoving = tracker.summary.isMoving }
    outputs.execute(actions, now)
  }

  private func handleTimeout(now: Moment) {
    guard outputs.catchUp(true, now) else {
      hasDeferredTimeout = true
      return
    }
    outputs.execute(tracker.handleTimeout(now: now), now)
  }

  /// Passes the deferred events up to `moment` to the tracker.
  func processDeferredEvents(until moment: Moment) {
    while let first = deferredEvents.first, first.moment <= moment {
      deferredEvents.removeFirst()
      processDirectly(first.event, now: first.moment)
    }
  }

  /// Passes all deferred events on: the receiver has sent its buffered epochs.
  func caughtUp(now: Moment) {
    processDeferredEvents(until: now)
    outputs.caughtUp()
    guard hasDeferredTimeout else { return }
    hasDeferredTimeout = false
    outputs.execute(tracker.handleTimeout(now: now), now)
  }

  /// Returns true once after the start and after the end of a trip.
  func tripChanged() -> Bool {
    guard isInTrip != tracker.summary.isTripRunning else { return false }
    isInTrip.toggle()
    return true
  }

  /// Returns true once after the device began to move.
  func beganToMove() -> Bool {
    guard isMoving != tracker.summary.isMoving else { return false }
    isMoving.toggle()
    return isMoving
  }

  /// Arms the timers for the next deadlines.
  func rearm() {
    timer?.arm(within: tracker.summary.nextWake)
    scheduleTimer?.arm(at: tracker.summary.scheduleTimeout)
  }
}

extension TrackerEvent {
  /// True for periodic readings, which are no reason to wake the receiver for the epochs before them.
  fileprivate var canWait: Bool {
    switch self {
    case .battery, .power, .powerUse, .steps: true
    case .started, .epoch, .withheld, .received, .receiverIdentified, .cyclicMode, .network,
      .radioSwitchedOff, .systemTime, .accessPoints, .checkIn, .occurred, .restored, .motion, .evidence,
      .evidenceLost, .ignition, .supply, .positionRequested, .trip, .settings, .stopping:
      false
    }
  }
}
