/// The tables, in whole numbers of small units as in the device's log; NULL is unknown.
enum FleetTables {
  static let sql = """
    CREATE TABLE outrider.device (
      id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL UNIQUE CHECK (name <> ''),
      unique_id text UNIQUE, cohort text NOT NULL DEFAULT 'all', is_enabled boolean NOT NULL DEFAULT true,
      may_renew boolean NOT NULL DEFAULT false, cloned_from int REFERENCES outrider.device ON DELETE SET NULL,
      created timestamptz NOT NULL DEFAULT now(), note text NOT NULL DEFAULT '');
    CREATE INDEX device_cohort ON outrider.device (cohort);
    CREATE TABLE outrider.device_log (
      id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      device int NOT NULL REFERENCES outrider.device ON DELETE CASCADE, log uuid NOT NULL,
      first_seen timestamptz NOT NULL DEFAULT now(), records int8multirange NOT NULL DEFAULT '{}',
      UNIQUE (device, log)) WITH (fillfactor = 60);
    CREATE TABLE outrider.token (
      hash bytea PRIMARY KEY CHECK (length(hash) = 32),
      role text NOT NULL CHECK (role IN ('device', 'enrol', 'read', 'operator')),
      device int REFERENCES outrider.device ON DELETE CASCADE, cohort text,
      created timestamptz NOT NULL DEFAULT now(), expires timestamptz, used timestamptz,
      CHECK ((role = 'device') = (device IS NOT NULL)));
    CREATE INDEX token_device ON outrider.token (device);
    CREATE TABLE outrider.location (
      time timestamptz NOT NULL, record bigint NOT NULL, device int NOT NULL, latitude_e7 int NOT NULL,
      longitude_e7 int NOT NULL, altitude_mm int, speed_mmps int, course_mdeg int, horizontal_accuracy_mm int,
      vertical_accuracy_mm int, speed_accuracy_mmps int, course_accuracy_mdeg int, received_s int NOT NULL, log int,
      battery_percent smallint, battery_state smallint, motion smallint, fix smallint, satellites smallint,
      accuracy_source smallint, time_quality smallint, reasons smallint, hdop_tenths smallint, steps int,
      trip timestamptz, wifi text, extra jsonb, PRIMARY KEY (device, time, record)) PARTITION BY RANGE (time);
    CREATE TABLE outrider.event (
      time timestamptz NOT NULL, record bigint NOT NULL, device int NOT NULL, kind text NOT NULL,
      detail text NOT NULL DEFAULT '', value bigint, fields jsonb, log int, received_s int NOT NULL,
      PRIMARY KEY (device, time, record)) PARTITION BY RANGE (time);
    CREATE INDEX event_kind ON outrider.event (kind, time);
    CREATE TABLE outrider.visit (
      time timestamptz NOT NULL, record bigint NOT NULL, device int NOT NULL, arrival_time timestamptz,
      departure_time timestamptz, latitude_e7 int, longitude_e7 int, horizontal_accuracy_mm int, radius_mm int,
      battery_state smallint, battery_percent smallint, wifi text, log int, received_s int NOT NULL, extra jsonb,
      PRIMARY KEY (device, time, record));
    CREATE TABLE outrider.trip (
      time timestamptz NOT NULL, record bigint NOT NULL, device int NOT NULL, start_time timestamptz,
      end_time timestamptz, mode text, duration_ms bigint, distance_mm bigint, steps int, start_latitude_e7 int,
      start_longitude_e7 int, end_latitude_e7 int, end_longitude_e7 int, is_manual boolean, ending text,
      is_reconstructed boolean NOT NULL DEFAULT false, battery_state smallint, battery_percent smallint, wifi text,
      log int, received_s int NOT NULL, extra jsonb, PRIMARY KEY (device, time, record));
    CREATE TABLE outrider.action (
      time timestamptz NOT NULL, record bigint NOT NULL, device int NOT NULL, action text NOT NULL, latitude_e7 int,
      longitude_e7 int, battery_state smallint, battery_percent smallint, wifi text, log int,
      received_s int NOT NULL, extra jsonb, PRIMARY KEY (device, time, record));
    CREATE TABLE outrider.batch (
      device int NOT NULL, received timestamptz NOT NULL DEFAULT now(), body bytea NOT NULL)
      PARTITION BY RANGE (received);
    CREATE TABLE outrider.device_state (
      device int PRIMARY KEY REFERENCES outrider.device ON DELETE CASCADE, last_seen timestamptz NOT NULL,
      next_contact timestamptz, last_time timestamptz, latitude_e7 int, longitude_e7 int, speed_mmps int,
      battery_percent smallint, version text, settings_hash text, queued_records bigint, days_left real,
      report jsonb, report_time timestamptz, silent_since timestamptz)
      WITH (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.02);
    CREATE TABLE outrider.report (
      device int NOT NULL, time timestamptz NOT NULL, report jsonb NOT NULL, PRIMARY KEY (device, time))
      PARTITION BY RANGE (time);
    CREATE TABLE outrider.settings_schema (version text PRIMARY KEY, schema jsonb NOT NULL);
    CREATE TABLE outrider.rollout (
      id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, cohort text NOT NULL, settings jsonb NOT NULL,
      previous jsonb NOT NULL, stages smallint[] NOT NULL, stage smallint NOT NULL DEFAULT 0,
      proven_share real NOT NULL, rolled_back_share real NOT NULL, wait interval NOT NULL, reason text,
      state text NOT NULL CHECK (state IN ('running', 'paused', 'stopped', 'done', 'undone')),
      stage_started timestamptz, created timestamptz NOT NULL DEFAULT now());
    CREATE TABLE outrider.desired_setting (
      scope text NOT NULL CHECK (scope IN ('all', 'cohort', 'device')), name text NOT NULL DEFAULT '',
      key text NOT NULL CHECK (key <> ''), value jsonb NOT NULL, rollout int REFERENCES outrider.rollout,
      note text NOT NULL DEFAULT '', changed timestamptz NOT NULL DEFAULT now(),
      changed_by text NOT NULL DEFAULT current_user, PRIMARY KEY (scope, name, key));
    CREATE TABLE outrider.setting_outcome (
      device int NOT NULL REFERENCES outrider.device ON DELETE CASCADE, key text NOT NULL, value jsonb NOT NULL,
      reason text, time timestamptz NOT NULL, outcome text NOT NULL
      CHECK (outcome IN ('desired', 'sent', 'on_trial', 'proven', 'rolled_back', 'rejected', 'ignored', 'superseded')),
      PRIMARY KEY (device, key));
    CREATE TABLE outrider.fleet_event (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, time timestamptz NOT NULL DEFAULT now(), device int,
      kind text NOT NULL, detail text NOT NULL DEFAULT '');
    CREATE INDEX fleet_event_time ON outrider.fleet_event (time);
    CREATE TABLE outrider.erasure (
      time timestamptz NOT NULL DEFAULT now(), device text NOT NULL, from_time timestamptz, to_time timestamptz,
      rows bigint NOT NULL, done_by text NOT NULL DEFAULT current_user);

    """
}
