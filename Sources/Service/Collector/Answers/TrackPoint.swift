import Quantities

/// The time and the position of a stored location.
struct TrackPoint: Equatable {
  var time: Timestamp
  /// Latitude in 1e-7 degrees, as received.
  var latitudeE7: Int64
  var longitudeE7: Int64

  /// The coordinate; nil outside ±90° and ±180°.
  var coordinate: Coordinate? {
    guard let latitude = Int32(exactly: latitudeE7), let longitude = Int32(exactly: longitudeE7) else {
      return nil
    }
    return Coordinate(latitudeE7: latitude, longitudeE7: longitude)
  }
}
