import PostgreSQL
import Quantities

/// A list of the fleet, as a table for people or as JSON.
public struct FleetReport: Sendable {
  /// A column: its title, which is the key in JSON, and its SQL.
  struct Column: Sendable {
    var title: String
    var sql: String
    var isTime = false
    /// True for a time that is written with microseconds, so that it is the same when it is read again.
    var isExact = false

    init(_ title: String, _ sql: String? = nil, isTime: Bool = false, isExact: Bool = false) {
      self.title = title
      self.sql = sql ?? title
      (self.isTime, self.isExact) = (isTime || isExact, isExact)
    }
  }

  /// The rows as text, without titles; nil is unknown.
  public struct Table: Equatable, Sendable {
    public var titles: [String]
    public var rows: [[String?]]
  }

  private let columns: [Column]
  /// The SQL from `FROM` on, with parameters.
  private let source: String
  private let parameters: [FleetParameter]

  init(_ columns: [Column], _ source: String, _ parameters: [FleetParameter] = []) {
    (self.columns, self.source, self.parameters) = (columns, source, parameters)
  }

  /// Reads the rows as text. Times are in ISO 8601 in UTC.
  public func table(_ database: BlockingConnection) throws(PostgresError) -> Table {
    let list = columns.map { column in
      column.isTime
        ? "to_char((\(column.sql)) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')"
        : "(\(column.sql))::text"
    }
    let sql = "SELECT \(list.joined(separator: ", ")) \(source)"
    guard let result = try database.query(sql, parameters.map(\.value)) else {
      return Table(titles: columns.map(\.title), rows: [])
    }
    let rows = (0..<result.rowCount).map { row in columns.indices.map { result.text(row, $0) } }
    return Table(titles: columns.map(\.title), rows: rows)
  }

  /// Reads the rows as a JSON array of objects.
  public func json(_ database: BlockingConnection) throws(PostgresError) -> String {
    let list = columns.map { column in
      let value =
        column.isTime
        ? "to_char((\(column.sql)) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.\(column.isExact ? "US" : "MS")\"Z\"')"
        : column.sql
      return "\(value) AS \"\(column.title)\""
    }
    let sql =
      "SELECT coalesce(json_agg(q), '[]'::json)::text FROM (SELECT \(list.joined(separator: ", ")) \(source)) q"
    return try database.query(sql, parameters.map(\.value))?.text(0, 0) ?? "[]"
  }
}

/// A parameter of a report.
enum FleetParameter: Sendable {
  case text(String?)
  case time(Timestamp?)
  case flag(Bool)

  var value: PostgresParameter {
    switch self {
    case .text(let text): .optional(text)
    case .time(let time): time.map { .time($0) } ?? .null
    case .flag(let flag): .bool(flag)
    }
  }
}

extension FleetReport {
  /// The devices, silent ones first. Nil and false select all.
  public static func devices(
    cohort: String? = nil, state: String? = nil, version: String? = nil, isNotAsDesired: Bool = false
  ) -> FleetReport {
    FleetReport(
      [
        Column("device", "v.device"), Column("cohort", "v.cohort"), Column("state", "v.state"),
        Column("last_seen", "v.last_seen", isTime: true),
        Column("next_contact", "v.next_contact", isTime: true),
        Column("version", "v.version"), Column("battery_percent", "v.battery_percent"),
        Column("days_left", "round(v.days_left)"), Column("queued_records", "v.queued_records"),
        Column("probable_reason", "s.probable_reason"),
      ],
      """
      FROM fleet.device v LEFT JOIN fleet.silent_device s ON s.device = v.device
      WHERE ($1::text IS NULL OR v.cohort = $1) AND ($2::text IS NULL OR v.state = $2)
        AND ($3::text IS NULL OR v.version = $3) AND (NOT $4::bool OR NOT v.is_as_desired)
      ORDER BY array_position(ARRAY['silent', 'due', 'never', 'ok', 'disabled'], v.state), v.last_seen, v.device
      """, [.text(cohort), .text(state), .text(version), .flag(isNotAsDesired)])
  }

  /// What is known of one device, one value a row.
  public static func device(_ name: String) -> FleetReport {
    FleetReport(
      [Column("key", "j.key"), Column("value", "j.value")],
      """
      FROM fleet.device v LEFT JOIN fleet.silent_device s ON s.device = v.device
      CROSS JOIN LATERAL (SELECT e.key, e.value #>> '{}' AS value, e.n FROM jsonb_each(
        jsonb_strip_nulls(to_jsonb(v) || jsonb_build_object('probable_reason', s.probable_reason)))
        WITH ORDINALITY AS e(key, value, n)
        UNION ALL SELECT 'report.' || r.key, r.value #>> '{}', 1000 + r.n
        FROM outrider.device d JOIN outrider.device_state x ON x.device = d.id,
          jsonb_each(x.report) WITH ORDINALITY AS r(key, value, n)
        WHERE d.name = v.device AND jsonb_typeof(x.report) = 'object') j
      WHERE v.device = $1::text ORDER BY j.n
      """, [.text(name)])
  }

