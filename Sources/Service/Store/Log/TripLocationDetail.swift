import Quantities
import Records

/// A location within the JSON of another record, with the names and units of the table's columns.
struct TripLocationDetail: Codable {
  /// The state of the device.
  struct Device: Codable {
    var battery: UInt8
    var percent: UInt8?
    var wifi: String
    var device: String

    init(_ device: DeviceState) {
      battery = device.batteryState.rawValue
      percent = device.batteryPercent
      wifi = device.wifi.cut(toBytes: RecordRow.longestNetworkName)
      self.device = device.deviceID.cut(toBytes: RecordRow.longestDeviceID)
    }

    /// The device state; nil for a value that this version does not know.
    var state: DeviceState? {
      BatteryState(rawValue: battery).map {
        DeviceState(deviceID: device, batteryState: $0, batteryPercent: percent, wifi: wifi)
      }
    }
  }

  var time: Int64
  var latitude_e7: Int32
  var longitude_e7: Int32
  var altitude_mm: Int32?
  var speed_mmps: Int32?
  var course_mdeg: Int32?
  var horizontal_accuracy_mm: Int32?
  var vertical_accuracy_mm: Int32?
  var speed_accuracy_mmps: Int32?
  var course_accuracy_mdeg: Int32?
  var accuracy_source: UInt8
  var fix: UInt8
  var satellites: UInt8?
  var motion: UInt8
  var device: Device
  var trip_ms: Int64?
  var steps: Int32?
  var reasons: UInt16
  var tracking: UInt16?

  init(_ tripLocation: TripRecord.Location) {
    let location = tripLocation.location
    time = tripLocation.time.column
    latitude_e7 = location.coordinate.latitudeE7
    longitude_e7 = location.coordinate.longitudeE7
    altitude_mm = location.altitudeMillimetres
    speed_mmps = location.speedMillimetresPerSecond
    course_mdeg = location.courseMillidegrees
    horizontal_accuracy_mm = location.horizontalAccuracyMillimetres
    vertical_accuracy_mm = location.verticalAccuracyMillimetres
    speed_accuracy_mmps = location.speedAccuracyMillimetresPerSecond
    course_accuracy_mdeg = location.courseAccuracyMillidegrees
    accuracy_source = location.accuracySource.rawValue
    fix = location.fixKind.rawValue
    satellites = location.satellitesUsed
    motion = location.motion.rawValue
    device = Device(location.device)
    trip_ms = location.trip?.column
    steps = location.steps
    reasons = location.reasons.rawValue
    tracking = location.statistics?.packed
  }

  /// The position; nil for a value that this version does not know, or invalid coordinates.
  var tripLocation: TripRecord.Location? {
    guard let coordinate = Coordinate(latitudeE7: latitude_e7, longitudeE7: longitude_e7),
      let source = AccuracySource(rawValue: accuracy_source), let fix = FixKind(rawValue: fix),
      let device = device.state
    else { return nil }
    var location = LocationRecord(coordinate: coordinate, fixKind: fix, deviceID: "")
    location.altitudeMillimetres = altitude_mm
    location.speedMillimetresPerSecond = speed_mmps
    location.courseMillidegrees = course_mdeg
    location.horizontalAccuracyMillimetres = horizontal_accuracy_mm
    location.verticalAccuracyMillimetres = vertical_accuracy_mm
    location.speedAccuracyMillimetresPerSecond = speed_accuracy_mmps
    location.courseAccuracyMillidegrees = course_accuracy_mdeg
    location.accuracySource = source
    location.satellitesUsed = satellites
    location.motion = MotionStates(rawValue: motion)
    location.device = device
    location.trip = trip_ms.map(Instant.init(column:))
    location.steps = steps
    location.reasons = KeepReasons(rawValue: reasons)
    location.statistics = tracking.flatMap(TrackingStatistics.init(packed:))
    return TripRecord.Location(location, time: Instant(column: time))
  }
}
