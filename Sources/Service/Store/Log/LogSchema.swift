import Database
import Records

/// The tables and views of the log.
///
/// The views are a stable interface for other programs; the tables are not. An ordinary commit changes the table
/// `record` only, because every changed page wears the flash.
enum LogSchema {
  /// Page size in bytes; fixed, because the salvage depends on it.
  ///
  /// It is the smallest page that fits the longest event. Groups of ten records write 544 bytes per record, against
  /// 793 bytes with pages of 4 kB.
  static let pageSize = 1024

  /// The lowest id and boot number that no logger can have reached. A salvage assigns new ids to such records, so that
  /// ids never run out.
  static let firstImplausible = RecordID.highest.rawValue / 2

  static let migrations = [
    Migration("the log", sql: tables),
    Migration("views for other programs", sql: views),
    Migration("notes for the next start", sql: savedStates),
    Migration("gpsd among the sources of an accuracy", sql: "DROP VIEW location;" + locationViewWithGPSD),
    Migration(
      "visits, trips and actions",
      sql: extraColumns + "DROP VIEW location;" + LogViews.locationWithoutDilution + LogViews.visit
        + LogViews.firstTrip
        + LogViews.action),
    Migration(
      "wifi zones among the sources of an accuracy",
      sql: "DROP VIEW location;" + LogViews.locationWithoutDilution),
    Migration("the dilution of a location", sql: "DROP VIEW location;" + LogViews.location),
    Migration("trips that are reconstructed", sql: "DROP VIEW trip;" + LogViews.trip),
    Migration(eventFields, sql: fieldColumns + "DROP VIEW event;" + LogViews.event),
    Migration(placeIndex, sql: "CREATE INDEX place ON record (kind) WHERE \(isPlace);"),
    Migration(heldRecords, sql: heldTable),
  ]

  /// The migrations without which a reader lacks tables or columns.
  static let neededToRead = ["the log", "notes for the next start", "visits, trips and actions"]

  /// The migration that adds the fields of events; a reader can do without.
  static let eventFields = "fields of events"

  /// The migration that adds the index of visits and trips; a reader can do without.
  ///
  /// It has no entry for other records, so their commits write as much as before. A commit with a visit or a trip writes
  /// one page more.
  static let placeIndex = "an index of visits and trips"

  /// The migration that adds the table of held records; a reader can do without.
  static let heldRecords = "records that wait for another attempt"

  /// The records that a destination may reject: see ``HeldRow``.
  private static let heldTable = """
    CREATE TABLE held (
      destination TEXT NOT NULL, id INTEGER NOT NULL, first INTEGER, refusals INTEGER NOT NULL,
      set_aside INTEGER NOT NULL, boot INTEGER NOT NULL, moment_ns INTEGER NOT NULL, crc INTEGER NOT NULL,
      PRIMARY KEY (destination, id)
    ) STRICT;
    """

  /// The condition of ``placeIndex``, which a query repeats so that SQLite uses it.
  static let isPlace = "kind IN (\(RecordRow.Kind.visit), \(RecordRow.Kind.trip))"

  /// Sets the pragmas of a connection that writes.
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

  /// Size of the write-ahead log in bytes at which it is merged into the file, and to which it is then truncated.
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

  private static let savedStates =
    "CREATE TABLE note (key TEXT PRIMARY KEY NOT NULL, text TEXT NOT NULL, crc INTEGER NOT NULL) STRICT;"

  /// The columns that are not covered by `crc`; see ``RecordRow``.
  private static let extraColumns = """
    ALTER TABLE record ADD COLUMN trip_ms INTEGER;
    ALTER TABLE record ADD COLUMN steps INTEGER;
    ALTER TABLE record ADD COLUMN reasons INTEGER;
    ALTER TABLE record ADD COLUMN tracking INTEGER;
    ALTER TABLE record ADD COLUMN extra_crc INTEGER;
    """

  /// The columns after the second checksum: see ``RecordRow``.
  private static let fieldColumns = """
    ALTER TABLE record ADD COLUMN fields TEXT;
    ALTER TABLE record ADD COLUMN fields_crc INTEGER;
    """

  private static let views = LogViews.firstLocation + LogViews.firstEvent
  private static let locationViewWithGPSD = LogViews.firstLocation
}
