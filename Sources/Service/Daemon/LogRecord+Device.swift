import Records

extension LogRecord {
  /// The record with another device ID.
  func withDeviceID(_ name: String) -> LogRecord {
    var record = self
    switch body {
    case .location(var location):
      location.deviceID = name
      record.body = .location(location)
    case .visit(var visit):
      visit.device.deviceID = name
      record.body = .visit(visit)
    case .trip(var trip):
      trip.device.deviceID = name
      trip.startLocation?.location.deviceID = name
      trip.endLocation?.location.deviceID = name
      record.body = .trip(trip)
    case .action(var action):
      action.device.deviceID = name
      record.body = .action(action)
    case .event: break
    }
    return record
  }
}
