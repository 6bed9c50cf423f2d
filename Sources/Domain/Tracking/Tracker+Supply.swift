import Quantities
import Scheduling

/// Uses the supply as a motion sensor.
extension Tracker {
  mutating func act(on changes: [SupplyMotion.Change], now: Moment) -> [TrackerAction] {
    guard !changes.isEmpty else { return [] }
    registerStop(now: now)
    evidence.set(supplyMoving: supplyMotion.isMoving, now: now)
    var actions: [TrackerAction] = []
    for change in changes {
      evidence.set(change.source, isActive: change.isActive)
      if let isActive = change.isActive {
        actions += notifySchedule(.evidence(change.source, isActive: isActive), now: now)
      } else {
        actions += notifySchedule(.evidenceLost(change.source), now: now)
      }
    }
    return actions
  }

  mutating func supplyTimeout(now: Moment) -> [TrackerAction] {
    guard let due = supplyMotion.nextTimeout, now >= due else { return [] }
    // A sensor that reports motion continuously reports no change.
    let moves = evidence.sources[.accelerometer] == true || evidence.sources[.ignition] == true
    if supplyMotion.isMoving, moves { supplyMotion.confirm(now: now) }
    return act(on: supplyMotion.handleTimeout(now: now), now: now)
  }

  /// Applies other rules to the last reading.
  mutating func adopt(_ rules: SupplyRules, now: Moment) -> [TrackerAction] {
    guard rules != supplyMotion.rules else { return [] }
    return act(on: supplyMotion.adopt(rules, now: now), now: now)
  }
}
