import Database
import Quantities
import System

/// The table `features`: every Feature once, durable when ``store(_:receivedAt:)`` returns.
struct FeatureTable {
  let connection: Connection
  /// The identity of the open file; nil if unknown.
  private let file: FileIdentity?

  /// Opens or creates the file and brings its tables up to date.
  init(path: String) throws(DatabaseError) {
    connection = try Connection(path: path)
    try connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    try connection.migrate(CollectorSchema.migrations)
    file = FileIdentity(path)
  }

  /// True if the file is at its path. If it was deleted or replaced, data goes to a file without a name.
  var isInPlace: Bool { file != nil && FileIdentity(connection.path) == file }

  private static let insertion = """
    INSERT INTO features (hash, received_ms, time_ms, latitude_e7, longitude_e7, kind, device_id, altitude_m,
      speed_mps, course_deg, horizontal_accuracy_m, vertical_accuracy_m, motion, battery_state, battery_level,
      body)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (hash) DO NOTHING
    """

  /// Stores all of `features` or, if it throws, none. Features that exist already are unchanged.
  ///
  /// - Returns: the number of new Features.
  func store(_ features: [Feature], receivedAt: Timestamp) throws(DatabaseError) -> Int {
    try connection.transaction { () throws(DatabaseError) -> Int in
      var saved: Int64 = 0
      let statement = try connection.statement(Self.insertion)
      for feature in features {
        try statement.run([
          .blob(feature.hash), .integer(receivedAt.milliseconds), .optional(feature.time?.milliseconds),
          .optional(feature.latitudeE7), .optional(feature.longitudeE7), .text(feature.kind.rawValue),
          Self.text(feature.deviceID), Self.real(feature.altitudeMetres),
          Self.real(feature.speedMetresPerSecond), Self.real(feature.courseDegrees),
          Self.real(feature.horizontalAccuracyMetres), Self.real(feature.verticalAccuracyMetres),
          Self.text(feature.motion), Self.text(feature.batteryState), Self.real(feature.batteryLevel),
          .text(feature.text),
        ])
        saved += connection.changes
      }
      return Int(saved)
    }
  }

  private static let selection = """
    SELECT time_ms, latitude_e7, longitude_e7 FROM features
    WHERE kind = 'location' AND time_ms >= ?1 AND time_ms < ?2
      AND latitude_e7 IS NOT NULL AND longitude_e7 IS NOT NULL AND (?3 IS NULL OR device_id = ?3)
    ORDER BY time_ms, rowid LIMIT ?4
    """

  /// Returns at most `limit` locations of a time span, in order of time.
  func points(
    in span: Range<Timestamp>, deviceID: String?, limit: Int
  ) throws(DatabaseError) -> [TrackPoint] {
    let statement = try connection.statement(Self.selection)
    try statement.bind([
      .integer(span.lowerBound.milliseconds), .integer(span.upperBound.milliseconds), Self.text(deviceID),
      .integer(Int64(limit)),
    ])
    defer { statement.reset() }
    var points: [TrackPoint] = []
    while try statement.step() {
      guard let time = statement[0].integer, let latitude = statement[1].integer,
        let longitude = statement[2].integer
      else { continue }
      points.append(
        TrackPoint(time: Timestamp(milliseconds: time), latitudeE7: latitude, longitudeE7: longitude))
    }
    return points
  }

  private static func real(_ value: Double?) -> ColumnValue { value.map { .real($0) } ?? .null }

  private static func text(_ value: String?) -> ColumnValue { value.map { .text($0) } ?? .null }
}
