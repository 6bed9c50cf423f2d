import FleetPolicy
import FleetRecords
import Quantities

/// An upload on its way into the database.
final class Submission {
  /// The device and the log to which the rows belong, known after the preparation.
  struct Owner {
    var device: AdmittedDevice
    var log: Int32?
    /// The new token, if the upload enrolled the device.
    var token: String?
  }

  let upload: Upload
  let access: Access
  let arrival: Moment
  /// The arrival by the clock of waiting.
  let waitingSince: Duration
  let received: Timestamp
  /// Rows that are not stored because of their age.
  let expired: Int
  let bytes: Int
  /// The fields of events of records that a server rejected and that are not sent again; also of expired events.
  let setAside: [String?]
  var owner: Owner?
  /// The number of groups that contained it.
  var attempts = 0
  private var completion: ((UploadOutcome) -> Void)?

  init(
    _ upload: Upload, access: Access, age: RecordAge, arrival: Moment, waitingSince: Duration,
    received: Timestamp, completion: @escaping (UploadOutcome) -> Void
  ) {
    bytes = Self.size(of: upload)
    setAside = upload.events.filter { $0.kind == Self.setAsideKind }.map(\.fields)
    let kept = Self.keeping(upload, age)
    expired = upload.rowCount - kept.rowCount
    self.upload = kept
    self.access = access
    self.arrival = arrival
    self.waitingSince = waitingSince
    self.received = received
    self.completion = completion
  }

  private static let setAsideKind = "record_set_aside"

  var isFinished: Bool { completion == nil }

  /// Calls the completion, the first time only.
  func finish(_ outcome: UploadOutcome) {
    let call = completion
    completion = nil
    call?(outcome)
  }

  private static func keeping(_ upload: Upload, _ age: RecordAge) -> Upload {
    var kept = upload
    if upload.locations.contains(where: { age.isExpired(location: $0.id.time) }) {
      kept.locations.removeAll { age.isExpired(location: $0.id.time) }
    }
    if upload.visits.contains(where: { age.isExpired(other: $0.id.time) }) {
      kept.visits.removeAll { age.isExpired(other: $0.id.time) }
    }
    if upload.trips.contains(where: { age.isExpired(other: $0.id.time) }) {
      kept.trips.removeAll { age.isExpired(other: $0.id.time) }
    }
    if upload.actions.contains(where: { age.isExpired(other: $0.id.time) }) {
      kept.actions.removeAll { age.isExpired(other: $0.id.time) }
    }
    if upload.events.contains(where: { age.isExpired(other: $0.id.time) }) {
      kept.events.removeAll { age.isExpired(other: $0.id.time) }
    }
    return kept
  }

  /// The memory of an upload, approximately.
  private static func size(of upload: Upload) -> Int {
    var bytes = 512 + upload.locations.count * MemoryLayout<LocationRow>.stride
    bytes += upload.visits.count * MemoryLayout<VisitRow>.stride
    bytes += upload.trips.count * MemoryLayout<TripRow>.stride
    bytes += upload.actions.count * MemoryLayout<ActionRow>.stride
    bytes += upload.events.count * MemoryLayout<EventRow>.stride
    for row in upload.locations { bytes += row.extra?.utf8.count ?? 0 }
    for row in upload.visits { bytes += row.extra?.utf8.count ?? 0 }
    for row in upload.trips { bytes += (row.extra?.utf8.count ?? 0) + (row.mode?.utf8.count ?? 0) }
    for row in upload.actions { bytes += (row.extra?.utf8.count ?? 0) + row.action.utf8.count }
    for row in upload.events {
      bytes += row.kind.utf8.count + row.detail.utf8.count + (row.fields?.utf8.count ?? 0)
    }
    return bytes + (upload.report?.text.utf8.count ?? 0) + (upload.body?.count ?? 0)
  }
}
