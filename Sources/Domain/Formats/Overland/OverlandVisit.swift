import Quantities
import Records

/// A visit in the Overland format: a Feature with `action` `visit`, at the centre of the visit.
///
/// `arrival_date` is null if the arrival was not observed, `departure_date` while the visit continues.
/// `horizontal_accuracy` is in whole metres, truncated, and at least 1.
public struct OverlandVisit: Equatable, Sendable {
  public let visit: VisitRecord
  public let time: Timestamp

  /// Creates the Feature; nil for other records, without a time, or at latitude 0 and longitude 0.
  public init?(_ record: LogRecord) {
    guard case .visit(let visit) = record.body, let time = record.time, !visit.coordinate.isNullIsland else {
      return nil
    }
    self.visit = visit
    self.time = time
  }

  /// Appends the Feature in the form of a profile.
  public func append(to text: inout [UInt8], for profile: OverlandProfile = .overland) {
    text.appendFeature(at: visit.coordinate, time: time, for: profile)
    text.append(#","action":"visit","arrival_date":"#)
    text.appendTime(visit.arrival?.time)
    text.append(#","departure_date":"#)
    text.appendTime(visit.departure?.time)
    text.append(#","horizontal_accuracy":"#)
    let radius = visit.horizontalAccuracyMillimetres.flatMap { $0 < 0 ? nil : Int64($0) / 1000 }
    text.appendDecimal(max(radius ?? Int64(profile.unknownAccuracy), 1), decimals: 0)
    text.appendDevice(visit.device, for: profile)
    text.append("}}")
  }
}
