import History
import Quantities
import Records

extension TrackColumns.Point {
  /// The order in which a set of motion states is reduced to one.
  private static let motionOrder: [(state: MotionStates, index: Int64)] = [
    (.cycling, 4), (.driving, 5), (.walking, 2), (.running, 3), (.stationary, 1),
  ]

  /// The point of a stored location.
  init(_ id: RecordID, _ time: Timestamp, _ location: LocationRecord) {
    self.init(id: id.rawValue, time: time, coordinate: location.coordinate)
    altitude = Self.rounded(location.altitudeMillimetres, by: 100)
    speed = Self.rounded(location.speedMillimetresPerSecond.flatMap { $0 < 0 ? nil : $0 }, by: 10)
    course = location.courseMillidegrees.flatMap { $0 < 0 ? nil : Self.rounded($0, by: 100) }
      .map { $0 % 3600 }
    accuracy = Self.rounded(location.horizontalAccuracyMillimetres.flatMap { $0 < 0 ? nil : $0 }, by: 100)
    motion = Self.motionOrder.first { location.motion.contains($0.state) }?.index ?? 0
    fix = FixKind.allCases.firstIndex(of: location.fixKind).map(Int64.init)
    kept = location.reasons.first.map { Int64($0.rawValue.trailingZeroBitCount) }
    battery = location.batteryPercent.map(Int64.init)
  }

  /// A value in a larger unit, rounded half away from zero.
  private static func rounded(_ value: Int32?, by unit: Int64) -> Int64? {
    value.map { (Int64($0) + ($0 < 0 ? -unit / 2 : unit / 2)) / unit }
  }
}
