/// Disabled devices, limits of leaked tokens, and erasures that include times in the future.
enum FleetCorrections {
  static let sql = admission + erasures

  /// The new devices that the token of a device makes within an hour: enough for a few cards that were copied after the
  /// enrolment, too few to fill the table of devices.
  private static let clones = 10
  /// The tokens that an enrolment token makes for one device within an hour. A device that lost the answer needs another one.
  private static let renewals = 20

  /// `outrider.admit` refuses a disabled device by whatever token, and has limits.
  private static let admission = """
    CREATE INDEX device_cloned_from ON outrider.device (cloned_from) WHERE cloned_from IS NOT NULL;
    UPDATE outrider.setting_outcome SET time = now() WHERE time > now();
    CREATE OR REPLACE FUNCTION outrider.admit(
      token_device int, enrol_cohort text, hardware text, wanted_name text, new_hash bytea,
      OUT device int, OUT name text, OUT cohort text, OUT settings_hash text, OUT outcome text, OUT reason text)
    LANGUAGE plpgsql AS $$
    DECLARE owner outrider.device; found_device outrider.device;
    BEGIN
      -- One decision at a time per hardware, so that two collectors create it once.
      IF hardware IS NOT NULL THEN PERFORM pg_advisory_xact_lock(hashtext('outrider.hardware.' || hardware)); END IF;
      SELECT * INTO found_device FROM outrider.device d WHERE d.unique_id = hardware;
      IF token_device IS NOT NULL THEN
        SELECT * INTO owner FROM outrider.device d WHERE d.id = token_device;
        IF owner.unique_id IS NULL AND hardware IS NOT NULL THEN
          SELECT * INTO owner FROM outrider.device d WHERE d.id = token_device FOR UPDATE;
        END IF;
        IF owner.id IS NULL THEN
          outcome := 'unknown';
          RETURN;
        ELSIF NOT owner.is_enabled THEN
          outcome := 'refused';
          reason := format('device %s is disabled', owner.name);
          RETURN;
        ELSIF hardware IS NULL OR owner.unique_id = hardware THEN
          outcome := 'known';
        ELSIF found_device.id IS NOT NULL AND found_device.cloned_from IS DISTINCT FROM owner.id THEN
          outcome := 'refused';
          reason := format('this is the token of %s, but unique_id is that of %s; enrol it again: fleet enrol --renew %s',
            owner.name, found_device.name, found_device.name);
          RETURN;
        ELSIF NOT found_device.is_enabled THEN
          outcome := 'refused';
          reason := format('device %s is disabled', found_device.name);
          RETURN;
        ELSIF found_device.id IS NOT NULL THEN
          owner := found_device;
          outcome := 'known';
        ELSIF owner.unique_id IS NULL THEN
          UPDATE outrider.device d SET unique_id = hardware WHERE d.id = owner.id;
          outcome := 'known';
        ELSIF (SELECT count(*) FROM outrider.device d
          WHERE d.cloned_from = owner.id AND d.created > now() - interval '1 hour') >= \(clones)
        THEN
          outcome := 'refused';
          reason := format('too many devices use the token of %s; enrol each one, or disable %s if its token has leaked',
            owner.name, owner.name);
          RETURN;
        ELSE
          INSERT INTO outrider.device AS d (name, unique_id, cohort, cloned_from)
            VALUES (outrider.free_name(owner.name), hardware, owner.cohort, owner.id) RETURNING * INTO found_device;
          PERFORM outrider.alarm(found_device.id, 'cloned_device', format(
            'another device uses the token of %s; stored apart as %s', owner.name, found_device.name));
          owner := found_device;
          outcome := 'cloned';
        END IF;
      ELSIF hardware IS NULL THEN
        outcome := 'refused';
        reason := 'unique_id is missing, so the device cannot be enrolled';
        RETURN;
      ELSIF found_device.id IS NULL THEN
        INSERT INTO outrider.device AS d (name, unique_id, cohort)
          VALUES (outrider.free_name(wanted_name), hardware, enrol_cohort) RETURNING * INTO owner;
        INSERT INTO outrider.token (hash, role, device) VALUES (new_hash, 'device', owner.id);
        IF owner.name <> wanted_name THEN
          PERFORM outrider.alarm(owner.id, 'duplicate_name', format(
            'another device is called %s; stored apart as %s', wanted_name, owner.name));
        END IF;
        PERFORM outrider.alarm(owner.id, 'enrolled', format('%s joined cohort %s', owner.name, owner.cohort));
        outcome := 'created';
      ELSE
        owner := found_device;
        IF NOT owner.is_enabled THEN
          outcome := 'refused';
          reason := format('device %s is disabled', owner.name);
          RETURN;
        ELSIF NOT owner.may_renew AND EXISTS (
          SELECT FROM outrider.token t WHERE t.device = owner.id AND t.used IS NOT NULL)
        THEN
          outcome := 'refused';
          reason := format('device %s is enrolled already; to allow it once more: fleet enrol --renew %s',
            owner.name, owner.name);
          RETURN;
        ELSIF (SELECT count(*) FROM outrider.token t
          WHERE t.device = owner.id AND t.created > now() - interval '1 hour') >= \(renewals)
        THEN
          outcome := 'limited';
          RETURN;
        END IF;
        UPDATE outrider.device d SET may_renew = false WHERE d.id = owner.id AND d.may_renew;
        -- A permission to renew replaces the token that was used; a lost answer leaves none that was.
        DELETE FROM outrider.token t WHERE t.device = owner.id
          AND (t.used IS NOT NULL OR t.created < now() - interval '1 hour');
        INSERT INTO outrider.token (hash, role, device) VALUES (new_hash, 'device', owner.id);
        outcome := 'renewed';
      END IF;
      device := owner.id;
      name := owner.name;
      cohort := owner.cohort;
      SELECT s.settings_hash INTO settings_hash FROM outrider.device_state s WHERE s.device = owner.id;
    END $$;

    """

