import Quantities
import Records

/// The `locations` of one Overland request, rendered once and sent unchanged at every attempt.
///
/// Servers recognize a repeated batch by its content, so a retry must not differ in a single byte. Only `current` and
/// `trip` reflect the time of sending.
public struct OverlandBatch: Equatable, Sendable {
  /// The number of Features. A batch without any must not be sent.
  public let count: Int
  /// The start of the request, `{"locations":[…]`, without the closing brace.
  public let locations: [UInt8]
  private let profile: OverlandProfile

  /// Renders locations, visits, trips and actions in the given order.
  ///
  /// Omitted are events, records without a time or position, and reconstructed trips unless the profile accepts them. A
  /// complete profile omits only records without a time, and accounts for the records of `range`.
  public init(
    _ records: some Collection<StoredRecord>, of range: BatchRange? = nil,
    for profile: OverlandProfile = .overland
  ) {
    self.profile = profile
    if profile.isComplete {
      let range = range ?? BatchRange(from: nil, through: .zero)
      let batch = OutriderBatch(records, accountingFor: range, log: profile.logID, for: profile)
      (count, locations) = (batch.count, batch.text)
      return
    }
    var profile = profile
    if profile.countsPayload { profile.payloadCount = records.count { OverlandFeature($0.record) != nil } }
    var text: [UInt8] = []
    text.reserveCapacity(16 + records.count * 440)
    text.append(#"{"locations":["#)
    var count = 0
    for stored in records {
      let end = text.count
      if count > 0 { text.append(",") }
      if Self.append(stored.record, to: &text, for: profile) {
        count += 1
      } else {
        text.removeLast(text.count - end)
      }
    }
    text.append("]")
    locations = text
    self.count = count
  }

  /// Appends the Feature of a record; returns false if it has none.
  static func append(
    _ record: LogRecord, to text: inout [UInt8], for profile: OverlandProfile
  ) -> Bool {
    switch record.body {
    case .location:
      guard let feature = OverlandFeature(record) else { return false }
      feature.append(to: &text, for: profile)
    case .visit:
      guard let visit = OverlandVisit(record) else { return false }
      visit.append(to: &text, for: profile)
    case .trip:
      guard let trip = OverlandTrip(record), profile.takes(trip) else { return false }
      trip.append(to: &text, for: profile)
    case .action:
      guard let action = OverlandAction(record) else { return false }
      action.append(to: &text, for: profile)
    case .event: return false
    }
    return true
  }

  /// Returns the body of one attempt, in parts to be sent one after the other.
  ///
  /// `current` is the newest stored fix, given if the queue continues after the batch. `trip` is the rendered object of a
  /// running trip, `report` that of the device's health.
  public func body(
    current: OverlandFeature? = nil, trip: [UInt8]? = nil, report: [UInt8]? = nil
  ) -> [[UInt8]] {
    Self.body(locations, current: current, trip: trip, report: report, for: profile)
  }

  /// Returns the body for ``locations`` from an earlier rendering.
  public static func body(
    _ locations: [UInt8], current: OverlandFeature?, trip: [UInt8]?, report: [UInt8]? = nil,
    for profile: OverlandProfile
  ) -> [[UInt8]] {
    var remainder: [UInt8] = []
    if let current {
      remainder.append(#","current":"#)
      current.append(to: &remainder, for: profile)
    }
    if let trip {
      remainder.append(#","trip":"#)
      remainder.append(contentsOf: trip)
    }
    if profile.isComplete, let name = profile.deviceID ?? profile.senderName {
      remainder.append(#","device_id":"#)
      remainder.appendJSONString(name)
      if let uniqueID = profile.uniqueID {
        remainder.append(#","unique_id":"#)
        remainder.appendJSONString(uniqueID)
      }
    }
    if profile.isComplete, profile.logID != nil, let first = profile.firstRecord {
      remainder.append(#","first":"#)
      remainder.appendDecimal(first.rawValue, decimals: 0)
    }
    if let report {
      remainder.append(#","report":"#)
      remainder.append(contentsOf: report)
    }
    remainder.append("}")
    return [locations, remainder]
  }
}
