import Quantities
import Records

/// Points of a track as columns of whole numbers, for `GET /track`.
struct TrackColumns {
  /// Limit of the points of one chunk.
  static let longest = 500

  private static let names: [StaticString] = [
    "id", "t", "lat", "lon", "alt", "spd", "crs", "acc", "mot", "fix", "kept", "bat",
  ]
  /// The motion states by index, with the word of servers for a vehicle.
  static let motions = ["unknown", "stationary", "walking", "running", "cycling", "automotive"]
  /// The order in which a set of motion states is reduced to one.
  private static let motionOrder: [(state: MotionStates, index: Int64)] = [
    (.cycling, 4), (.driving, 5), (.walking, 2), (.running, 3), (.stationary, 1),
  ]

  private var columns = [[UInt8]](repeating: [], count: names.count)
  /// The last known values of the columns that are differences.
  private var previous = [Int64?](repeating: nil, count: 5)
  private(set) var count = 0

  mutating func add(_ id: RecordID, _ time: Timestamp, _ location: LocationRecord) {
    let differences: [Int64?] = [
      id.rawValue, time.milliseconds, Int64(location.coordinate.latitudeE7),
      Int64(location.coordinate.longitudeE7), Self.rounded(location.altitudeMillimetres, by: 100),
    ]
    for (index, value) in differences.enumerated() {
      append(value.map { $0 &- (previous[index] ?? 0) }, to: index)
      previous[index] = value ?? previous[index]
    }
    let course = location.courseMillidegrees.flatMap { $0 < 0 ? nil : Self.rounded($0, by: 100) }
    let accuracy = location.horizontalAccuracyMillimetres.flatMap { $0 < 0 ? nil : $0 }
    let speed = location.speedMillimetresPerSecond.flatMap { $0 < 0 ? nil : $0 }
    append(Self.rounded(speed, by: 10), to: 5)
    append(course.map { $0 % 3600 }, to: 6)
    append(Self.rounded(accuracy, by: 100), to: 7)
    append(Self.motionOrder.first { location.motion.contains($0.state) }?.index ?? 0, to: 8)
    append(FixKind.allCases.firstIndex(of: location.fixKind).map(Int64.init), to: 9)
    append(location.reasons.first.map { Int64($0.rawValue.trailingZeroBitCount) }, to: 10)
    append(location.batteryPercent.map(Int64.init), to: 11)
    count += 1
  }

  /// Returns the chunk as a JSON object, and begins the next one.
  mutating func flush() -> [UInt8] {
    var text: [UInt8] = []
    for (index, name) in Self.names.enumerated() {
      text.append(index == 0 ? "{\"" : ",\"")
      text.append(name)
      text.append("\":[")
      text += columns[index]
      text.append("]")
    }
    text.append("}")
    self = TrackColumns()
    return text
  }

  private mutating func append(_ value: Int64?, to column: Int) {
    if count > 0 { columns[column].append(",") }
    columns[column].append(optional: value)
  }

  /// A value in a larger unit, rounded half away from zero.
  private static func rounded(_ value: Int32?, by unit: Int64) -> Int64? {
    value.map { (Int64($0) + ($0 < 0 ? -unit / 2 : unit / 2)) / unit }
  }
}
