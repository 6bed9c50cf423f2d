import Quantities
import Records

/// An end of a trip as fields of a ``StateFields`` line.
extension TripRecord.Location {
  /// The text of the position; nil without a date, because such a position is meaningless after a restart.
  var stateText: String? {
    guard let time = time.time else { return nil }
    let location = self.location
    let numbers: [Int64?] = [
      time.milliseconds, Int64(location.coordinate.latitudeE7), Int64(location.coordinate.longitudeE7),
      location.altitudeMillimetres.map(Int64.init), location.speedMillimetresPerSecond.map(Int64.init),
      location.courseMillidegrees.map(Int64.init), location.horizontalAccuracyMillimetres.map(Int64.init),
      location.verticalAccuracyMillimetres.map(Int64.init),
      location.speedAccuracyMillimetresPerSecond.map(Int64.init),
      location.courseAccuracyMillidegrees.map(Int64.init), Int64(location.accuracySource.rawValue),
      Int64(location.fixKind.rawValue), location.satellitesUsed.map(Int64.init),
      Int64(location.motion.rawValue), Int64(location.batteryState.rawValue),
      location.batteryPercent.map(Int64.init), location.trip?.time?.milliseconds,
      location.steps.map(Int64.init), Int64(location.reasons.rawValue),
      location.statistics.map { Int64($0.packed) },
    ]
    let fields = numbers.map(StateFields.text) + [location.wifi, location.deviceID].map(StateFields.quoted)
    return fields.joined(separator: "\t")
  }

  init?(_ fields: inout StateFields) {
    guard let time: Int64 = fields.number(), let latitude: Int32 = fields.number(),
      let longitude: Int32 = fields.number(),
      let coordinate = Coordinate(latitudeE7: latitude, longitudeE7: longitude)
    else { return nil }
    var location = LocationRecord(coordinate: coordinate, deviceID: "")
    location.altitudeMillimetres = fields.number()
    location.speedMillimetresPerSecond = fields.number()
    location.courseMillidegrees = fields.number()
    location.horizontalAccuracyMillimetres = fields.number()
    location.verticalAccuracyMillimetres = fields.number()
    location.speedAccuracyMillimetresPerSecond = fields.number()
    location.courseAccuracyMillidegrees = fields.number()
    guard let source: UInt8 = fields.number(), let fix: UInt8 = fields.number(),
      let accuracySource = AccuracySource(rawValue: source), let fixKind = FixKind(rawValue: fix)
    else { return nil }
    location.accuracySource = accuracySource
    location.fixKind = fixKind
    location.satellitesUsed = fields.number()
    guard let motion: UInt8 = fields.number(), let battery: UInt8 = fields.number(),
      let batteryState = BatteryState(rawValue: battery)
    else { return nil }
    location.motion = MotionStates(rawValue: motion)
    location.batteryState = batteryState
    location.batteryPercent = fields.number()
    let trip: Int64? = fields.number()
    location.trip = trip.map { .utc(Timestamp(milliseconds: $0)) }
    location.steps = fields.number()
    guard let reasons: UInt16 = fields.number() else { return nil }
    location.reasons = KeepReasons(rawValue: reasons)
    let statistics: UInt16? = fields.number()
    location.statistics = statistics.flatMap(TrackingStatistics.init(packed:))
    guard let wifi = fields.text(), let deviceID = fields.text() else { return nil }
    location.wifi = wifi
    location.deviceID = deviceID
    self.init(location, time: .utc(Timestamp(milliseconds: time)))
  }
}
