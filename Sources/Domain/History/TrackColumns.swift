import Quantities

/// Points of a track as columns of whole numbers, for `GET /track`.
package struct TrackColumns {
  /// One point; nil is unknown.
  package struct Point {
    package var id: Int64
    /// Milliseconds since 1970.
    package var time: Int64
    package var coordinate: Coordinate
    /// Decimetres.
    package var altitude: Int64?
    /// cm/s, not negative.
    package var speed: Int64?
    /// Tenths of a degree, 0..<3600.
    package var course: Int64?
    /// Decimetres, not negative.
    package var accuracy: Int64?
    /// Index into ``TrackColumns/motions``.
    package var motion: Int64 = 0
    /// Index into the kinds of fix of the response.
    package var fix: Int64?
    /// Index into the keep reasons of the response.
    package var kept: Int64?
    /// Percent.
    package var battery: Int64?

    package init(id: Int64, time: Timestamp, coordinate: Coordinate) {
      (self.id, self.time, self.coordinate) = (id, time.milliseconds, coordinate)
    }
  }

  /// Limit of the points of one chunk.
  private static let longest = 500

  private static let names: [StaticString] = [
    "id", "t", "lat", "lon", "alt", "spd", "crs", "acc", "mot", "fix", "kept", "bat",
  ]
  /// The motion states by index, with the word of servers for a vehicle.
  package static let motions = ["unknown", "stationary", "walking", "running", "cycling", "automotive"]

  private var columns = [[UInt8]](repeating: [], count: names.count)
  /// The last known values of the columns that are differences.
  private var previous = [Int64?](repeating: nil, count: 5)
  /// The points of the present chunk.
  private var count = 0
  /// True once a chunk was written.
  private var hasChunk = false

  package init() {}

  /// Adds a point; appends the chunk to `text` when it is full.
  package mutating func add(_ point: Point, to text: inout [UInt8]) {
    let differences: [Int64?] = [
      point.id, point.time, Int64(point.coordinate.latitudeE7), Int64(point.coordinate.longitudeE7),
      point.altitude,
    ]
    for (index, value) in differences.enumerated() {
      append(value.map { $0 &- (previous[index] ?? 0) }, to: index)
      previous[index] = value ?? previous[index]
    }
    let others = [
      point.speed, point.course, point.accuracy, point.motion, point.fix, point.kept, point.battery,
    ]
    for (index, value) in others.enumerated() { append(value, to: index + differences.count) }
    count += 1
    if count >= Self.longest { finish(to: &text) }
  }

  /// Appends the chunk as a JSON object, with a comma after an earlier one, and begins the next one. Without points this has
  /// no effect.
  package mutating func finish(to text: inout [UInt8]) {
    guard count > 0 else { return }
    if hasChunk { text.append(",\n") }
    for (index, name) in Self.names.enumerated() {
      text.append(index == 0 ? "{\"" : ",\"")
      text.append(name)
      text.append("\":[")
      text += columns[index]
      text.append("]")
    }
    text.append("}")
    self = TrackColumns()
    hasChunk = true
  }

  private mutating func append(_ value: Int64?, to column: Int) {
    if count > 0 { columns[column].append(",") }
    columns[column].append(optional: value)
  }
}
