import Quantities
import Records

/// The places of which nothing is written and nothing is told.
public struct PrivateZones: Equatable, Sendable {
  private let shapes: [ZoneShape]

  /// Those of `zones` that are private.
  public init(_ zones: [Zone] = []) { shapes = zones.filter(\.isPrivate).map(\.shape) }

  public var isEmpty: Bool { shapes.isEmpty }

  /// True for a place inside. One that may be inside counts: `accuracy` is in metres.
  public func hides(_ place: Coordinate, accuracy: Double? = nil) -> Bool {
    shapes.contains { $0.distance(from: place) <= min(accuracy ?? 0, 1000) }
  }

  public func hides(_ location: LocationRecord) -> Bool {
    hides(location.coordinate, accuracy: location.horizontalAccuracyMillimetres.map { Double($0) / 1000 })
  }

  /// What may be told of a record; nil for one that lies inside. A trip is told whole, without its places there: one that
  /// began inside starts with its first kept place outside. One that is known by its ends alone is not told if either lies
  /// inside: the straight line from the other end tells how far off that is.
  public func disclosed(_ record: LogRecord) -> LogRecord? {
    guard !isEmpty else { return record }
    switch record.body {
    case .event: return record
    case .location(let location): return hides(location) ? nil : record
    case .action(let action): return hides(action.coordinate) ? nil : record
    case .visit(let visit):
      let accuracy = visit.horizontalAccuracyMillimetres.map { Double($0) / 1000 }
      return hides(visit.coordinate, accuracy: accuracy) ? nil : record
    case .trip(var trip):
      let ends = [trip.startPlace, trip.endPlace].compactMap { $0 }
      if trip.isReconstructed, ends.contains(where: { hides($0.location) }) { return nil }
      trip.startPlace = trip.startPlace.flatMap { hides($0.location) ? nil : $0 }
      trip.endPlace = trip.endPlace.flatMap { hides($0.location) ? nil : $0 }
      var record = record
      record.body = .trip(trip)
      return record
    }
  }
}