  /// The events of a device in a period.
  public static func events(_ name: String, from: Timestamp?, to: Timestamp?) -> FleetReport {
    FleetReport(
      [
        Column("time", isTime: true), Column("kind"), Column("detail"), Column("value"), Column("fields"),
      ],
      """
      FROM fleet.event WHERE device = $1::text AND time >= coalesce($2::timestamptz, now() - interval '7 days')
        AND time < coalesce($3::timestamptz, 'infinity') ORDER BY time, id
      """, [.text(name), .time(from), .time(to)])
  }

  /// The outcomes of settings, of one device or of all.
  public static func settings(of name: String?) -> FleetReport {
    FleetReport(
      [
        Column("device"), Column("key"), Column("value"), Column("outcome"), Column("reason"),
        Column("time", isTime: true),
      ], "FROM fleet.setting WHERE $1::text IS NULL OR device = $1 ORDER BY device, key", [.text(name)])
  }

  /// The values that are desired.
  public static let desired = FleetReport(
    [
      Column("scope"), Column("name"), Column("key"), Column("value"), Column("note"),
      Column("changed", isTime: true), Column("changed_by"),
    ], "FROM outrider.desired_setting ORDER BY scope, name, key")

  /// The last questions to a device, newest first.
  public static func questions(to name: String, withAnswers: Bool = true) -> FleetReport {
    FleetReport(
      [
        Column("id"), Column("what"), Column("asked", isTime: true), Column("answered", isTime: true),
        Column("outcome"),
      ] + (withAnswers ? [Column("answer")] : [Column("reason", "answer ->> 'reason'")]),
      "FROM fleet.question WHERE device = $1::text ORDER BY id DESC LIMIT 10", [.text(name)])
  }

  /// The gaps in the last answer of a device.
  public static func answeredGaps(of name: String) -> FleetReport {
    answered("gaps", ["from", "to", "reason"], of: name)
  }

  /// The findings in the last answer of a device.
  public static func answeredFindings(of name: String) -> FleetReport {
    answered("findings", ["check", "result", "meaning"], of: name)
  }

  /// The elements of a list in the last answer; none if there is no list.
  private static func answered(_ list: String, _ keys: [String], of name: String) -> FleetReport {
    FleetReport(
      keys.map { Column($0, "e.value ->> '\($0)'") },
      """
      FROM (SELECT q.answer -> '\(list)' AS list FROM fleet.question q
        WHERE q.device = $1::text AND q.answered IS NOT NULL ORDER BY q.id DESC LIMIT 1) a
      CROSS JOIN LATERAL jsonb_array_elements(
        CASE WHEN jsonb_typeof(a.list) = 'array' THEN a.list ELSE '[]' END) WITH ORDINALITY AS e (value, number)
      ORDER BY e.number
      """, [.text(name)])
  }

  /// The versions whose settings are known, with the number of their devices.
  public static let schemas = FleetReport(
    [
      Column("version", "v.version"), Column("settings", "jsonb_array_length(v.schema -> 'settings')"),
      Column("devices", "(SELECT count(*) FROM outrider.device_state s WHERE s.version = v.version)"),
    ], "FROM outrider.settings_schema v ORDER BY v.version")

  /// The periods that were erased, in the form that ``FleetOperations/applyErasures(_:)`` reads.
  public static let erasures = FleetReport(
    [
      Column("device"), Column("unique_id"), Column("from", "from_time", isExact: true),
      Column("to", "to_time", isExact: true), Column("time", isExact: true), Column("rows"),
      Column("done_by"),
    ], "FROM outrider.erasure ORDER BY time")

  /// The record numbers for which each log of a device is accounted.
  public static func logs(of name: String) -> FleetReport {
    FleetReport(
      [
        Column("log", "l.log"), Column("first_seen", "l.first_seen", isTime: true),
        Column("from", "lower(r)"), Column("through", "upper(r) - 1"),
      ],
      """
      FROM outrider.device_log l JOIN outrider.device d ON d.id = l.device, unnest(l.records) AS r
      WHERE d.name = $1::text ORDER BY l.first_seen, lower(r)
      """, [.text(name)])
  }
}
