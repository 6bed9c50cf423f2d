import PostgreSQL

/// The schema of the fleet's database: `outrider` with the tables, which are internal, and `fleet` with views and
/// functions, which are a promise (additions only).
public enum FleetSchema {
  /// A named step. A released step never changes; later changes are new steps.
  private struct Step {
    let name: String
    let sql: String
  }

  private static let steps = [
    Step(name: "0001 tables", sql: FleetTables.sql),
    Step(name: "0002 functions", sql: FleetFunctions.sql),
    Step(name: "0003 views", sql: FleetRecordViews.sql + FleetHealthViews.sql),
    Step(name: "0004 erased periods", sql: FleetErasures.sql),
    Step(name: "0005 enrolment limit", sql: FleetEnrolment.sql),
    Step(name: "0006 questions", sql: FleetQuestions.sql),
    Step(name: "0007 kept bodies", sql: FleetBodies.sql),
    Step(name: "0008 corrections", sql: FleetCorrections.sql),
  ]

  /// The step without which a database is older than this program.
  static var lastStep: String { steps.last?.name ?? "" }

  /// The encoding that a database must have: in another one, not every text can be stored.
  static let encoding = "UTF8"

  /// Fails before anything is made.
  private static let requirement = """
    DO $$ BEGIN
      IF getdatabaseencoding() <> '\(encoding)' THEN
        RAISE EXCEPTION 'the encoding of the database is %, but must be \(encoding); make a new one: '
          'createdb --encoding=\(encoding) --locale=C --template=template0 NAME', getdatabaseencoding();
      END IF;
    END $$;
    """

  /// The role that reads the views.
  public static let readerRole = "outrider_read"

  private static let preparation = """
    BEGIN;
    SELECT pg_advisory_xact_lock(hashtext('outrider.migration'));
    CREATE SCHEMA IF NOT EXISTS outrider;
    CREATE SCHEMA IF NOT EXISTS fleet;
    CREATE TABLE IF NOT EXISTS outrider.migration (name text PRIMARY KEY, done timestamptz NOT NULL DEFAULT now());
    COMMIT;
    """

  /// Users without the right to create roles create it otherwise, or do without it.
  private static let role = """
    SELECT pg_advisory_xact_lock(hashtext('outrider.migration'));
    DO $$ BEGIN
      IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '\(readerRole)') THEN CREATE ROLE \(readerRole) NOLOGIN; END IF;
    EXCEPTION WHEN insufficient_privilege OR duplicate_object OR unique_violation THEN NULL;
    END $$;
    DO $$ BEGIN
      IF EXISTS (SELECT FROM pg_roles WHERE rolname = '\(readerRole)') THEN
        GRANT USAGE ON SCHEMA fleet TO \(readerRole);
        GRANT SELECT ON ALL TABLES IN SCHEMA fleet TO \(readerRole);
      END IF;
    END $$;
    """

  /// Creates the schema, or applies the steps that are missing, each in its own transaction. Returns their names.
  ///
  /// Two programs may do so at the same time. Names of steps that are not known here are those of a newer version.
  @discardableResult
  public static func migrate(_ database: BlockingConnection) throws(PostgresError) -> [String] {
    try database.run(requirement)
    try database.run(preparation)
    var applied: [String] = []
    for step in steps {
      let isNew = try apply(step, database)
      if isNew { applied.append(step.name) }
    }
    try database.run(role)
    return applied
  }

  private static func apply(_ step: Step, _ database: BlockingConnection) throws(PostgresError) -> Bool {
    let known = try database.query(
      "SELECT 1 FROM outrider.migration WHERE name = $1::text", [.text(step.name)])
    guard known?.rowCount == 0 else { return false }
    do throws(PostgresError) {
      // A second program waits at the lock, and then fails at the primary key.
      try database.run(
        """
        BEGIN;
        SELECT pg_advisory_xact_lock(hashtext('outrider.migration'));
        INSERT INTO outrider.migration (name) VALUES ('\(step.name)');
        \(step.sql)
        COMMIT;
        """)
      return true
    } catch {
      guard case .rejected(let answer) = error, answer.state == "23505", answer.detail.contains(step.name)
      else {
        throw error
      }
      return false
    }
  }
}
