import Quantities
import Records

/// A trip that has ended as the Overland protocol writes it: a Feature with `type` `trip`, at its last fix.
///
/// `duration` is in seconds, `distance` in metres, both with up to three decimals. `steps` is 0 without a counter.
/// `reconstructed` stands only in a trip that is known by its ends alone, which only a destination gets that asks for it
/// (``OverlandProfile/hasReconstructedTrips``).
public struct OverlandTrip: Equatable, Sendable {
  public let trip: TripRecord
  let start: Timestamp
  let end: Timestamp
  let place: TripRecord.Place

  /// Fails for what is no trip, for one that is not dated, and for one without a fix: a record without a place is
  /// refused by one server for ever.
  public init?(_ record: LogRecord) {
    guard case .trip(let trip) = record.body, record.time != nil, let start = trip.start.time,
      let end = trip.end.time, let place = trip.endPlace ?? trip.startPlace,
      !place.location.coordinate.isNullIsland
    else { return nil }
    self.trip = trip
    self.start = start
    self.end = end
    self.place = place
  }

  /// Appends the Feature as a server of that sort wants it.
  public func append(to text: inout [UInt8], for profile: OverlandProfile = .overland) {
    text.appendFeature(at: place.location.coordinate, time: end, for: profile)
    text.append(#","type":"trip","mode":"#)
    text.appendJSONString(trip.mode.rawValue)
    text.append(#","start":"#)
    text.appendTime(start)
    text.append(#","end":"#)
    text.appendTime(end)
    text.append(#","start_location":"#)
    text.appendFeature(OverlandFeature(trip.startPlace, isWhole: true), for: profile)
    text.append(#","end_location":"#)
    text.appendFeature(OverlandFeature(trip.endPlace, isWhole: false), for: profile)
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

/// A trip that is running: the object `trip` of every request while it does, and of none after it.
public struct OverlandRunningTrip: Equatable, Sendable {
  public let mode: TripMode
  public let start: Timestamp
  /// So far, mm.
  public let distanceMillimetres: Int64
  public let startPlace: TripRecord.Place?
  /// The last fix that was kept.
  public let currentPlace: TripRecord.Place?

  public init(
    mode: TripMode, start: Timestamp, distanceMillimetres: Int64, startPlace: TripRecord.Place?,
    currentPlace: TripRecord.Place?
  ) {
    self.mode = mode
    self.start = start
    self.distanceMillimetres = distanceMillimetres
    self.startPlace = startPlace
    self.currentPlace = currentPlace
  }

  /// Appends the object as a server of that sort wants it.
  public func append(to text: inout [UInt8], for profile: OverlandProfile = .overland) {
    text.append(#"{"mode":"#)
    text.appendJSONString(mode.rawValue)
    text.append(#","start":"#)
    text.appendTime(start)
    text.append(#","distance":"#)
    text.appendDecimal(max(distanceMillimetres, 0), decimals: 3)
    text.append(#","start_location":"#)
    text.appendFeature(OverlandFeature(startPlace, isWhole: true), for: profile)
    text.append(#","current_location":"#)
    text.appendFeature(OverlandFeature(currentPlace, isWhole: false), for: profile)
    text.append("}")
  }
}

extension OverlandFeature {
  /// Nil for no place and for one that is not dated.
  fileprivate init?(_ place: TripRecord.Place?, isWhole: Bool) {
    guard let place, let time = place.time.time else { return nil }
    self.init(place.location, time: time, isWhole: isWhole)
  }
}
