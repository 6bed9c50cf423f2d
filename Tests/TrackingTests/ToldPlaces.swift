import Quantities
import Records

@testable import Tracking

extension TrackerAction {
  /// All coordinates that can be derived from it.
  var places: [Coordinate] {
    switch self {
    case .keep(let record, _):
      switch record.body {
      case .location(let location): [location.coordinate]
      case .visit(let visit): [visit.coordinate]
      case .action(let action): [action.coordinate]
      case .trip(let trip): [trip.startPlace, trip.endPlace].compactMap { $0?.location.coordinate }
      case .event: []
      }
    case .save(let text): TrackerState(text: text, now: .zero)?.places ?? []
    case .date, .receiver, .hearAccessPoints, .readSystemClock: []
    }
  }
}

extension TrackerState {
  var places: [Coordinate] {
    [trip?.startPlace, trip?.lastPlace].compactMap { $0?.location.coordinate }
      + [visit?.centre, parking].compactMap(\.self)
  }
}

extension Tracker {
  /// All coordinates that it discloses on request.
  var placesTold: [Coordinate] {
    var places = [runningTrip?.startPlace, runningTrip?.lastPlace].compactMap { $0?.location.coordinate }
    if case .location(let location)? = lastLocation?.body { places.append(location.coordinate) }
    return places
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

  func holds(_ place: Coordinate) -> Bool { shape.distance(from: place) <= 0 }
}
