import PostgreSQL
import Quantities

/// What operators do to devices, tokens and settings, for command-line tools. The functions of the schema `fleet` do the
/// same from SQL.
public struct FleetOperations {
  /// The roles of tokens that belong to no device.
  public enum Role: String, CaseIterable, Sendable {
    case enrol, read
    case operate = "operator"
  }

  /// The devices for which a setting is desired.
  public enum Scope: Equatable, Sendable {
    case all
    case cohort(String)
    case device(String)

    fileprivate var parameters: [PostgresParameter] {
      switch self {
      case .all: [.text("all"), .text("")]
      case .cohort(let name): [.text("cohort"), .text(name)]
      case .device(let name): [.text("device"), .text(name)]
      }
    }
  }

  private let database: BlockingConnection

  public init(_ database: BlockingConnection) { self.database = database }

  // MARK: Tokens

  /// Creates a token that belongs to no device. Only the returned secret shows it.
  public func createToken(
    _ role: Role, cohort: String? = nil, expires: Timestamp? = nil
  ) throws(PostgresError) -> TokenSecret {
    let secret = TokenSecret.random()
    try database.query(
      "INSERT INTO outrider.token (hash, role, cohort, expires) VALUES ($1::bytea, $2::text, $3::text, $4::timestamptz)",
      [.bytes(secret.hash), .text(role.rawValue), .optional(cohort), expires.map { .time($0) } ?? .null])
    return secret
  }

  /// Creates a device, and returns its token. Fails if the name is taken.
  public func createDevice(_ name: String, cohort: String = "all") throws(PostgresError) -> TokenSecret {
    let secret = TokenSecret.random()
    try database.query(
      """
      WITH d AS (INSERT INTO outrider.device (name, cohort) VALUES ($1::text, $2::text) RETURNING id)
      INSERT INTO outrider.token (hash, role, device) SELECT $3::bytea, 'device', id FROM d
      """, [.text(name), .text(cohort), .bytes(secret.hash)])
    return secret
  }

  /// Permits a device once more to use its enrolment token; false if there is no such device.
  public func allowRenewal(of name: String) throws(PostgresError) -> Bool {
    try changed("SELECT fleet.allow_renewal($1::text)", [.text(name)])
  }

  // MARK: Devices

  /// False if there is no such device.
  public func setEnabled(_ isEnabled: Bool, device name: String) throws(PostgresError) -> Bool {
    try changed("SELECT fleet.set_enabled($1::text, $2::bool)", [.text(name), .bool(isEnabled)])
  }

  /// False if there is no such device. Fails if the new name is taken.
  public func rename(_ name: String, to newName: String) throws(PostgresError) -> Bool {
    try changed("SELECT fleet.rename($1::text, $2::text)", [.text(name), .text(newName)])
  }

  /// False if there is no such device.
  public func move(_ name: String, toCohort cohort: String) throws(PostgresError) -> Bool {
    try changed("SELECT fleet.move($1::text, $2::text)", [.text(name), .text(cohort)])
  }

  /// Deletes the records of a device from a time (included) to a time (excluded), and returns their number; nil if there
  /// is no such device. Records of the period that arrive later are not stored.
  public func erase(
    _ name: String, from: Timestamp? = nil, to: Timestamp? = nil
  ) throws(PostgresError) -> Int64? {
    let times: [PostgresParameter] = [from, to].map { $0.map { .time($0) } ?? .null }
    return try database.query(
      "SELECT fleet.erase($1::text, $2::timestamptz, $3::timestamptz)", [.text(name)] + times)?.integer(0, 0)
  }

  /// Erases the periods of a list again, as `fleet erasures --json` prints it, after a backup was restored. Returns the
  /// number of deleted records. Periods that the database knows are left as they are.
  public func applyErasures(_ json: String) throws(PostgresError) -> Int64 {
    try database.query("SELECT fleet.apply_erasures($1::jsonb)", [.json(json)])?.integer(0, 0) ?? 0
  }

  /// Asks a device `position`, `report`, `why` or `doctor`, in place of a question that it has not answered. Returns the
  /// number of the question; nil if there is no such device.
  public func ask(_ name: String, _ what: String) throws(PostgresError) -> Int64? {
    try database.query("SELECT fleet.ask($1::text, $2::text)", [.text(name), .text(what)])?.integer(0, 0)
  }

  // MARK: Settings

  /// Makes a value desired. `value` is JSON. Fails if there is no such device.
  public func setDesired(
    _ key: String, _ value: String, for scope: Scope, note: String = ""
  ) throws(PostgresError) {
    try database.query(
      "SELECT fleet.set_desired($1::text, $2::text, $3::text, $4::jsonb, $5::text)",
      scope.parameters + [.text(key), .json(value), .text(note)])
  }

  /// Makes a key no longer desired; false if it was not.
  public func clearDesired(_ key: String, for scope: Scope) throws(PostgresError) -> Bool {
    try changed("SELECT fleet.clear_desired($1::text, $2::text, $3::text)", scope.parameters + [.text(key)])
  }

  /// The versions that the devices of a scope have reported, with the number of devices; nil for devices without a report.
  public func versions(
    for scope: Scope
  ) throws(PostgresError) -> [(version: String?, devices: Int64)] {
    let rows = try database.query(
      """
      SELECT s.version, count(*) FROM outrider.device d LEFT JOIN outrider.device_state s ON s.device = d.id
      WHERE CASE $1::text WHEN 'device' THEN d.name = $2::text WHEN 'cohort' THEN d.cohort = $2 ELSE true END
      GROUP BY 1 ORDER BY 1 NULLS LAST
      """, scope.parameters)
    guard let rows else { return [] }
    return (0..<rows.rowCount).map { (rows.text($0, 0), rows.integer($0, 1) ?? 0) }
  }

  /// The settings of a version, as text of `outrider settings --json`; nil if they are unknown.
  public func settingsSchema(of version: String) throws(PostgresError) -> String? {
    try database.query(
      "SELECT schema::text FROM outrider.settings_schema WHERE version = $1::text", [.text(version)])?
      .text(0, 0)
  }

  /// Stores the settings of a version. False if the same are stored already.
  public func storeSettingsSchema(_ json: String, of version: String) throws(PostgresError) -> Bool {
    try changed(
      """
      INSERT INTO outrider.settings_schema AS s (version, schema) VALUES ($1::text, $2::jsonb)
      ON CONFLICT (version) DO UPDATE SET schema = excluded.schema WHERE s.schema <> excluded.schema RETURNING true
      """, [.text(version), .json(json)])
  }

  private func changed(_ sql: String, _ parameters: [PostgresParameter]) throws(PostgresError) -> Bool {
    try database.query(sql, parameters)?.bool(0, 0) == true
  }
}
