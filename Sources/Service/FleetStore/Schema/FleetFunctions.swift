/// Functions of the schema: those of the collector in `outrider`, those of operators in `fleet`.
enum FleetFunctions {
  static let sql = partitions + words + names + admission + operations

  /// ATTACH does not lock the parent against readers and writers, as CREATE TABLE … PARTITION OF does.
  private static let partitions = """
    CREATE FUNCTION outrider.make_partition(parent text, day date, days int) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE name text := format('%s_%s', parent, to_char(day, 'YYYYMMDD'));
    BEGIN
      PERFORM pg_advisory_xact_lock(hashtext('outrider.' || parent));
      IF to_regclass('outrider.' || name) IS NULL THEN
        EXECUTE format('CREATE TABLE outrider.%I (LIKE outrider.%I INCLUDING DEFAULTS)', name, parent);
        EXECUTE format('ALTER TABLE outrider.%I ATTACH PARTITION outrider.%I FOR VALUES FROM (%L) TO (%L)',
          parent, name, day::timestamp AT TIME ZONE 'UTC', (day + days)::timestamp AT TIME ZONE 'UTC');
      END IF;
    END $$;
    CREATE VIEW outrider.partition AS
      SELECT parent.relname::text AS parent, child.relname::text AS name,
        (b.bounds[1])::timestamptz AS lower, (b.bounds[2])::timestamptz AS upper
      FROM pg_inherits i JOIN pg_class parent ON parent.oid = i.inhparent JOIN pg_class child ON child.oid = i.inhrelid
      CROSS JOIN LATERAL (SELECT regexp_match(
        pg_get_expr(child.relpartbound, child.oid), 'FROM \\(''([^'']+)''\\) TO \\(''([^'']+)''\\)') AS bounds) b
      WHERE parent.relnamespace = 'outrider'::regnamespace AND parent.relkind = 'p' AND b.bounds IS NOT NULL;

    """

  private static let words = """
    CREATE FUNCTION outrider.words(bits int, VARIADIC names text[]) RETURNS text IMMUTABLE LANGUAGE sql AS $$
      SELECT coalesce(string_agg(n, ';' ORDER BY i), '')
      FROM unnest(names) WITH ORDINALITY AS w(n, i) WHERE bits >> (i - 1)::int & 1 = 1 $$;

    """

  private static let names = """
    CREATE FUNCTION outrider.free_name(wanted text) RETURNS text LANGUAGE plpgsql AS $$
    DECLARE number int := 1; candidate text := wanted;
    BEGIN
      PERFORM pg_advisory_xact_lock(hashtext('outrider.device'));
      WHILE EXISTS (SELECT FROM outrider.device d WHERE d.name = candidate) LOOP
        number := number + 1;
        candidate := wanted || '-' || number;
      END LOOP;
      RETURN candidate;
    END $$;
    CREATE FUNCTION outrider.alarm(device int, kind text, detail text) RETURNS void LANGUAGE sql AS $$
      INSERT INTO outrider.fleet_event (device, kind, detail) VALUES (device, kind, detail);
      SELECT pg_notify('outrider_fleet', json_build_object('device', device, 'kind', kind, 'detail', detail)::text) $$;

    """

  /// Finds or creates the device of an upload. `outcome` is `known`, `created`, `renewed`, `cloned`, `refused` (with
  /// `reason`) or `unknown` (the device of the token was removed).
  private static let admission = """
    CREATE FUNCTION outrider.admit(
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
        ELSIF hardware IS NULL OR owner.unique_id = hardware THEN
          outcome := 'known';
        ELSIF found_device.id IS NOT NULL AND found_device.cloned_from IS DISTINCT FROM owner.id THEN
          outcome := 'refused';
          reason := format('this is the token of %s, but unique_id is that of %s; enrol it again: fleet enrol --renew %s',
            owner.name, found_device.name, found_device.name);
          RETURN;
        ELSIF found_device.id IS NOT NULL THEN
          owner := found_device;
          outcome := 'known';
        ELSIF owner.unique_id IS NULL THEN
          UPDATE outrider.device d SET unique_id = hardware WHERE d.id = owner.id;
          outcome := 'known';
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
    CREATE FUNCTION outrider.log_number(of_device int, of_log uuid) RETURNS int LANGUAGE plpgsql AS $$
    DECLARE number int;
    BEGIN
      SELECT id INTO number FROM outrider.device_log WHERE device = of_device AND log = of_log;
      IF number IS NULL THEN
        INSERT INTO outrider.device_log (device, log) VALUES (of_device, of_log) ON CONFLICT DO NOTHING;
        SELECT id INTO number FROM outrider.device_log WHERE device = of_device AND log = of_log;
      END IF;
      RETURN number;
    END $$;
    CREATE FUNCTION outrider.access(hashes bytea[])
    RETURNS TABLE (hash bytea, role text, device int, cohort text, is_enabled boolean) LANGUAGE plpgsql AS $$
    BEGIN
      -- In order, so that two collectors do not wait for each other.
      PERFORM FROM outrider.token t WHERE t.hash = ANY (hashes) AND t.used IS NULL ORDER BY t.hash FOR UPDATE;
      UPDATE outrider.token t SET used = now()
        WHERE t.hash = ANY (hashes) AND t.used IS NULL AND (t.expires IS NULL OR t.expires > now());
      -- The reason why a device falls silent; once an hour.
      INSERT INTO outrider.fleet_event (device, kind, detail)
        SELECT d.id, 'credentials_rejected', CASE WHEN d.is_enabled THEN 'its token has expired' ELSE 'it is disabled' END
        FROM outrider.token t JOIN outrider.device d ON d.id = t.device
        WHERE t.hash = ANY (hashes) AND (NOT d.is_enabled OR t.expires <= now())
          AND NOT EXISTS (SELECT FROM outrider.fleet_event e WHERE e.device = d.id AND e.kind = 'credentials_rejected'
            AND e.time > now() - interval '1 hour');
      RETURN QUERY SELECT t.hash, t.role, t.device, coalesce(t.cohort, 'all'), coalesce(d.is_enabled, true)
        FROM outrider.token t LEFT JOIN outrider.device d ON d.id = t.device
        WHERE t.hash = ANY (hashes) AND (t.expires IS NULL OR t.expires > now());
    END $$;

    """

