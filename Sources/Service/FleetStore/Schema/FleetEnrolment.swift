/// The limit of new devices of an enrolment token: one token is on every card image, so a leaked one must not fill the
/// table of devices.
enum FleetEnrolment {
  /// `outrider.enrol` is `outrider.admit` with the limit. `wait_s` is the time in seconds until the token may create
  /// devices again; 0 if it may. Devices that exist already are not limited.
  static let sql = """
    ALTER TABLE outrider.token ADD COLUMN enrolled int NOT NULL DEFAULT 0, ADD COLUMN enrolled_from timestamptz;
    CREATE FUNCTION outrider.enrol(
      token_hash bytea, most int, enrol_cohort text, hardware text, wanted_name text, new_hash bytea,
      OUT device int, OUT name text, OUT cohort text, OUT settings_hash text, OUT outcome text, OUT reason text,
      OUT wait_s int)
    LANGUAGE plpgsql AS $$
    BEGIN
      wait_s := 0;
      IF hardware IS NOT NULL THEN
        PERFORM pg_advisory_xact_lock(hashtext('outrider.hardware.' || hardware));
        IF NOT EXISTS (SELECT FROM outrider.token t WHERE t.hash = token_hash) THEN
          -- Removed since it was checked.
          outcome := 'unknown';
          RETURN;
        ELSIF NOT EXISTS (SELECT FROM outrider.device d WHERE d.unique_id = hardware) THEN
          UPDATE outrider.token t
            SET enrolled = CASE WHEN t.enrolled_from > now() - interval '1 hour' THEN t.enrolled + 1 ELSE 1 END,
              enrolled_from = CASE WHEN t.enrolled_from > now() - interval '1 hour' THEN t.enrolled_from ELSE now() END
            WHERE t.hash = token_hash
              AND (t.enrolled < most OR t.enrolled_from IS NULL OR t.enrolled_from <= now() - interval '1 hour');
          IF NOT FOUND THEN
            SELECT greatest(ceil(extract(epoch FROM t.enrolled_from + interval '1 hour' - now())), 1) INTO wait_s
              FROM outrider.token t WHERE t.hash = token_hash;
            outcome := 'limited';
            IF NOT EXISTS (SELECT FROM outrider.fleet_event e WHERE e.kind = 'enrolment_limited'
              AND e.detail LIKE 'token ' || left(encode(token_hash, 'hex'), 8) || '%' AND e.time > now() - interval '1 hour')
            THEN
              PERFORM outrider.alarm(NULL, 'enrolment_limited', format(
                'token %s of cohort %s has made %s devices within an hour; if it has leaked, delete it',
                left(encode(token_hash, 'hex'), 8), enrol_cohort, most));
            END IF;
            RETURN;
          END IF;
        END IF;
      END IF;
      SELECT a.* INTO device, name, cohort, settings_hash, outcome, reason
        FROM outrider.admit(NULL, enrol_cohort, hardware, wanted_name, new_hash) AS a;
    END $$;
    """
}
