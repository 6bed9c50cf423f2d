import Quantities
import Tracking

// Events for the tracker, in the order in which they happened.
extension Logger {
  /// Passes an event to the tracker and executes the resulting actions.
  ///
  /// Earlier epochs are passed first. If the receiver has them buffered, the event waits for them.
  func process(_ event: TrackerEvent, now: Moment) {
    guard line?.catchUp(now: now, asks: !event.canWait) != false else {
      waiting.events.append((event, now))
      return
    }
    carryOut(tracker.handle(event, now: now), now: now)
  }

  /// Handles a deadline of the tracker.
  func decide(now: Moment) {
    guard line?.catchUp(now: now) != false else {
      waiting.hasTimeout = true
      return
    }
    carryOut(tracker.handleTimeout(now: now), now: now)
  }

  /// Passes the deferred events up to `moment` to the tracker.
  func processWaitingEvents(until moment: Moment) {
    while let first = waiting.events.first, first.moment <= moment {
      waiting.events.removeFirst()
      carryOut(tracker.handle(first.event, now: first.moment), now: first.moment)
    }
  }

  /// Passes all deferred events on: the receiver has sent its buffered epochs.
  func caughtUp(now: Moment) {
    processWaitingEvents(until: now)
    settleTripClaim()
    guard waiting.hasTimeout else { return }
    waiting.hasTimeout = false
    carryOut(tracker.handleTimeout(now: now), now: now)
  }
}

/// Events and deadlines of the tracker that wait for buffered epochs of the receiver.
struct WaitingEvents {
  var events: [(event: TrackerEvent, moment: Moment)] = []
  /// True if a deadline of the tracker has passed.
  var hasTimeout = false
}

extension TrackerEvent {
  /// True for periodic readings, which are no reason to wake the receiver for the epochs before them.
  var canWait: Bool {
    switch self {
    case .battery, .power, .powerUse, .steps: true
    case .started, .epoch, .withheld, .received, .receiverIdentified, .cyclicMode, .network,
      .radioSwitchedOff,
      .systemTime, .accessPoints, .checkIn,
      .occurred, .restored, .motion, .evidence, .evidenceLost, .ignition, .supply, .positionRequested, .trip,
      .settings, .stopping:
      false
    }
  }
}
