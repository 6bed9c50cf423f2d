import Quantities

/// The supply as evidence of motion: its votes become evidence like that of any sensor.
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
    // What moves all the time tells no change.
    let moves = sensed[.accelerometer] == true || sensed[.ignition] == true
    if supplyVotes.isMoving, moves { supplyVotes.bearOut(now: now) }
    return act(on: supplyVotes.handleTimeout(now: now), now: now)
  }

  /// Other rules: what the last reading says by them.
  mutating func adopt(_ rules: SupplyRules, now: Moment) -> [TrackerAction] {
    guard rules != supplyVotes.rules else { return [] }
    return act(on: supplyVotes.adopt(rules, now: now), now: now)
  }
}
