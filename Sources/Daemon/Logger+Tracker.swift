import Quantities
import Tracking

// What the tracker is told, in the order in which it happened.
extension Logger {
  /// Tells the tracker something and carries out what it answers.
  ///
  /// What the receiver has said before is told before; where it keeps that in its own memory, the event waits for it.
  func tell(_ event: TrackerEvent, now: Moment) {
    guard line?.catchUp(now: now, asks: !event.canWait) != false else {
      waiting.events.append((event, now))
      return
    }
    carryOut(tracker.handle(event, now: now), now: now)
  }

  /// What the tracker waits for is due.
  func decide(now: Moment) {
    guard line?.catchUp(now: now) != false else {
      waiting.hasTimeout = true
      return
    }
    carryOut(tracker.handleTimeout(now: now), now: now)
  }

  /// Tells what has waited for the receiver's epochs and happened until `moment`.
  func tellWhatWaited(until moment: Moment) {
    while let first = waiting.events.first, first.moment <= moment {
      waiting.events.removeFirst()
      carryOut(tracker.handle(first.event, now: first.moment), now: first.moment)
    }
  }

  /// The receiver has told all that it kept.
  func caughtUp(now: Moment) {
    tellWhatWaited(until: now)
    settleTripClaim()
    guard waiting.hasTimeout else { return }
    waiting.hasTimeout = false
    carryOut(tracker.handleTimeout(now: now), now: now)
  }
}

/// What the tracker is to be told later than it happened.
struct WaitingEvents {
  var events: [(event: TrackerEvent, moment: Moment)] = []
  /// One of its deadlines has passed.
  var hasTimeout = false
}

extension TrackerEvent {
  /// A reading that comes again and again: nobody need be woken for the positions before it.
  var canWait: Bool {
    switch self {
    case .battery, .power, .powerUse, .steps: true
    case .started, .epoch, .withheld, .heard, .receiverIdentified, .cyclicMode, .network, .radioSwitchedOff,
      .systemTime, .accessPoints, .checkIn,
      .occurred, .restored, .motion, .evidence, .evidenceLost, .ignition, .supply, .positionWanted, .trip,
      .settings, .stopping:
      false
    }
  }
}
