import Quantities
import Records

/// A completed trip in the Overland format: a Feature with `type` `trip`, at its last fix.
///
/// `duration` is in seconds, `distance` in metres, both with up to three decimals. `steps` is 0 without a counter.
/// `reconstructed` is present only in a reconstructed trip, which is sent only to destinations that request it
/// (``OverlandProfile/hasReconstructedTrips``).
public struct OverlandTrip: Equatable, Sendable {
  public let trip: TripRecord
  let start: Timestamp
  let end: Timestamp
  let tripLocation: TripRecord.Location

  /// Creates the Feature; nil for other records, for an undated trip, and for a trip without a fix, which one server
  /// would reject forever.
  public init?(_ record: LogRecord) {
    guard case .trip(let trip) = record.body, record.time != nil, let start = trip.start.time,
      let end = trip.end.time, let tripLocation = trip.endLocation ?? trip.startLocation,
      !tripLocation.location.coordinate.isNullIsland
    else { return nil }
    self.trip = trip
    self.start = start
    self.end = end
    self.tripLocation = tripLocation
  }

  /// Appends the Feature in the form of a profile.
  public func append(to text: inout [UInt8], for profile: OverlandProfile = .overland) {
    text.appendFeature(at: tripLocation.location.coordinate, time: end, for: profile)
    text.append(#","type":"trip","mode":"#)
    text.appendJSONString(trip.mode.rawValue)
    text.append(#","start":"#)
    text.appendTime(start)
    text.append(#","end":"#)
    text.appendTime(end)
    text.append(#","start_location":"#)
    text.appendFeature(OverlandFeature(trip.startLocation, isWhole: true), for: profile)
    text.append(#","end_location":"#)
    text.appendFeature(OverlandFeature(trip.endLocation, isWhole: false), for: profile)
    text.append(#","duration":"#)
    text.appendDecimal(max(trip.durationMilliseconds, 0), decimals: 3)
    text.append(#","distance":"#)
    text.appendDecimal(max(trip.distanceMillimetres, 0), decimals: 3)
    text.append(#","stopped_automatically":"#)
    text.append(trip.ending == .asked ? "false" : "true")
    text.append(#","steps":"#)
    text.appendDecimal(Int64(max(trip.steps ?? 0, 0)), decimals: 0)
    if trip.isReconstructed { text.append(#","reconstructed":true"#) }
    text.appendDevice(trip.device, for: profile)
    text.append("}}")
  }
}

/// A running trip: the object `trip` of every request during the trip.
public struct OverlandRunningTrip: Equatable, Sendable {
  public let mode: TripMode
  public let start: Timestamp
  /// The distance so far in millimetres.
  public let distanceMillimetres: Int64
  public let startLocation: TripRecord.Location?
  /// The last stored fix.
  public let currentLocation: TripRecord.Location?

  public init(
    mode: TripMode, start: Timestamp, distanceMillimetres: Int64, startLocation: TripRecord.Location?,
    currentLocation: TripRecord.Location?
  ) {
    self.mode = mode
    self.start = start
    self.distanceMillimetres = distanceMillimetres
    self.startLocation = startLocation
    self.currentLocation = currentLocation
  }

  /// Appends the object in the form of a profile.
  public func append(to text: inout [UInt8], for profile: OverlandProfile = .overland) {
    text.append(#"{"mode":"#)
    text.appendJSONString(mode.rawValue)
    text.append(#","start":"#)
    text.appendTime(start)
    text.append(#","distance":"#)
    text.appendDecimal(max(distanceMillimetres, 0), decimals: 3)
    text.append(#","start_location":"#)
    text.appendFeature(OverlandFeature(startLocation, isWhole: true), for: profile)
    text.append(#","current_location":"#)
    text.appendFeature(OverlandFeature(currentLocation, isWhole: false), for: profile)
    text.append("}")
  }
}

extension OverlandFeature {
  /// Creates the Feature of a trip's location; nil without a location and for an undated one.
  fileprivate init?(_ tripLocation: TripRecord.Location?, isWhole: Bool) {
    guard let tripLocation, let time = tripLocation.time.time else { return nil }
    self.init(tripLocation.location, time: time, isWhole: isWhole)
  }
}
