/// The views of the records, with names, units and order of the device's own views, without `boot` and `moment_ms`, with
/// `device` first and `received` last. Times are `timestamptz`.
enum FleetRecordViews {
  static let sql = """
    CREATE VIEW fleet.location AS SELECT \(identity),
      r.latitude_e7 / 1e7::float8 AS latitude, r.longitude_e7 / 1e7::float8 AS longitude,
      r.altitude_mm / 1e3::float8 AS altitude_m, r.speed_mmps / 1e3::float8 AS speed_mps,
      r.course_mdeg / 1e3::float8 AS course_deg, r.horizontal_accuracy_mm / 1e3::float8 AS horizontal_accuracy_m,
      r.vertical_accuracy_mm / 1e3::float8 AS vertical_accuracy_m,
      outrider.words(r.motion, 'walking', 'running', 'cycling', 'driving', 'stationary') AS motion,
      r.speed_accuracy_mmps / 1e3::float8 AS speed_accuracy_mps,
      r.course_accuracy_mdeg / 1e3::float8 AS course_accuracy_deg,
      (ARRAY['none', '2D', '3D', 'differential', 'RTK float', 'RTK fixed', 'dead reckoning'])[r.fix + 1] AS fix,
      r.satellites, \(state),
      (ARRAY['none', 'dilution', 'error ellipse', 'receiver', 'gpsd', 'wifi zone'])[r.accuracy_source + 1]
        AS accuracy_source,
      (ARRAY['none', 'saved', 'clock chip', 'network', 'receiver'])[r.time_quality + 1] AS time_quality,
      r.trip AS trip_start_time, r.steps,
      outrider.words(r.reasons, 'event', 'transition', 'period', 'distance', 'angle', 'speed', 'ceiling', 'beginning')
        AS reasons,
      r.hdop_tenths / 10::float8 AS hdop, \(received)
    FROM outrider.location r JOIN outrider.device d ON d.id = r.device;
    CREATE VIEW fleet.event AS SELECT \(identity), r.kind, r.detail, r.value, r.fields, \(received)
    FROM outrider.event r JOIN outrider.device d ON d.id = r.device;
    CREATE VIEW fleet.visit AS SELECT \(identity), r.arrival_time, r.departure_time,
      r.latitude_e7 / 1e7::float8 AS latitude, r.longitude_e7 / 1e7::float8 AS longitude,
      r.horizontal_accuracy_mm / 1e3::float8 AS horizontal_accuracy_m, r.radius_mm / 1e3::float8 AS radius_m,
      \(state), \(received)
    FROM outrider.visit r JOIN outrider.device d ON d.id = r.device;
    CREATE VIEW fleet.trip AS SELECT \(identity), r.start_time, r.end_time, r.mode,
      r.duration_ms / 1e3::float8 AS duration_s, r.distance_mm / 1e3::float8 AS distance_m, r.steps,
      r.start_latitude_e7 / 1e7::float8 AS start_latitude, r.start_longitude_e7 / 1e7::float8 AS start_longitude,
      r.end_latitude_e7 / 1e7::float8 AS end_latitude, r.end_longitude_e7 / 1e7::float8 AS end_longitude,
      r.is_manual, r.ending, \(state), r.is_reconstructed AS reconstructed, \(received)
    FROM outrider.trip r JOIN outrider.device d ON d.id = r.device;
    CREATE VIEW fleet.action AS SELECT \(identity), r.action, r.latitude_e7 / 1e7::float8 AS latitude,
      r.longitude_e7 / 1e7::float8 AS longitude, \(state), \(received)
    FROM outrider.action r JOIN outrider.device d ON d.id = r.device;

    """

  private static let identity = "d.name AS device, r.record AS id, r.time"

  private static let state = """
    (ARRAY['unknown', 'charging', 'full', 'unplugged'])[r.battery_state + 1] AS battery_state, r.battery_percent,
      coalesce(r.wifi, '') AS wifi, coalesce(r.extra ->> 'device_id', d.name) AS device_id
    """

  private static let received = "r.time + make_interval(secs => r.received_s) AS received"
}
