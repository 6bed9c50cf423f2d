import Quantities

/// Uses the supply as a motion sensor.
extension Tracker {
  mutating func act(on changes: [SupplyVotes.Change], now: Moment) -> [TrackerAction] {
    guard !changes.isEmpty else { return [] }
    noteRest(now: now)
    evidence.set(supplyMoving: supplyVotes.isMoving, now: now)
    var actions: [TrackerAction] = []
    for change in changes {
      sensed[change.source] = change.isActive
      if let isActive = change.isActive {
        actions += tellPlan(.evidence(change.source, isActive: isActive), now: now)
      } else {
        actions += tellPlan(.evidenceLost(change.source), now: now)
      }
    }
    return actions
  }

  mutating func supplyTimeout(now: Moment) -> [TrackerAction] {
    guard let due = supplyVotes.nextTimeout, now >= due else { return [] }
    // A sensor that reports motion continuously reports no change.
    let moves = sensed[.accelerometer] == true || sensed[.ignition] == true
    if supplyVotes.isMoving, moves { supplyVotes.bearOut(now: now) }
    return act(on: supplyVotes.handleTimeout(now: now), now: now)
  }

  /// Applies other rules to the last reading.
  mutating func adopt(_ rules: SupplyRules, now: Moment) -> [TrackerAction] {
    guard rules != supplyVotes.rules else { return [] }
    return act(on: supplyVotes.adopt(rules, now: now), now: now)
  }
}
