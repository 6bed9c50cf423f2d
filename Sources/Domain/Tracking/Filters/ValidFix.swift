import GNSSProtocol
import Quantities

/// A fix with valid coordinates on its way to a record.
struct ValidFix: Equatable, Sendable {
  var fix: Fix
  var observation: Observation
  /// Time of the fix on the boot clock.
  var moment: Moment

  init(_ fix: Fix, at coordinate: Coordinate, timestamp: Timestamp?, moment: Moment) {
    self.fix = fix
    self.moment = moment
    observation = Observation(fix, at: coordinate, timestamp: timestamp, moment: moment)
  }
}
