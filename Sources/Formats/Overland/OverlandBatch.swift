import Quantities
import Records

/// The `locations` of one Overland request, rendered once and sent unchanged at every attempt.
///
/// Servers recognise a repeated batch by its content, so a retry must not differ in a single byte; only
/// `current` and `trip` speak of the moment of sending.
public struct OverlandBatch: Equatable, Sendable {
  /// How many Features there are. A batch with none must not be sent.
  public let count: Int
  /// `{"locations":[…]`, without the closing brace of the request.
  public let locations: [UInt8]
  private let profile: OverlandProfile

  /// Renders the records in the order given: locations, visits, trips and actions. What has no Feature is left out:
  /// events, what has no time or no place, and a trip that is reconstructed where the profile takes none.
  public init(_ records: some Collection<StoredRecord>, for profile: OverlandProfile = .overland) {
    self.profile = profile
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

  /// False when there is nothing to write.
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

  /// The body of one attempt, in parts to be sent one after the other.
  ///
  /// `current` is the newest kept fix, given when more records wait than the batch holds; `trip` is the
  /// rendered object of a running trip.
  public func body(current: OverlandFeature? = nil, trip: [UInt8]? = nil) -> [[UInt8]] {
    Self.body(locations, current: current, trip: trip, for: profile)
  }

  /// The same for ``locations`` that were kept from an earlier rendering.
  public static func body(
    _ locations: [UInt8], current: OverlandFeature?, trip: [UInt8]?, for profile: OverlandProfile
  ) -> [[UInt8]] {
    var rest: [UInt8] = []
    if let current {
      rest.append(#","current":"#)
      current.append(to: &rest, for: profile)
    }
    if let trip {
      rest.append(#","trip":"#)
      rest.append(contentsOf: trip)
    }
    rest.append("}")
    return [locations, rest]
  }
}
