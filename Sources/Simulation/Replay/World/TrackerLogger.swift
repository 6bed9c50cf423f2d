import Energy
import Quantities
import Records
import Tracking

/// A logger with the product's own tracker: the code that runs in the field receives the events of the
/// simulated world.
///
/// Its receiver supports cyclic tracking. There are no events of battery, network, ignition or manual trips.
struct TrackerLogger: DayLogger, ~Copyable {
  private var tracker: Tracker
  private let calendar: WorldCalendar
  /// The last state from the accelerometer, because the tracker expects changes only.
  private var reported: MotionEdge?

  init(_ settings: TrackerSettings, calendar: WorldCalendar) {
    tracker = Tracker(settings: settings)
    self.calendar = calendar
  }

  var nextTimeout: Moment? {
    switch (tracker.summary.nextTimeout, tracker.summary.scheduleTimeout) {
    case (let a?, let b?): min(a, b)
    case (let a, let b): a ?? b
    }
  }

  mutating func handle(_ event: WorldEvent, now: Moment) -> [WorldAction] {
    switch event {
    case .started:
      let begun =
        process(.cyclicMode(isOffered: true), now: now) + process(.started(lastLocation: nil), now: now)
      // Without a tracking policy the receiver is always on.
      return tracker.summary.receiverState == nil ? [.receiver(.tracking)] + begun : begun
    case .accelerometer(let edge):
      defer { reported = edge }
      var worldActions: [WorldAction] = []
      if edge.isMoving != reported?.isMoving {
        worldActions += process(.evidence(.accelerometer, isActive: edge.isMoving), now: now)
      }
      if let states = edge.states, states != reported?.states {
        worldActions += process(.motion(states), now: now)
      }
      return worldActions
    case .received(let strongest): return process(.received(strongest: strongest), now: now)
    case .epoch(let fix):
      return process(.epoch(calendar.dated(fix), systemClock: calendar.timestamp(now)), now: now)
    }
  }

  mutating func handleTimeout(now: Moment) -> [WorldAction] { worldActions(tracker.handleTimeout(now: now)) }

  mutating func finish(now: Moment) -> DeviceAccount? { nil }

  private mutating func process(_ event: TrackerEvent, now: Moment) -> [WorldAction] {
    worldActions(tracker.handle(event, now: now))
  }

  private func worldActions(_ actions: [TrackerAction]) -> [WorldAction] {
    actions.compactMap { action in
      switch action {
      case .receiver(let state, _): return .receiver(state)
      case .keep(let record, _):
        guard case .location(let location) = record.body else { return nil }
        let position = GeoPoint(
          latitude: location.coordinate.latitude, longitude: location.coordinate.longitude)
        return .record(position, at: calendar.time(of: record))
      case .date, .scanAccessPoints, .readSystemClock, .save: return nil
      }
    }
  }
}
