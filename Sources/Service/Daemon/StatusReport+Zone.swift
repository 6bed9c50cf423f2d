import LocalAPI
import Quantities
import System

extension StatusReport.Zone {
  /// The local zone at that time.
  init(at time: Timestamp) {
    self.init(name: LocalTime.zoneName, offset_s: Int(clamping: LocalTime.aheadOfUTC(at: time).wholeSeconds))
  }
}