  /// A record whose time is after the erasure is remembered by its identity: what the device records afterwards is stored.
  ///
  /// `fleet.apply_erasures` deletes those of them that were received before the erasure.
  private static let erasures = """
    CREATE TABLE outrider.erased_record (
      number int NOT NULL REFERENCES outrider.device ON DELETE CASCADE, time timestamptz NOT NULL, record bigint NOT NULL,
      PRIMARY KEY (number, time, record));
    CREATE FUNCTION outrider.erase_later(
      of_device int, from_time timestamptz, to_time timestamptz, erased timestamptz, received_before timestamptz)
    RETURNS bigint LANGUAGE plpgsql AS $$
    DECLARE part text; removed bigint; total bigint := 0; first_time timestamptz := greatest(from_time, erased);
    BEGIN
      FOREACH part IN ARRAY ARRAY['location', 'visit', 'trip', 'action', 'event'] LOOP
        -- Whole seconds, rounded up; the smallest number stands for all smaller ones.
        EXECUTE format('WITH gone AS (DELETE FROM outrider.%I WHERE device = $1 AND time >= $2
            AND time < coalesce($3, ''infinity'')
            AND (received_s = -2147483648 OR time + make_interval(secs => received_s::float8 - 1) < $4) RETURNING time, record),
          kept AS (INSERT INTO outrider.erased_record SELECT $1, time, record FROM gone ON CONFLICT DO NOTHING)
          SELECT count(*) FROM gone', part) INTO removed USING of_device, first_time, to_time, received_before;
        total := total + removed;
      END LOOP;
      UPDATE outrider.device_state s SET last_time = NULL, latitude_e7 = NULL, longitude_e7 = NULL, speed_mmps = NULL
        WHERE s.device = of_device AND s.last_time >= first_time AND s.last_time < coalesce(to_time, 'infinity')
          AND s.last_seen < received_before;
      RETURN total;
    END $$;
    CREATE OR REPLACE FUNCTION fleet.erase(
      name text, from_time timestamptz DEFAULT NULL, to_time timestamptz DEFAULT NULL)
    RETURNS bigint LANGUAGE plpgsql AS $$
    DECLARE owner outrider.device; total bigint; moment timestamptz;
    BEGIN
      IF from_time >= to_time THEN
        RAISE EXCEPTION 'the period ends before it begins: it is from % to %', from_time, to_time;
      END IF;
      SELECT * INTO owner FROM outrider.device d WHERE d.name = erase.name;
      IF owner.id IS NULL THEN RETURN NULL; END IF;
      PERFORM pg_advisory_xact_lock(hashtext('outrider.erasure'));
      moment := clock_timestamp();
      total := outrider.erase_later(owner.id, from_time, to_time, moment, 'infinity');
      total := total + outrider.erase_records(owner.id, from_time, to_time);
      INSERT INTO outrider.erasure (device, number, unique_id, from_time, to_time, time, rows)
        VALUES (owner.name, owner.id, owner.unique_id, from_time, to_time, moment, total);
      RETURN total;
    END $$;
    CREATE OR REPLACE FUNCTION fleet.apply_erasures(list jsonb) RETURNS bigint LANGUAGE plpgsql AS $$
    DECLARE item record; owner outrider.device; total bigint := 0;
    BEGIN
      PERFORM pg_advisory_xact_lock(hashtext('outrider.erasure'));
      FOR item IN SELECT * FROM jsonb_to_recordset(list) AS i (device text, unique_id text, "from" timestamptz,
        "to" timestamptz, "time" timestamptz, rows bigint, done_by text)
      LOOP
        -- The clocks of two servers may differ a little.
        IF item.time IS NULL OR item.time > clock_timestamp() + interval '5 minutes' THEN
          RAISE EXCEPTION 'erasure of %: its time is %, which is no time of the past', item.device, item.time;
        ELSIF NOT isfinite(item.time) OR NOT isfinite(coalesce(item."from", now()))
          OR NOT isfinite(coalesce(item."to", now())) OR item."from" >= item."to"
        THEN
          RAISE EXCEPTION 'erasure of %: "from", "to" and "time" are no period', item.device;
        END IF;
        owner := NULL;
        SELECT * INTO owner FROM outrider.device d
          WHERE CASE WHEN item.unique_id IS NULL THEN d.name = item.device ELSE d.unique_id = item.unique_id END;
        CONTINUE WHEN EXISTS (SELECT FROM outrider.erasure e WHERE e.time = item.time
          AND e.device = item.device AND e.from_time IS NOT DISTINCT FROM item."from"
          AND e.to_time IS NOT DISTINCT FROM item."to");
        total := total + outrider.erase_records(owner.id, item."from", least(item."to", item.time))
          + outrider.erase_later(owner.id, item."from", item."to", item.time, item.time);
        INSERT INTO outrider.erasure (device, number, unique_id, from_time, to_time, time, rows, done_by)
          VALUES (item.device, owner.id, item.unique_id, item."from", item."to", item.time, item.rows, item.done_by);
      END LOOP;
      RETURN total;
    END $$;
    """
}
