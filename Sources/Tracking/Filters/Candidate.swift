import GNSS
import Quantities

/// A fix with valid coordinates on its way to a record.
struct Candidate: Equatable, Sendable {
  var fix: Fix
  var sample: Sample
  /// Time of the fix on the boot clock.
  var moment: Moment

  init(_ fix: Fix, at coordinate: Coordinate, timestamp: Timestamp?, moment: Moment) {
    self.fix = fix
    self.moment = moment
    sample = Sample(fix, at: coordinate, timestamp: timestamp, moment: moment)
  }
}

extension Fix {
  /// The coordinates; nil for an invalid fix, for 0° and 0°, and for values out of range.
  var place: Coordinate? {
    guard kind != .none, let latitude, let longitude,
      let place = Coordinate(latitude: latitude, longitude: longitude), !place.isNullIsland
    else { return nil }
    return place
  }
}
