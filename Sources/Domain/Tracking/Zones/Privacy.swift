import GNSSProtocol
import Quantities
import Records

/// The privacy zones, and whether the device is in one.
public struct Privacy: Sendable {
  private(set) var zones: PrivateZones
  /// True if the device is in a privacy zone by its latest known position.
  public private(set) var isHidden = false

  init(_ zones: [Zone]) { self.zones = PrivateZones(zones) }

  /// True if there are no privacy zones.
  public var isEmpty: Bool { zones.isEmpty }

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

  /// True if a fix may not be shown: the device is in a privacy zone, or the fix itself is, even if filters reject it.
  public func hides(_ fix: Fix) -> Bool {
    if isHidden { return true }
    guard !isEmpty, let position = fix.position else { return false }
    return hides(position, accuracy: fix.accuracy)
  }

  /// True if the coordinates are in a privacy zone, or may be in one by their `accuracy` in metres.
  func hides(_ position: Coordinate, accuracy: Double?) -> Bool {
    zones.hides(position, accuracy: accuracy)
  }

  /// True if a configured location, which is exact, is in a privacy zone.
  func hides(exactly position: Coordinate) -> Bool { zones.hides(exactly: position) }

  /// True if the position of a stop, which is the mean of many fixes, may be in a privacy zone.
  func hides(stop position: Coordinate) -> Bool { hides(position, accuracy: HorizontalAccuracy.good) }

  func hides(_ observation: Observation) -> Bool {
    hides(observation.coordinate, accuracy: observation.accuracy)
  }

  func hides(_ location: LocationRecord) -> Bool { zones.hides(location) }

  /// True if the last decision of a zone would reveal a location in a privacy zone.
  func hides(_ crossing: ZoneWatch) -> Bool {
    isHidden || crossing.crossedAt.contains { hides($0) } || zones.contains(crossing.zone)
  }

  /// Filters all records of the tracker: what would reveal a location in a privacy zone is left out.
  func disclosed(_ actions: [TrackerAction]) -> [TrackerAction] {
    guard !isEmpty, !actions.isEmpty else { return actions }
    return actions.compactMap { action in
      guard case .keep(let record, let urgency) = action else { return action }
      return zones.disclosed(record).map { .keep($0, urgency) }
    }
  }
}
