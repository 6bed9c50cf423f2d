import Quantities
import Records
import Store

/// Records of a drive through a town, one per second, all different.
enum SampleDrive {
  static func records(_ count: Int, from first: Int = 0) -> [LogRecord] {
    (first..<first + count).compactMap(record)
  }

  private static func record(_ second: Int) -> LogRecord? {
    let turn = Int32(truncatingIfNeeded: second % 9973)
    guard
      let coordinate = Coordinate(latitudeE7: 525_208_330 + turn * 91, longitudeE7: 134_094_170 + turn * 137)
    else { return nil }
    var location = LocationRecord(coordinate: coordinate, deviceID: "van")
    location.altitudeMillimetres = 38_400 + turn % 700
    location.speedMillimetresPerSecond = 11_000 + turn % 2900
    location.courseMillidegrees = turn * 36
    location.horizontalAccuracyMillimetres = 2400 + turn % 900
    location.verticalAccuracyMillimetres = 4100 + turn % 900
    location.speedAccuracyMillimetresPerSecond = 310 + turn % 90
    location.courseAccuracyMillidegrees = 1200 + turn % 400
    location.accuracySource = .receiver
    location.satellitesUsed = 14
    location.motion = .driving
    location.batteryState = .unplugged
    location.batteryPercent = 83
    return LogRecord(
      moment: Moment(nanoseconds: Int64(second) * 1_000_000_000),
      time: Timestamp(milliseconds: 1_772_360_100_000 + Int64(second) * 1000), timeQuality: .receiver,
      body: .location(location))
  }

  /// The environment of a log for measurements.
  static let logOptions = LogOptions(bootID: "bench", clock: { .zero })

  /// Writes a log of `count` records and closes it cleanly.
  static func fillLog(_ directory: String, records count: Int) throws {
    let (log, _) = try LogDatabase.open(
      StorageDirectory(directory, allowVolatile: true), options: logOptions)
    for first in stride(from: 0, to: count, by: 1000) {
      _ = try log.append(records(min(1000, count - first), from: first))
    }
    try log.close()
  }
}
