import Quantities
import Records

/// Private zones: whatever is remembered and whoever asks, no place inside leaves the tracker.
extension Tracker {
  /// The only way out for a record.
  func disclosed(_ actions: [TrackerAction]) -> [TrackerAction] {
    guard !places.privateZones.isEmpty, !actions.isEmpty else { return actions }
    return actions.compactMap { action in
      guard case .keep(let record, let urgency) = action else { return action }
      return places.privateZones.disclosed(record).map { .keep($0, urgency) }
    }
  }

  /// What lies in a zone that is private now is forgotten; what is told to whoever asks has to be seen anew outside.
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

  /// True where a record of a fix there would tell a place that must not be written: its own, or that of parking.
  func hidesRecord(of sample: Sample) -> Bool {
    guard !places.privateZones.isEmpty else { return false }
    if places.isHidden { return true }
    guard settings.freezes(ignition: evidence.ignition), let parked = places.parkedPlace else { return false }
    return places.hides(parked, accuracy: sample.accuracy)
  }
}