  private static let operations = """
    CREATE FUNCTION fleet.set_desired(
      scope text, name text, key text, value jsonb, note text DEFAULT '') RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      IF scope = 'device' AND NOT EXISTS (SELECT FROM outrider.device d WHERE d.name = set_desired.name) THEN
        RAISE EXCEPTION 'no device is called %', name USING ERRCODE = 'P0001', HINT = 'SELECT device FROM fleet.device';
      END IF;
      INSERT INTO outrider.desired_setting AS s (scope, name, key, value, note)
        VALUES (set_desired.scope, CASE WHEN set_desired.scope = 'all' THEN '' ELSE set_desired.name END,
          set_desired.key, set_desired.value, set_desired.note)
        ON CONFLICT ON CONSTRAINT desired_setting_pkey DO UPDATE
          SET value = excluded.value, note = excluded.note, changed = now(), changed_by = current_user, rollout = NULL;
    END $$;
    CREATE FUNCTION fleet.clear_desired(scope text, name text, key text) RETURNS boolean LANGUAGE sql AS $$
      WITH gone AS (DELETE FROM outrider.desired_setting s
        WHERE s.scope = $1 AND s.name = CASE WHEN $1 = 'all' THEN '' ELSE $2 END AND s.key = $3 RETURNING 1)
      SELECT EXISTS (SELECT FROM gone) $$;
    CREATE FUNCTION fleet.set_enabled(name text, enabled boolean) RETURNS boolean LANGUAGE sql AS $$
      UPDATE outrider.device d SET is_enabled = $2 WHERE d.name = $1 RETURNING true $$;
    CREATE FUNCTION fleet.allow_renewal(name text) RETURNS boolean LANGUAGE sql AS $$
      UPDATE outrider.device d SET may_renew = true WHERE d.name = $1 RETURNING true $$;
    CREATE FUNCTION fleet.rename(name text, new_name text) RETURNS boolean LANGUAGE sql AS $$
      UPDATE outrider.desired_setting s SET name = $2 WHERE s.scope = 'device' AND s.name = $1;
      UPDATE outrider.device d SET name = $2 WHERE d.name = $1 RETURNING true $$;
    CREATE FUNCTION fleet.move(name text, cohort text) RETURNS boolean LANGUAGE sql AS $$
      UPDATE outrider.device d SET cohort = $2 WHERE d.name = $1 RETURNING true $$;
    CREATE FUNCTION fleet.erase(name text, from_time timestamptz DEFAULT NULL, to_time timestamptz DEFAULT NULL)
    RETURNS bigint LANGUAGE plpgsql AS $$
    DECLARE number int; part text; removed bigint; total bigint := 0;
    BEGIN
      SELECT id INTO number FROM outrider.device d WHERE d.name = erase.name;
      IF number IS NULL THEN RETURN NULL; END IF;
      FOREACH part IN ARRAY ARRAY['location', 'visit', 'trip', 'action', 'event', 'report'] LOOP
        EXECUTE format('DELETE FROM outrider.%I WHERE device = $1 AND time >= coalesce($2, ''-infinity'')
          AND time < coalesce($3, ''infinity'')', part) USING number, from_time, to_time;
        GET DIAGNOSTICS removed = ROW_COUNT;
        total := total + removed;
      END LOOP;
      UPDATE outrider.device_state s SET last_time = NULL, latitude_e7 = NULL, longitude_e7 = NULL, speed_mmps = NULL
        WHERE s.device = number AND s.last_time >= coalesce(from_time, '-infinity')
          AND s.last_time < coalesce(to_time, 'infinity');
      INSERT INTO outrider.erasure (device, from_time, to_time, rows) VALUES (erase.name, from_time, to_time, total);
      RETURN total;
    END $$;

    """
}
