import Quantities
import Records

/// The effect of privacy zones on the stored state.
extension PositionState {
  /// True if the coordinates are in a privacy zone, or may be in one by their `accuracy` in metres.
  func hides(_ position: Coordinate, accuracy: Double? = nil) -> Bool {
    privateZones.hides(position, accuracy: accuracy)
  }

  func hides(_ observation: Observation) -> Bool {
    hides(observation.coordinate, accuracy: observation.accuracy)
  }

  func hides(_ location: LocationRecord) -> Bool { privateZones.hides(location) }

  /// True if a zone is completely inside a privacy zone, so that no entry or exit may be reported.
  func hides(_ zone: Zone) -> Bool {
    zones.contains {
      $0.zone.isPrivate && $0.zone.shape.distance(from: zone.shape.centre) <= -zone.shape.reach
    }
  }

  /// True if the last decision of a zone would reveal a location in a privacy zone.
  func hides(_ crossing: ZoneWatch) -> Bool {
    isHidden || crossing.crossedAt.map(hides) ?? false || hides(crossing.zone)
  }

  /// True if a move from a parking position in a privacy zone must not be reported. The circle remains until a fix
  /// outside.
  var suppressesParkingAlarm: Bool { isHidden && parking?.position != nil }
}
