import Quantities
import Records

/// Where nothing must be written, and what that means for what is remembered.
extension Places {
  /// True for a place where nothing must be written. One that may be inside counts: `accuracy` is in metres.
  func hides(_ place: Coordinate, accuracy: Double? = nil) -> Bool {
    privateZones.hides(place, accuracy: accuracy)
  }

  func hides(_ sample: Sample) -> Bool { hides(sample.coordinate, accuracy: sample.accuracy) }

  func hides(_ location: LocationRecord) -> Bool { privateZones.hides(location) }

  /// True where no crossing of the zone's border can be told: all of it lies where nothing must be written.
  func hides(_ zone: Zone) -> Bool {
    zones.contains {
      $0.zone.isPrivate && $0.zone.shape.distance(from: zone.shape.centre) <= -zone.shape.reach
    }
  }

  /// True where what the watch of a zone has just found would tell of a place where nothing must be written.
  func hides(_ crossing: ZoneWatch) -> Bool {
    isHidden || crossing.crossedAt.map(hides) ?? false || hides(crossing.zone)
  }

  /// Nothing says that a box was moved from a place that is told to nobody: the circle stays drawn until a fix outside.
  var isParkingSilent: Bool { isHidden && parking?.place != nil }
}
