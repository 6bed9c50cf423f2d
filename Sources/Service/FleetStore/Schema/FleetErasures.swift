import PostgreSQL

/// Erased periods that stay erased: records of such a period are acknowledged and not stored, whether a device repeats
/// them, sends them late, or sends them again after a backup was restored.
enum FleetErasures {
  /// The condition that a row `i` with `device` and `time` lies in an erased period. `devices` are the devices of all
  /// rows: it costs nothing if none of them was ever erased. `record` is the number of the row's record; nil if any record
  /// of its time counts.
  ///
  /// A record that had a time in the future when it was erased is known by its identity.
  ///
  /// The OR keeps the planner from making a join of it, which might change the order in which rows are locked.
  static func condition(devices: String, record: String?) -> String {
    """
    ((SELECT EXISTS (SELECT FROM outrider.erasure WHERE number = ANY (\(devices)))) AND (EXISTS (
      SELECT FROM outrider.erasure e
      WHERE e.number = i.device AND i.time < e.before AND i.time >= coalesce(e.from_time, '-infinity'))
      OR EXISTS (SELECT FROM outrider.erased_record r
      WHERE r.number = i.device AND r.time = i.time\(record.map { " AND r.record = \($0)" } ?? ""))) OR false)
    """
  }

  /// The first statement of every transaction that stores records. An erasure takes the same lock alone, so that it waits for
  /// running transactions, and no row escapes. It is no lock of a table, which a backup would hold for hours.
  static var sharedLock: PostgresCommand {
    PostgresCommand("SELECT pg_advisory_xact_lock_shared(hashtext('outrider.erasure'))")
  }

  /// A period ends at the latest when it was erased: what the device records afterwards is stored.
  ///
  /// The exclusive lock waits for groups that are being committed, so that none of their rows escapes.
  static let sql = """
    ALTER TABLE outrider.erasure ADD COLUMN number int, ADD COLUMN unique_id text,
      ADD COLUMN before timestamptz GENERATED ALWAYS AS (least(to_time, time)) STORED;
    UPDATE outrider.erasure e SET number = d.id, unique_id = d.unique_id FROM outrider.device d WHERE d.name = e.device;
    CREATE INDEX erasure_number ON outrider.erasure (number);
    CREATE FUNCTION outrider.erase_records(of_device int, from_time timestamptz, to_time timestamptz)
    RETURNS bigint LANGUAGE plpgsql AS $$
    DECLARE part text; removed bigint; total bigint := 0;
    BEGIN
      FOREACH part IN ARRAY ARRAY['location', 'visit', 'trip', 'action', 'event', 'report'] LOOP
        EXECUTE format('DELETE FROM outrider.%I WHERE device = $1 AND time >= coalesce($2, ''-infinity'')
          AND time < coalesce($3, ''infinity'')', part) USING of_device, from_time, to_time;
        GET DIAGNOSTICS removed = ROW_COUNT;
        total := total + removed;
      END LOOP;
      UPDATE outrider.device_state s SET last_time = NULL, latitude_e7 = NULL, longitude_e7 = NULL, speed_mmps = NULL
        WHERE s.device = of_device AND s.last_time >= coalesce(from_time, '-infinity')
          AND s.last_time < coalesce(to_time, 'infinity');
      RETURN total;
    END $$;
    CREATE OR REPLACE FUNCTION fleet.erase(
      name text, from_time timestamptz DEFAULT NULL, to_time timestamptz DEFAULT NULL)
    RETURNS bigint LANGUAGE plpgsql AS $$
    DECLARE owner outrider.device; total bigint;
    BEGIN
      SELECT * INTO owner FROM outrider.device d WHERE d.name = erase.name;
      IF owner.id IS NULL THEN RETURN NULL; END IF;
      LOCK TABLE outrider.erasure IN ACCESS EXCLUSIVE MODE;
      total := outrider.erase_records(owner.id, from_time, to_time);
      INSERT INTO outrider.erasure (device, number, unique_id, from_time, to_time, time, rows)
        VALUES (owner.name, owner.id, owner.unique_id, from_time, to_time, clock_timestamp(), total);
      RETURN total;
    END $$;
    CREATE FUNCTION fleet.apply_erasures(list jsonb) RETURNS bigint LANGUAGE plpgsql AS $$
    DECLARE item record; owner outrider.device; total bigint := 0;
    BEGIN
      LOCK TABLE outrider.erasure IN ACCESS EXCLUSIVE MODE;
      FOR item IN SELECT * FROM jsonb_to_recordset(list) AS i (device text, unique_id text, "from" timestamptz,
        "to" timestamptz, "time" timestamptz, rows bigint, done_by text)
      LOOP
        owner := NULL;
        SELECT * INTO owner FROM outrider.device d
          WHERE CASE WHEN item.unique_id IS NULL THEN d.name = item.device ELSE d.unique_id = item.unique_id END;
        CONTINUE WHEN EXISTS (SELECT FROM outrider.erasure e WHERE e.time = item.time
          AND e.device = item.device AND e.from_time IS NOT DISTINCT FROM item."from"
          AND e.to_time IS NOT DISTINCT FROM item."to");
        total := total + outrider.erase_records(owner.id, item."from", least(item."to", item.time));
        INSERT INTO outrider.erasure (device, number, unique_id, from_time, to_time, time, rows, done_by)
          VALUES (item.device, owner.id, item.unique_id, item."from", item."to", item.time, item.rows, item.done_by);
      END LOOP;
      RETURN total;
    END $$;
    -- A device that is enrolled again after a backup was restored keeps its erased periods.
    CREATE FUNCTION outrider.inherit_erasures() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE outrider.erasure e SET number = NEW.id WHERE e.number IS NULL
        AND CASE WHEN e.unique_id IS NULL THEN e.device = NEW.name ELSE e.unique_id = NEW.unique_id END;
      RETURN NULL;
    END $$;
    CREATE TRIGGER inherit_erasures AFTER INSERT OR UPDATE OF unique_id ON outrider.device
      FOR EACH ROW EXECUTE FUNCTION outrider.inherit_erasures();
    """
}
