import GNSS
import Quantities

/// A fix with a valid place, on its way to becoming a record.
struct Candidate: Equatable, Sendable {
  var fix: Fix
  var sample: Sample
  /// The fix's own instant on the boot clock.
  var moment: Moment

  init(_ fix: Fix, at coordinate: Coordinate, timestamp: Timestamp?, moment: Moment) {
    self.fix = fix
    self.moment = moment
    sample = Sample(fix, at: coordinate, timestamp: timestamp, moment: moment)
  }
}

extension Fix {
  /// Where it is; nil for one that the receiver does not vouch for, or that lies at 0° and 0° or off the globe.
  var place: Coordinate? {
    guard kind != .none, let latitude, let longitude,
      let place = Coordinate(latitude: latitude, longitude: longitude), !place.isNullIsland
    else { return nil }
    return place
  }
}
