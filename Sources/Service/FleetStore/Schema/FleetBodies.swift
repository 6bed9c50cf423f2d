/// Bodies that are kept as received, gzip, in partitions by month of their arrival.
enum FleetBodies {
  /// `key` is the digest of the identities of the records. A body is erased if it may contain something of the period: its
  /// times are those from its oldest record to its arrival.
  static let sql = """
    ALTER TABLE outrider.batch ADD COLUMN key bytea NOT NULL, ADD COLUMN first_time timestamptz NOT NULL,
      ADD COLUMN last_time timestamptz NOT NULL;
    CREATE INDEX batch_key ON outrider.batch (device, key);
    CREATE OR REPLACE FUNCTION outrider.erase_records(of_device int, from_time timestamptz, to_time timestamptz)
    RETURNS bigint LANGUAGE plpgsql AS $$
    DECLARE part text; removed bigint; total bigint := 0;
    BEGIN
      FOREACH part IN ARRAY ARRAY['location', 'visit', 'trip', 'action', 'event', 'report'] LOOP
        EXECUTE format('DELETE FROM outrider.%I WHERE device = $1 AND time >= coalesce($2, ''-infinity'')
          AND time < coalesce($3, ''infinity'')', part) USING of_device, from_time, to_time;
        GET DIAGNOSTICS removed = ROW_COUNT;
        total := total + removed;
      END LOOP;
      DELETE FROM outrider.batch b WHERE b.device = of_device AND b.last_time >= coalesce(from_time, '-infinity')
        AND b.first_time < coalesce(to_time, 'infinity');
      UPDATE outrider.device_state s SET last_time = NULL, latitude_e7 = NULL, longitude_e7 = NULL, speed_mmps = NULL
        WHERE s.device = of_device AND s.last_time >= coalesce(from_time, '-infinity')
          AND s.last_time < coalesce(to_time, 'infinity');
      UPDATE outrider.question q SET answer = NULL WHERE q.device = of_device AND q.answer IS NOT NULL
        AND q.answered >= coalesce(from_time, '-infinity')
        AND q.answered < coalesce(to_time, 'infinity') + interval '2 days';
      UPDATE outrider.question q SET answered = now(), outcome = 'superseded'
        WHERE q.device = of_device AND q.answered IS NULL;
      RETURN total;
    END $$;
    CREATE VIEW fleet.batch AS SELECT d.name AS device, b.received, b.first_time, b.body
    FROM outrider.batch b JOIN outrider.device d ON d.id = b.device;
    """
}
