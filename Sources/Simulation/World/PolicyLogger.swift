import GNSS
import Quantities
import Tracking

/// A logger with a reference policy: its selected fixes become records unchanged.
struct PolicyLogger<Policy: ReceiverPolicy>: DayLogger {
  private var policy: Policy
  private var lastFix: Fix?
  private var lastPlace: Place?

  init(_ policy: Policy) { self.policy = policy }

  var nextTimeout: Moment? { policy.nextTimeout }

  mutating func handle(_ event: WorldEvent, now: Moment) -> [WorldAction] {
    switch event {
    case .started: return tell(.started, now: now)
    case .accelerometer(let edge):
      return tell(.evidence(.accelerometer, isActive: edge.isMoving), now: now)
    case .heard(let strongest): return tell(.heard(strongest: strongest), now: now)
    case .epoch(let fix):
      lastFix = fix.kind == .none ? nil : fix
      return tell(.epoch(fix), now: now)
    }
  }

  mutating func handleTimeout(now: Moment) -> [WorldAction] {
    carryOut(policy.handleTimeout(now: now), now: now)
  }

  private mutating func tell(_ event: PlanEvent, now: Moment) -> [WorldAction] {
    carryOut(policy.handle(event, now: now), now: now)
  }

  private mutating func carryOut(_ actions: [PlanAction], now: Moment) -> [WorldAction] {
    actions.compactMap { action in
      switch action {
      case .receiver(let state, _): return .receiver(state)
      case .keep:
        guard let fix = lastFix, let latitude = fix.latitude, let longitude = fix.longitude else {
          return nil
        }
        let place = Place(latitude: latitude, longitude: longitude)
        lastPlace = place
        return .record(place, at: DayReplay.time(now))
      // The simulated world has no network.
      case .keepKnownPlace: return nil
      case .keepLastPlace(_, let moment):
        return lastPlace.map { .record($0, at: DayReplay.time(min(moment, now))) }
      }
    }
  }
}
