import Quantities
import Records

/// The privacy zones: no location inside is stored or sent. Used by the tracker, and by everything that discloses
/// records.
public struct PrivateZones: Equatable, Sendable {
  /// The width in metres of the edge, which counts as inside: twice the resolution of coordinates.
  private static let edge = 0.02

  private let shapes: [ZoneShape]

  /// Selects those of `zones` that are private.
  public init(_ zones: [Zone] = []) { shapes = zones.filter(\.isPrivate).map(\.shape) }

  public var isEmpty: Bool { shapes.isEmpty }

  /// True if the coordinates are inside or on the edge, or may be inside by their `accuracy` in metres; nil if it is
  /// unknown.
  public func hides(_ position: Coordinate, accuracy: Double?) -> Bool {
    let margin = max(HorizontalAccuracy.margin(accuracy), Self.edge)
    return shapes.contains { $0.distance(from: position) <= margin }
  }

  /// True if a configured location, which is exact, is inside or on the edge.
  public func hides(exactly position: Coordinate) -> Bool {
    shapes.contains { $0.distance(from: position) <= Self.edge }
  }

  /// True if a location is inside, or may be inside by its accuracy.
  public func hides(_ location: LocationRecord) -> Bool {
    hides(location.coordinate, accuracy: location.horizontalAccuracyMillimetres.map { Double($0) / 1000 })
  }

  /// True if a zone is completely inside a privacy zone, so that no entry or exit may be reported.
  func contains(_ zone: Zone) -> Bool {
    shapes.contains { $0.distance(from: zone.shape.centre) <= -zone.shape.reach }
  }

  /// The disclosable part of a record; nil if it is inside. A trip keeps its record, but loses ends inside: if it
  /// began inside, its first recorded position outside is the start. A reconstructed trip with an end inside is not
  /// disclosed, because its straight line shows how far away that end is.
  public func disclosed(_ record: LogRecord) -> LogRecord? {
    guard !isEmpty else { return record }
    switch record.body {
    case .event(let event):
      guard let position = event.fields.position, hides(position.coordinate, accuracy: position.accuracy)
      else { return record }
      var record = record
      record.body = .event(event.withoutPosition)
      return record
    case .location(let location): return hides(location) ? nil : record
    case .action(let action): return hides(action.coordinate, accuracy: nil) ? nil : record
    case .visit(let visit):
      let accuracy = visit.horizontalAccuracyMillimetres.map { Double($0) / 1000 }
      return hides(visit.coordinate, accuracy: accuracy) ? nil : record
    case .trip(var trip):
      let ends = [trip.startLocation, trip.endLocation].compactMap { $0 }
      if trip.isReconstructed, ends.contains(where: { hides($0.location) }) { return nil }
      trip.startLocation = trip.startLocation.flatMap { hides($0.location) ? nil : $0 }
      trip.endLocation = trip.endLocation.flatMap { hides($0.location) ? nil : $0 }
      var record = record
      record.body = .trip(trip)
      return record
    }
  }
}
