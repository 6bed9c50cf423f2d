import Database

/// The tables of `collector.db`.
enum CollectorSchema {
  static let migrations = [
    Migration(
      "features",
      sql: """
        CREATE TABLE features (
          -- XXH3, 128 bits, canonical, over the exact bytes of the Feature
          hash BLOB NOT NULL PRIMARY KEY CHECK (length(hash) = 16),
          -- UTC, milliseconds since 1970: when it came, and when it was (null: not readable)
          received_ms INTEGER NOT NULL,
          time_ms INTEGER,
          -- WGS 84, 1e-7 degrees, as given (null: no point)
          latitude_e7 INTEGER,
          longitude_e7 INTEGER,
          -- location, visit, trip, action
          kind TEXT NOT NULL,
          device_id TEXT,
          -- as given: -1 means unknown
          altitude_m REAL,
          speed_mps REAL,
          course_deg REAL,
          horizontal_accuracy_m REAL,
          vertical_accuracy_m REAL,
          -- words with commas between
          motion TEXT,
          battery_state TEXT,
          battery_level REAL,
          -- the Feature as it came
          body TEXT NOT NULL
        ) STRICT;
        CREATE INDEX features_time ON features (time_ms);

        -- For people with sqlite3: degrees, UTC as text, null for what is unknown.
        CREATE VIEW location AS SELECT
          rowid AS id,
          strftime('%Y-%m-%dT%H:%M:%fZ', time_ms / 1000.0, 'unixepoch') AS time,
          latitude_e7 / 1e7 AS latitude,
          longitude_e7 / 1e7 AS longitude,
          altitude_m,
          CASE WHEN speed_mps >= 0 THEN speed_mps END AS speed_mps,
          CASE WHEN course_deg >= 0 THEN course_deg END AS course_deg,
          CASE WHEN horizontal_accuracy_m >= 0 THEN horizontal_accuracy_m END AS horizontal_accuracy_m,
          CASE WHEN vertical_accuracy_m >= 0 THEN vertical_accuracy_m END AS vertical_accuracy_m,
          motion,
          battery_state,
          CASE WHEN battery_level >= 0 THEN battery_level END AS battery_level,
          device_id
        FROM features
        WHERE kind = 'location' AND time_ms IS NOT NULL AND latitude_e7 IS NOT NULL;
        """),
    Migration(
      "tracks",
      sql: """
        -- The track of a device, and the list of devices.
        CREATE INDEX features_device ON features (device_id, time_ms)
        WHERE kind = 'location' AND time_ms IS NOT NULL AND latitude_e7 IS NOT NULL AND longitude_e7 IS NOT NULL;
        """),
  ]
}
