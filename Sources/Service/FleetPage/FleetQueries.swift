import PostgreSQL

/// The statements behind the routes. Answers that need no further work are made by the database, as one JSON text.
enum FleetQueries {
  /// The states in the order of the list.
  static let states = ["silent", "due", "ok", "never", "disabled"]
  /// The most cohorts that are listed.
  private static let mostCohorts = 200
  /// The most devices with a position in one answer.
  static let mostPositions = 20_000
  /// The events of a device in its answer.
  private static let mostEvents = 20

  private static let stateList = "ARRAY[\(states.map { "'\($0)'" }.joined(separator: ","))]"

  /// Devices by cohort ($1) and by a part of their name ($2), each NULL for all; `rank` is the place of the state.
  private static let known = """
    SELECT v.device, v.cohort, v.state, v.last_seen, v.latitude, v.longitude,
      array_position(\(stateList), v.state) AS rank
    FROM fleet.device v WHERE ($1::text IS NULL OR v.cohort = $1)
      AND ($2::text IS NULL OR position(lower($2) IN lower(v.device)) > 0)
    """

  /// The reason is asked for the rows of one page only, because it looks at the neighbours of each.
  private static let state = """
    'device', v.device, 'cohort', v.cohort, 'state', v.state, 'reason', CASE WHEN v.state = 'silent' THEN
      (SELECT q.probable_reason FROM fleet.silent_device q WHERE q.device = v.device) END,
    'last_seen', v.last_seen, 'next_contact', v.next_contact, 'overdue_s', CASE WHEN v.state IN ('silent', 'due')
      THEN round(extract(epoch FROM v.overdue)) END, 'battery_percent', v.battery_percent, 'days_left', v.days_left,
    'version', v.version, 'queued_records', v.queued_records, 'latitude', v.latitude, 'longitude', v.longitude,
    'is_as_desired', v.is_as_desired
    """

  /// A page of the list: silent devices first, the last one to fall silent at the top, then by name.
  static func devices(
    cohort: String?, name: String?, state: String?, limit: Int64, offset: Int64
  ) -> PostgresCommand {
    PostgresCommand(
      """
      WITH known AS MATERIALIZED (\(known)),
        chosen AS (SELECT * FROM known WHERE $3::text IS NULL OR state = $3),
        page AS MATERIALIZED (SELECT device, row_number() OVER (ORDER BY rank,
          CASE WHEN rank = 1 THEN last_seen END DESC NULLS LAST, device) AS place
          FROM chosen ORDER BY place LIMIT $4::int8 OFFSET $5::int8)
      SELECT json_build_object(
        'states', (SELECT coalesce(json_object_agg(state, n), '{}')
          FROM (SELECT state, count(*) AS n FROM known GROUP BY state) s),
        'cohorts', (SELECT coalesce(json_agg(cohort), '[]')
          FROM (SELECT DISTINCT cohort FROM outrider.device ORDER BY cohort LIMIT \(mostCohorts)) c),
        'total', (SELECT count(*) FROM chosen),
        'devices', (SELECT coalesce(json_agg(json_strip_nulls(json_build_object(\(Self.state))) ORDER BY page.place), '[]')
          FROM page JOIN fleet.device v USING (device)))::text
      """,
      [.optional(cohort), .optional(name), .optional(state), .int8(limit), .int8(offset)])
  }

  /// The last positions, silent devices first, in columns.
  static func positions(cohort: String?, name: String?, state: String?) -> PostgresCommand {
    PostgresCommand(
      """
      WITH chosen AS MATERIALIZED (SELECT device, latitude, longitude, rank FROM (\(known)) k
        WHERE ($3::text IS NULL OR state = $3) AND latitude IS NOT NULL AND longitude IS NOT NULL),
        shown AS (SELECT * FROM chosen ORDER BY rank, device LIMIT \(mostPositions))
      SELECT json_build_object('states', \(stateList), 'total', (SELECT count(*) FROM chosen),
        'device', coalesce(json_agg(device), '[]'), 'lat', coalesce(json_agg((latitude * 1e7)::int), '[]'),
        'lon', coalesce(json_agg((longitude * 1e7)::int), '[]'), 'state', coalesce(json_agg(rank - 1), '[]'))::text
      FROM shown
      """, [.optional(cohort), .optional(name), .optional(state)])
  }

  /// The time of the last position of a device; no row if there is none of that name.
  static func lastTime(_ name: String) -> PostgresCommand {
    PostgresCommand(
      """
      SELECT s.last_time FROM outrider.device d JOIN outrider.device_state s ON s.device = d.id WHERE d.name = $1::text
      """, [.text(name)])
  }

  /// Everything about one device; no row if there is none of that name. Days are listed if they have a position.
  static func device(_ name: String, _ days: FleetDays) -> PostgresCommand {
    let (names, begins, ends) = (ArrayColumn(.text), ArrayColumn(.timestamptz), ArrayColumn(.timestamptz))
    for day in days.names { names.append(day) }
    for time in days.begins { begins.append(time) }
    for time in days.ends { ends.append(time) }
    return PostgresCommand(
      """
      SELECT json_strip_nulls(json_build_object(\(state), 'report', s.report, 'report_time', s.report_time,
        'last_time', s.last_time,
        'events', (SELECT coalesce(json_agg(json_build_object('time', e.time, 'kind', e.kind, 'text', e.detail)), '[]')
          FROM (SELECT x.time, x.kind, x.detail FROM outrider.event x WHERE x.device = d.id
            AND x.time > now() - interval '31 days' AND x.time < now() + interval '1 day'
            ORDER BY x.time DESC, x.record DESC LIMIT \(mostEvents)) e),
        'days', (SELECT coalesce(json_agg(json_build_object('day', n.day,
            'from', (extract(epoch FROM n.begin) * 1000)::int8, 'to', (extract(epoch FROM n.stop) * 1000)::int8,
            'records', 1) ORDER BY n.day), '[]')
          FROM unnest($2::text[], $3::timestamptz[], $4::timestamptz[]) AS n (day, begin, stop)
          WHERE EXISTS (SELECT FROM outrider.location l WHERE l.device = d.id
            AND l.time >= n.begin AND l.time < n.stop))))::text
      FROM fleet.device v JOIN outrider.device d ON d.name = v.device
      LEFT JOIN outrider.device_state s ON s.device = d.id WHERE v.device = $1::text
      """, [.text(name), .array(names), .array(begins), .array(ends)])
  }
}
