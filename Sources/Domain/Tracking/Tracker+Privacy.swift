import Quantities
import Records

/// Enforces privacy zones: no location inside leaves the tracker, whatever is stored or requested.
extension Tracker {
  /// Filters all records; the only exit of the tracker.
  func disclosed(_ actions: [TrackerAction]) -> [TrackerAction] {
    guard !positions.privateZones.isEmpty, !actions.isEmpty else { return actions }
    return actions.compactMap { action in
      guard case .keep(let record, let urgency) = action else { return action }
      return positions.privateZones.disclosed(record).map { .keep($0, urgency) }
    }
  }

  /// Discards everything inside a present privacy zone. Requests are answered again after a fix outside.
  mutating func forgetHidden() {
    guard !positions.privateZones.isEmpty else {
      positions.isHidden = false
      return
    }
    if let newest = positions.last ?? reference { positions.isHidden = positions.hides(newest) }
    if let last = reference, positions.hides(last) { reference = nil }
    if case .location(let location)? = lastLocation?.body, positions.hides(location) { lastLocation = nil }
    if let kept = schedule?.lastKept, positions.hides(kept.coordinate, accuracy: kept.accuracy) {
      isSchedulePositionHidden = true
    }
    let known = positions
    positions.trips.forget(where: known.hides)
    reconstruction.forget(where: known.hides)
  }

  /// True if the record of a fix would reveal a location in a privacy zone: its own, or the parking position.
  func hidesRecord(of observation: Observation) -> Bool {
    guard !positions.privateZones.isEmpty else { return false }
    if positions.isHidden { return true }
    guard settings.freezes(ignition: evidence.ignition), let parked = positions.stopPosition else {
      return false
    }
    return positions.hides(parked, accuracy: observation.accuracy)
  }
}
