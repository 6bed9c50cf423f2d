/// The views of the log: a stable interface for other programs, with units in the names of the columns.
///
/// Times are UTC in milliseconds since 1970, null while unknown.
enum LogViews {
  /// The view of the first versions; the migrations that created it never change.
  static let firstLocation =
    "CREATE VIEW location AS SELECT \(position), \(origin) FROM record WHERE kind = 0 ORDER BY id;"

  /// The view of locations. The records of one trip share a `trip_start_time`. `hdop` is null for records that are
  /// older than this column.
  static let location = location(further: ", value / 10.0 AS hdop")

  /// The view of versions without `hdop`.
  static let locationWithoutDilution = location(further: "")

  private static func location(further columns: String) -> String {
    """
    CREATE VIEW location AS SELECT
      \(position),
      \(origin),
      iif(trip_ms >= 0, trip_ms, NULL) AS trip_start_time, steps,
      rtrim(
        iif(why & 1, 'event;', '') || iif(why & 2, 'transition;', '') || iif(why & 4, 'period;', '')
        || iif(why & 8, 'distance;', '') || iif(why & 16, 'angle;', '') || iif(why & 32, 'speed;', '')
        || iif(why & 64, 'ceiling;', '') || iif(why & 128, 'beginning;', ''), ';') AS reasons\(columns)
    FROM (SELECT *, ifnull(reasons, 4) AS why FROM record WHERE kind = 0) ORDER BY id;
    """
  }

  /// The view `event`. `fields` is a JSON object of the event's named values; null for events from before this column
  /// was added.
  static let event = event(further: ", fields")

  /// The view `event` of the first versions.
  static let firstEvent = event(further: "")

  private static func event(further columns: String) -> String {
    """
    CREATE VIEW event AS SELECT
      id, time_ms AS time, event AS kind, detail, value, boot, moment_ns / 1000000 AS moment_ms\(columns)
    FROM record WHERE kind = 1 ORDER BY id;
    """
  }

  /// The view of visits: two rows per visit with the same `arrival_time`; the first has no `departure_time`.
  static let visit = """
    CREATE VIEW visit AS SELECT
      id, time_ms AS time, \(instant("arrival")) AS arrival_time, \(instant("departure")) AS departure_time,
      latitude_e7 / 1e7 AS latitude, longitude_e7 / 1e7 AS longitude,
      horizontal_accuracy_mm / 1000.0 AS horizontal_accuracy_m,
      json_extract(detail, '$.radius_mm') / 1000.0 AS radius_m,
      \(device), \(moment)
    FROM record WHERE kind = 2 ORDER BY id;
    """

  /// The view of trips. `reconstructed` is 1 for a trip of which only the two ends are known; its distance is the
  /// straight line.
  static let trip = trip(
    further: ", ifnull(json_extract(detail, '$.reconstructed'), 0) AS reconstructed")

  /// The view of versions without `reconstructed`.
  static let firstTrip = trip(further: "")

  private static func trip(further columns: String) -> String {
    """
    CREATE VIEW trip AS SELECT
      id, time_ms AS time, \(instant("start")) AS start_time, \(instant("end")) AS end_time, event AS mode,
      json_extract(detail, '$.duration_ms') / 1000.0 AS duration_s, value / 1000.0 AS distance_m, steps,
      json_extract(detail, '$.start_place.latitude_e7') / 1e7 AS start_latitude,
      json_extract(detail, '$.start_place.longitude_e7') / 1e7 AS start_longitude,
      latitude_e7 / 1e7 AS end_latitude, longitude_e7 / 1e7 AS end_longitude,
      json_extract(detail, '$.manual') AS is_manual,
      CASE json_extract(detail, '$.ending') WHEN 0 THEN 'asked' WHEN 1 THEN 'rest' WHEN 2 THEN 'ignition'
        WHEN 3 THEN 'no fix' WHEN 4 THEN 'pause' END AS ending,
      \(device), \(moment)\(columns)
    FROM record WHERE kind = 3 ORDER BY id;
    """
  }

  static let action = """
    CREATE VIEW action AS SELECT
      id, time_ms AS time, event AS action, latitude_e7 / 1e7 AS latitude, longitude_e7 / 1e7 AS longitude,
      \(device), \(moment)
    FROM record WHERE kind = 4 ORDER BY id;
    """

  private static let position = """
    id, time_ms AS time, latitude_e7 / 1e7 AS latitude, longitude_e7 / 1e7 AS longitude,
      altitude_mm / 1000.0 AS altitude_m, speed_mmps / 1000.0 AS speed_mps,
      course_mdeg / 1000.0 AS course_deg,
      horizontal_accuracy_mm / 1000.0 AS horizontal_accuracy_m,
      vertical_accuracy_mm / 1000.0 AS vertical_accuracy_m,
      rtrim(
        iif(motion & 1, 'walking;', '') || iif(motion & 2, 'running;', '') || iif(motion & 4, 'cycling;', '')
        || iif(motion & 8, 'driving;', '') || iif(motion & 16, 'stationary;', ''), ';') AS motion,
      speed_accuracy_mmps / 1000.0 AS speed_accuracy_mps,
      course_accuracy_mdeg / 1000.0 AS course_accuracy_deg,
      CASE fix WHEN 0 THEN 'none' WHEN 1 THEN '2D' WHEN 2 THEN '3D' WHEN 3 THEN 'differential'
        WHEN 4 THEN 'RTK float' WHEN 5 THEN 'RTK fixed' WHEN 6 THEN 'dead reckoning' END AS fix,
      satellites
    """

  private static let device = """
    CASE battery_state WHEN 0 THEN 'unknown' WHEN 1 THEN 'charging' WHEN 2 THEN 'full'
        WHEN 3 THEN 'unplugged' END AS battery_state,
      battery_percent, wifi, device_id
    """

  private static let origin = """
    \(device),
      CASE accuracy_source WHEN 0 THEN 'none' WHEN 1 THEN 'dilution' WHEN 2 THEN 'error ellipse'
        WHEN 3 THEN 'receiver' WHEN 4 THEN 'gpsd' WHEN 5 THEN 'wifi zone' END AS accuracy_source,
      CASE time_quality WHEN 0 THEN 'none' WHEN 1 THEN 'saved' WHEN 2 THEN 'clock chip'
        WHEN 3 THEN 'network' WHEN 4 THEN 'receiver' END AS time_quality,
      \(moment)
    """

  private static let moment = "boot, moment_ns / 1000000 AS moment_ms"

  /// The SQL of a time within `detail`; a negative one is not dated yet.
  private static func instant(_ name: String) -> String {
    "iif(json_extract(detail, '$.\(name)') >= 0, json_extract(detail, '$.\(name)'), NULL)"
  }
}
