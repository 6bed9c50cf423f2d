import Database

/// The tables and views of the log.
///
/// The views are a promise to other programs; the tables are not. No table but `record` is touched by an
/// ordinary commit, for each page that a commit touches costs flash.
enum LogSchema {
  /// Bytes; also what the salvage reads, so it is fixed. The smallest page that holds the longest event: groups of
  /// ten records write 544 bytes a record with it, 793 with pages of 4 kB.
  static let pageSize = 1024

  static let migrations = [
    Migration("the log", sql: tables),
    Migration("views for other programs", sql: views),
    Migration("notes for the next start", sql: notes),
    Migration("gpsd among the sources of an accuracy", sql: "DROP VIEW location;" + locationView),
  ]

  /// Settings of a connection that writes.
  static func prepare(_ connection: Connection) throws(DatabaseError) {
    try connection.execute(
      """
      PRAGMA page_size = \(pageSize);
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA cache_size = -512;
      PRAGMA temp_store = MEMORY;
      PRAGMA mmap_size = 0;
      PRAGMA wal_autocheckpoint = \(walLimit / pageSize);
      PRAGMA journal_size_limit = \(walLimit);
      """)
  }

  /// Bytes of the write-ahead log at which it is played into the file, and what is left of it then.
  static let walLimit = 4_194_304

  private static let tables = """
    CREATE TABLE record (
      id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, boot INTEGER NOT NULL, moment_ns INTEGER NOT NULL,
      time_ms INTEGER, time_quality INTEGER NOT NULL, late INTEGER NOT NULL,
      latitude_e7 INTEGER, longitude_e7 INTEGER, altitude_mm INTEGER, speed_mmps INTEGER, course_mdeg INTEGER,
      horizontal_accuracy_mm INTEGER, vertical_accuracy_mm INTEGER, speed_accuracy_mmps INTEGER,
      course_accuracy_mdeg INTEGER, accuracy_source INTEGER, fix INTEGER, satellites INTEGER, motion INTEGER,
      battery_state INTEGER, battery_percent INTEGER, wifi TEXT, device_id TEXT,
      event TEXT, detail TEXT, value INTEGER, crc INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE late (id INTEGER PRIMARY KEY) STRICT;
    CREATE TABLE gap (first INTEGER PRIMARY KEY, last INTEGER NOT NULL, crc INTEGER NOT NULL) STRICT;
    CREATE TABLE cursor (
      destination TEXT PRIMARY KEY NOT NULL, version INTEGER NOT NULL, acknowledged INTEGER NOT NULL,
      border INTEGER, late_acknowledged INTEGER NOT NULL, late_border INTEGER, batch_size INTEGER NOT NULL,
      crc INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE boot (
      number INTEGER PRIMARY KEY, boot_id TEXT NOT NULL, first_id INTEGER NOT NULL, offset_ms INTEGER,
      quality INTEGER NOT NULL, crc INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE state (key TEXT PRIMARY KEY NOT NULL, value INTEGER NOT NULL, crc INTEGER NOT NULL) STRICT;
    PRAGMA application_id = 0x4F757472;
    """

  private static let notes =
    "CREATE TABLE note (key TEXT PRIMARY KEY NOT NULL, text TEXT NOT NULL, crc INTEGER NOT NULL) STRICT;"

  private static let views = locationView + eventView

  private static let locationView = """
    CREATE VIEW location AS SELECT
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
      satellites,
      CASE battery_state WHEN 0 THEN 'unknown' WHEN 1 THEN 'charging' WHEN 2 THEN 'full'
        WHEN 3 THEN 'unplugged' END AS battery_state,
      battery_percent, wifi, device_id,
      CASE accuracy_source WHEN 0 THEN 'none' WHEN 1 THEN 'dilution' WHEN 2 THEN 'error ellipse'
        WHEN 3 THEN 'receiver' WHEN 4 THEN 'gpsd' END AS accuracy_source,
      CASE time_quality WHEN 0 THEN 'none' WHEN 1 THEN 'saved' WHEN 2 THEN 'clock chip'
        WHEN 3 THEN 'network' WHEN 4 THEN 'receiver' END AS time_quality,
      boot, moment_ns / 1000000 AS moment_ms
    FROM record WHERE kind = 0 ORDER BY id;
    """

  private static let eventView = """
    CREATE VIEW event AS SELECT
      id, time_ms AS time, event AS kind, detail, value, boot, moment_ns / 1000000 AS moment_ms
    FROM record WHERE kind = 1 ORDER BY id;
    """
}
