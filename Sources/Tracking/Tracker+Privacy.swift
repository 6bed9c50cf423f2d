import Quantities
import Records

/// Enforces privacy zones: no location inside leaves the tracker, whatever is stored or requested.
extension Tracker {
  /// Filters all records; the only exit of the tracker.
  func disclosed(_ actions: [TrackerAction]) -> [TrackerAction] {
    guard !places.privateZones.isEmpty, !actions.isEmpty else { return actions }
    return actions.compactMap { action in
      guard case .keep(let record, let urgency) = action else { return action }
      return places.privateZones.disclosed(record).map { .keep($0, urgency) }
    }
  }

  /// Discards everything inside a present privacy zone. Requests are answered again after a fix outside.
  mutating func forgetHidden() {
    guard !places.privateZones.isEmpty else {
      places.isHidden = false
      return
    }
    if let newest = places.last ?? reference { places.isHidden = places.hides(newest) }
    if let last = reference, places.hides(last) { reference = nil }
    if case .location(let location)? = lastLocation?.body, places.hides(location) { lastLocation = nil }
    if let kept = plan?.lastKept, places.hides(kept.coordinate, accuracy: kept.accuracy) {
      isPlanPlaceHidden = true
    }
    let known = places
    places.trips.forget(where: known.hides)
    reconstruction.forget(where: known.hides)
  }

  /// True if the record of a fix would reveal a location in a privacy zone: its own, or the parking position.
  func hidesRecord(of sample: Sample) -> Bool {
    guard !places.privateZones.isEmpty else { return false }
    if places.isHidden { return true }
    guard settings.freezes(ignition: evidence.ignition), let parked = places.parkedPlace else { return false }
    return places.hides(parked, accuracy: sample.accuracy)
  }
}
