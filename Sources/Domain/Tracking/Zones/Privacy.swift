import Quantities
import Records

/// The privacy zones, and whether the device is in one.
struct Privacy: Sendable {
  private(set) var zones: PrivateZones
  /// True if the latest known position is in a privacy zone.
  private(set) var isHidden = false

  init(_ zones: [Zone]) { self.zones = PrivateZones(zones) }

  var isEmpty: Bool { zones.isEmpty }

  /// Applies other zones. Returns true if others are private than before.
  mutating func apply(_ zones: [Zone]) -> Bool {
    let before = self.zones
    self.zones = PrivateZones(zones)
    return self.zones != before
  }

  /// Processes the present position.
  mutating func locate(_ observation: Observation) {
    if !isEmpty { isHidden = hides(observation) }
  }

  /// Assumes the device where it was switched off, in a privacy zone.
  mutating func assumeHidden() { isHidden = true }

  /// Decides again, by the newest known position, after the zones changed.
  mutating func reconsider(_ newest: Observation?) {
    if isEmpty { isHidden = false } else if let newest { isHidden = hides(newest) }
  }

  /// True if the coordinates are in a privacy zone, or may be in one by their `accuracy` in metres.
  func hides(_ position: Coordinate, accuracy: Double? = nil) -> Bool {
    zones.hides(position, accuracy: accuracy)
  }

  func hides(_ observation: Observation) -> Bool {
    hides(observation.coordinate, accuracy: observation.accuracy)
  }

  func hides(_ location: LocationRecord) -> Bool { zones.hides(location) }

  /// True if the last decision of a zone would reveal a location in a privacy zone.
  func hides(_ crossing: ZoneWatch) -> Bool {
    isHidden || crossing.crossedAt.map(hides) ?? false || zones.contains(crossing.zone)
  }
}
