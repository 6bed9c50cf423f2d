import Quantities

extension LogRecord {
  /// True if the body contains instants that are not dated yet.
  public var hasUndatedInstants: Bool {
    switch body {
    case .location(let location): location.trip?.isUndated ?? false
    case .visit(let visit): visit.arrival?.isUndated ?? false || visit.departure?.isUndated ?? false
    case .trip(let trip):
      trip.start.isUndated || trip.end.isUndated || trip.startLocation?.isUndated ?? false
        || trip.endLocation?.isUndated ?? false
    case .event, .action: false
    }
  }

  /// The record with all undated instants dated, where `offset` is UTC minus boot clock in ms. Dated instants keep their
  /// date.
  public func dated(offsetMilliseconds offset: Int64, quality: ClockQuality) -> LogRecord {
    var record = self
    if time == nil {
      record.time = Timestamp(milliseconds: moment.nanoseconds / 1_000_000 &+ offset)
      record.timeQuality = quality
    }
    guard hasUndatedInstants else { return record }
    switch body {
    case .location(let location): record.body = .location(location.dated(offset))
    case .visit(var visit):
      visit.arrival = visit.arrival?.dated(offsetMilliseconds: offset)
      visit.departure = visit.departure?.dated(offsetMilliseconds: offset)
      record.body = .visit(visit)
    case .trip(var trip):
      // The trip started before this boot, which measured only a part of its duration.
      let isEndOfEarlierStart = trip.end.isUndated && !trip.start.isUndated
      trip.start = trip.start.dated(offsetMilliseconds: offset)
      trip.end = trip.end.dated(offsetMilliseconds: offset)
      trip.startLocation = trip.startLocation?.dated(offsetMilliseconds: offset)
      trip.endLocation = trip.endLocation?.dated(offsetMilliseconds: offset)
      if isEndOfEarlierStart, let start = trip.start.time, let end = trip.end.time {
        trip.durationMilliseconds = max(trip.durationMilliseconds, end.milliseconds &- start.milliseconds)
      }
      record.body = .trip(trip)
    case .event, .action: break
    }
    return record
  }
}

extension LocationRecord {
  fileprivate func dated(_ offset: Int64) -> LocationRecord {
    var location = self
    location.trip = trip?.dated(offsetMilliseconds: offset)
    return location
  }
}

extension TripRecord.Location {
  fileprivate var isUndated: Bool { time.isUndated || location.trip?.isUndated ?? false }

  /// The fix with its time in UTC, where `offset` is UTC minus boot clock in ms.
  public func dated(offsetMilliseconds offset: Int64) -> TripRecord.Location {
    TripRecord.Location(location.dated(offset), time: time.dated(offsetMilliseconds: offset))
  }
}
