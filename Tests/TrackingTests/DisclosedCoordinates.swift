import Quantities
import Records
@testable import Tracking

extension TrackerAction {
  /// All coordinates that can be derived from it.
  var positions: [Coordinate] {
    switch self {
    case .keep(let record, _):
      switch record.body {
      case .location(let location): [location.coordinate]
      case .visit(let visit): [visit.coordinate]
      case .action(let action): [action.coordinate]
      case .trip(let trip): [trip.startLocation, trip.endLocation].compactMap { $0?.location.coordinate }
      case .event: []
      }
    case .save(let text): TrackerState(text: text, now: .zero)?.positions ?? []
    case .date, .receiver, .scanAccessPoints, .readSystemClock: []
    }
  }
}

extension TrackerState {
  var positions: [Coordinate] {
    [trip?.startLocation, trip?.lastLocation].compactMap { $0?.location.coordinate }
      + [visit?.centre, parking].compactMap(\.self)
  }
}

extension Tracker {
  /// All coordinates that it discloses on request.
  var disclosedCoordinates: [Coordinate] {
    var positions = [places.trips.running?.startLocation, places.trips.running?.lastLocation].compactMap {
      $0?.location.coordinate
    }
    if case .location(let location)? = locations.last?.body { positions.append(location.coordinate) }
    return positions
  }
}

extension Zone {
  /// A privacy zone.
  static func hiding(_ centre: Coordinate, radius: Double = 150, name: String = "home") -> Zone? {
    guard let shape = ZoneShape(centre: centre, radius: radius) else { return nil }
    var zone = Zone(name, shape)
    zone.isPrivate = true
    return zone
  }

  func contains(_ position: Coordinate) -> Bool { shape.distance(from: position) <= 0 }
}
