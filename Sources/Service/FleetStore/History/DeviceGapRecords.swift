import PostgreSQL
import Quantities
import Records

/// The records of a device from which the gaps of a period are found, in the order of its log: locations without their
/// other columns, events that explain gaps, and reconstructed trips.
///
/// They are those of ``DeviceHistory`` from ``DeviceLead`` on, but read by one statement, and up to the end of the last gap
/// and its reasons.
public enum DeviceGapRecords {
  /// The locations and events before the period that show reasons that are still in force.
  private static let leading = 500
  /// The numbers before the last record among which the last location counts.
  private static let reach = 5000
  /// Limit of the events of a period.
  private static let mostEvents = 20_000
  /// The time after the end of a gap in which its reasons may be reported.
  private static let afterEnd = 660

  /// The kinds of events that can explain a gap.
  private static let kinds: [String] = EventKind.allCases.filter { kind in
    switch kind.definition.gap {
    case .unrelated: false
    case .context, .cause, .causeAtStart: true
    }
  }.map(\.rawValue)

  /// The statement for at most `limit` locations after a time and record, up to `to`.
  public static func command(
    device name: String, after: Timestamp, _ record: Int64, to: Timestamp, limit: Int
  ) -> PostgresCommand {
    let kinds = ArrayColumn(.text)
    for kind in Self.kinds { kinds.append(kind) }
    return PostgresCommand(
      sql,
      [.text(name), .time(after), .int8(record), .time(to), .array(kinds), .int8(Int64(limit))])
  }

  /// The time of the newest location or event of a device, as one row.
  public static func newest(device name: String) -> PostgresCommand {
    PostgresCommand(
      """
      SELECT greatest((SELECT max(time) FROM outrider.location WHERE device = d.id),
        (SELECT max(time) FROM outrider.event WHERE device = d.id)) FROM outrider.device d WHERE d.name = $1::text
      """, [.text(name)])
  }

  private static let location = """
    'location' AS kind, coalesce(r.log, 0) AS log, r.record, r.time, r.latitude_e7, r.longitude_e7, NULL::text AS event,
      NULL::text AS detail, NULL::bigint AS value, NULL::text AS fields, NULL::timestamptz AS start, NULL::timestamptz AS stop,
      NULL::bigint AS distance FROM outrider.location r
    """
  private static let event = """
    'event', coalesce(r.log, 0), r.record, r.time, NULL, NULL, r.kind, r.detail, r.value, r.fields::text, NULL, NULL, NULL
      FROM outrider.event r
    """
  private static let trip = """
    'trip', coalesce(r.log, 0), r.record, r.time, NULL, NULL, NULL, NULL, NULL, NULL, r.start_time, r.end_time, r.distance_mm
      FROM outrider.trip r
    """

  private static let sql = """
    WITH d AS MATERIALIZED (SELECT id FROM outrider.device WHERE name = $1::text),
    before AS MATERIALIZED (
      (SELECT \(location) WHERE r.device = (SELECT id FROM d) AND r.time <= $2::timestamptz
        AND (r.time, r.record) <= ($2, $3::int8) ORDER BY r.time DESC, r.record DESC LIMIT \(leading + 1))
      UNION ALL (SELECT \(event) WHERE r.device = (SELECT id FROM d) AND r.time <= $2 AND r.kind = ANY ($5::text[])
        ORDER BY r.time DESC, r.record DESC LIMIT \(2 * leading))),
    start AS (SELECT log, record FROM before ORDER BY time DESC, record DESC LIMIT 1),
    last AS (SELECT log, record FROM before WHERE kind = 'location' ORDER BY time DESC, record DESC LIMIT 1),
    lead AS (SELECT start.log, start.record < 0 OR coalesce(last.record < 0, false) AS is_unnumbered,
        coalesce(last.record, start.record) AS seed,
        least(CASE WHEN last.log = start.log AND start.record - last.record < \(reach) THEN last.record END, start.record)
          - \(leading) AS first
      FROM start LEFT JOIN last ON true),
    inside AS MATERIALIZED (SELECT \(location) WHERE r.device = (SELECT id FROM d) AND r.time >= $2
      AND (r.time, r.record) > ($2, $3) AND r.time <= $4::timestamptz ORDER BY r.time, r.record LIMIT $6::int8),
    bounds AS MATERIALIZED (SELECT CASE WHEN count(*) < $6 THEN $4 ELSE max(time) END AS stop FROM inside),
    beyond AS MATERIALIZED (SELECT \(location) WHERE r.device = (SELECT id FROM d) AND r.time > (SELECT stop FROM bounds)
      ORDER BY r.time, r.record LIMIT 1),
    until AS MATERIALIZED (SELECT coalesce((SELECT time + interval '\(afterEnd) s' FROM beyond), 'infinity') AS time)
    SELECT * FROM (
      SELECT b.* FROM before b, lead WHERE CASE WHEN is_unnumbered THEN b.kind = 'location' AND b.record = seed
        ELSE b.log = lead.log AND b.record > first END
      UNION ALL SELECT * FROM inside
      UNION ALL SELECT * FROM beyond
      UNION ALL (SELECT \(event) WHERE r.device = (SELECT id FROM d) AND r.time > $2 AND r.time <= (SELECT time FROM until)
        AND r.kind = ANY ($5) ORDER BY r.time, r.record LIMIT \(mostEvents))
      UNION ALL (SELECT \(trip) WHERE r.device = (SELECT id FROM d) AND r.time > $2 AND r.time <= (SELECT time FROM until)
        AND r.is_reconstructed ORDER BY r.time, r.record LIMIT \(mostEvents))) AS r
    ORDER BY log, CASE WHEN record < 0 THEN extract(epoch FROM time) ELSE record END, record, time
    """

  /// The records of the rows; rows that this version cannot read are left out.
  public static func records(_ rows: QueryResult) -> [LogRecord] {
    (0..<rows.rowCount).compactMap { row in
      guard let time = rows.time(row, 3), let body = body(rows, row) else { return nil }
      return LogRecord(moment: .zero, time: time, timeQuality: .receiver, body: body)
    }
  }

  private static func body(_ rows: QueryResult, _ row: Int) -> LogRecord.Body? {
    switch rows.text(row, 0) {
    case "location":
      guard let latitude = rows.integer(row, 4), let longitude = rows.integer(row, 5),
        let coordinate = Coordinate(
          latitudeE7: Int32(clamping: latitude), longitudeE7: Int32(clamping: longitude))
      else { return nil }
      return .location(LocationRecord(coordinate: coordinate, fixKind: .threeDimensional, deviceID: ""))
    case "event":
      guard let kind = rows.text(row, 6).flatMap(EventKind.init(rawValue:)) else { return nil }
      return .event(
        EventRecord(
          kind, detail: rows.text(row, 7) ?? "", value: rows.integer(row, 8),
          fields: rows.text(row, 9).map(EventFieldsReader.fields) ?? [:]))
    default:
      guard let start = rows.time(row, 10), let end = rows.time(row, 11) else { return nil }
      var trip = TripRecord(
        mode: .car, start: .utc(start), end: .utc(end), durationMilliseconds: 0,
        distanceMillimetres: rows.integer(row, 12) ?? 0, isManual: false, ending: .stop,
        device: DeviceState(deviceID: "", batteryState: .unknown, batteryPercent: nil, wifi: ""))
      trip.isReconstructed = true
      return .trip(trip)
    }
  }
}
