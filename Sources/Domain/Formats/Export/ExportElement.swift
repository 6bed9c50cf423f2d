import Quantities
import Records

/// A part of an exported file, in the order of the file.
enum ExportElement {
  /// The first bytes, before the log is read.
  case start
  case head(ExportTitle, ExportRequest, ExportOverview)
  /// The start of a local day: `2026-03-01`.
  case day(String)
  case endOfDay
  case track(ExportTrack)
  case endOfTrack
  /// The start of a segment, within which the track is continuous.
  case segment
  case endOfSegment
  case point(ExportPoint)
  case visit(VisitRecord, time: Timestamp)
  /// An event at the position of the location before it.
  case event(EventRecord, time: Timestamp, at: Coordinate)
  case end
}

/// A track of an export.
struct ExportTrack: Equatable {
  /// The local time and the mode, or `2026-03-01 between trips`.
  var name: String
  /// The mode of the trip; nil if it is unknown, and outside trips.
  var mode: TripMode?
  /// The start of the trip; nil outside trips.
  var trip: Timestamp?
}

/// A location of an export with its time.
struct ExportPoint: Equatable {
  var id: RecordID
  var boot: Int64
  var moment: Moment
  var time: Timestamp
  var quality: ClockQuality
  var location: LocationRecord

  /// Nil for other records and for undated locations.
  init?(_ stored: StoredRecord) {
    guard case .location(let location) = stored.record.body, let time = stored.record.time else { return nil }
    (id, boot, moment) = (stored.id, stored.boot, stored.record.moment)
    (self.time, quality, self.location) = (time, stored.record.timeQuality, location)
  }
}

/// Writes the parts of an export in one file format. It is a value, so that a file and a response of the local API are
/// the same bytes.
protocol ExportWriter: Sendable {
  mutating func write(_ element: ExportElement, to text: inout [UInt8])
}

extension ExportPoint {
  /// Speed in mm/s; nil if it is unknown.
  var speed: Int64? { location.speedMillimetresPerSecond.flatMap { $0 < 0 ? nil : Int64($0) } }
  /// Course in 1/1000 degree; nil if it is unknown.
  var course: Int64? { location.courseMillidegrees.flatMap { $0 < 0 ? nil : Int64($0) } }
  /// Horizontal accuracy in mm; nil if it is unknown.
  var accuracy: Int64? { location.horizontalAccuracyMillimetres.flatMap { $0 < 0 ? nil : Int64($0) } }
  /// The motion states, separated by `;`.
  var motion: String {
    MotionStates.words.filter { location.motion.contains($0.state) }.map { "\($0.word)" }.joined(
      separator: ";")
  }
  /// The keep reasons, separated by `;`.
  var reasons: String {
    KeepReasons.words.filter { location.reasons.contains($0.reason) }.map { "\($0.word)" }.joined(
      separator: ";")
  }
}
