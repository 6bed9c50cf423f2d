import Quantities
import Records

/// Where nothing must be written, and what that means for what is remembered.
extension Places {
  /// True for a place where nothing must be written. One that may be inside counts: `accuracy` is in metres.
  func hides(_ place: Coordinate, accuracy: Double? = nil) -> Bool {
    hidesAny && zones.contains { $0.hides(place, accuracy: accuracy) }
  }

  func hides(_ sample: Sample) -> Bool { hides(sample.coordinate, accuracy: sample.accuracy) }

  func hides(_ location: LocationRecord) -> Bool {
    hides(location.coordinate, accuracy: location.horizontalAccuracyMillimetres.map { Double($0) / 1000 })
  }

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

  /// What may be told of a record; nil for one that lies where nothing must be written. A trip is told whole, without
  /// its places there: one that began in such a zone starts with its first kept place outside.
  func disclosed(_ record: LogRecord) -> LogRecord? {
    switch record.body {
    case .event: return record
    case .location(let location): return hides(location) ? nil : record
    case .action(let action): return hides(action.coordinate) ? nil : record
    case .visit(let visit):
      let accuracy = visit.horizontalAccuracyMillimetres.map { Double($0) / 1000 }
      return hides(visit.coordinate, accuracy: accuracy) ? nil : record
    case .trip(var trip):
      trip.startPlace = trip.startPlace.flatMap { hides($0.location) ? nil : $0 }
      trip.endPlace = trip.endPlace.flatMap { hides($0.location) ? nil : $0 }
      var record = record
      record.body = .trip(trip)
      return record
    }
  }

  /// Nothing says that a box was moved from a place that is told to nobody: the circle stays drawn until a fix outside.
  var isParkingSilent: Bool { isHidden && parking?.place != nil }
}
