/// The keys of a Feature's properties that have a column.
enum Property: Int, CaseIterable {
  case timestamp, record, altitude, speed, course, horizontalAccuracy, verticalAccuracy, speedAccuracy
  case courseAccuracy, motion, batteryState, batteryLevel, wifi, deviceID, uniqueID, tripID, fix, satellites
  case accuracySource, timeQuality, reasons, steps, dilution, type, action, arrival, departure, radius, mode,
    start
  case end, startLocation, endLocation, duration, distance, stoppedAutomatically, manual, ending,
    reconstructed

  static let names: [StaticString] = [
    "timestamp", "record", "altitude", "speed", "course", "horizontal_accuracy", "vertical_accuracy",
    "speed_accuracy", "course_accuracy", "motion", "battery_state", "battery_level", "wifi", "device_id",
    "unique_id",
    "trip_id", "fix", "satellites", "accuracy_source", "time_quality", "reasons", "steps", "hdop", "type",
    "action",
    "arrival_date", "departure_date", "radius", "mode", "start", "end", "start_location", "end_location",
    "duration",
    "distance", "stopped_automatically", "manual", "ending", "reconstructed",
  ]
  static let table = KeyTable(names)
}

/// The keys of a Feature.
enum FeatureKey: Int {
  case geometry, properties

  static let table = KeyTable(["geometry", "properties"])
}

/// The keys of a geometry.
enum GeometryKey: Int {
  case type, coordinates

  static let table = KeyTable(["type", "coordinates"])
}

/// The keys of an event.
enum EventKey: Int {
  case record, time, kind, detail, value, fields

  static let names: [StaticString] = ["record", "time", "kind", "detail", "value", "fields"]
  static let table = KeyTable(names)
}

/// The keys of the outermost object.
enum UploadKey: Int, CaseIterable {
  case locations, features, events, log, from, through, report, deviceID, uniqueID, first

  static let names: [StaticString] = [
    "locations", "features", "events", "log", "from", "through", "report", "device_id", "unique_id",
    "first",
  ]
  static let table = KeyTable(names)
}
