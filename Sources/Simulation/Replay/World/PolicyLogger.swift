import GNSSProtocol
import Quantities
import Scheduling

/// A logger with a reference policy: its selected fixes become records unchanged.
struct PolicyLogger<Policy: ReceiverPolicy>: DayLogger {
  private var policy: Policy
  private var lastFix: Fix?
  private var lastPosition: GeoPoint?

  init(_ policy: Policy) { self.policy = policy }

  var nextTimeout: Moment? { policy.nextTimeout }

  mutating func handle(_ event: WorldEvent, now: Moment) -> [WorldAction] {
    switch event {
    case .started: return process(.started, now: now)
    case .accelerometer(let edge):
      return process(.evidence(.accelerometer, isActive: edge.isMoving), now: now)
    case .received(let strongest): return process(.received(strongest: strongest), now: now)
    case .epoch(let fix):
      lastFix = fix.kind == .none ? nil : fix
      return process(.epoch(fix), now: now)
    }
  }

  mutating func handleTimeout(now: Moment) -> [WorldAction] {
    carryOut(policy.handleTimeout(now: now), now: now)
  }

  mutating func finish(now: Moment) -> DeviceAccount? { nil }

  private mutating func process(_ event: ReceiverScheduleEvent, now: Moment) -> [WorldAction] {
    carryOut(policy.handle(event, now: now), now: now)
  }

  private mutating func carryOut(_ actions: [ReceiverScheduleAction], now: Moment) -> [WorldAction] {
    actions.compactMap { action in
      switch action {
      case .receiver(let state, _): return .receiver(state)
      case .keep:
        guard let fix = lastFix, let latitude = fix.latitude, let longitude = fix.longitude else {
          return nil
        }
        let position = GeoPoint(latitude: latitude, longitude: longitude)
        lastPosition = position
        return .record(position, at: DayReplay.time(now))
      // The simulated world has no network.
      case .keepKnownPosition: return nil
      case .keepLastPosition(_, let moment):
        return lastPosition.map { .record($0, at: DayReplay.time(min(moment, now))) }
      }
    }
  }
}
