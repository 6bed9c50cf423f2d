/// The views of devices, silence and health.
enum FleetHealthViews {
  static let sql = device + silence + health

  /// States as `Silence` of FleetPolicy has them.
  private static let device = """
    CREATE VIEW fleet.device AS SELECT d.name AS device, d.cohort, s.last_seen, s.next_contact, s.battery_percent,
      s.days_left, s.version, s.queued_records, s.latitude_e7 / 1e7::float8 AS latitude,
      s.longitude_e7 / 1e7::float8 AS longitude,
      CASE WHEN NOT d.is_enabled THEN 'disabled' WHEN s.last_seen IS NULL THEN 'never'
        WHEN now() > c.due + greatest(interval '15 min', (c.due - s.last_seen) / 2) THEN 'silent'
        WHEN now() > c.due THEN 'due' ELSE 'ok' END AS state, now() - c.due AS overdue,
      NOT EXISTS (
        SELECT FROM outrider.setting_outcome o WHERE o.device = d.id
          AND o.outcome IN ('desired', 'sent', 'on_trial', 'rolled_back', 'rejected', 'ignored')) AS is_as_desired
    FROM outrider.device d LEFT JOIN outrider.device_state s ON s.device = d.id
    CROSS JOIN LATERAL (SELECT coalesce(s.next_contact, s.last_seen + interval '1 day') AS due) c;

    """

  /// The reasons are tested in this order; the limits are: critical battery 5 %, "just before" one day, neighbours within
  /// 0.2 degrees that fell silent within an hour.
  private static let silence = """
    CREATE VIEW fleet.silent_device AS SELECT v.device, v.cohort, v.last_seen, v.next_contact, v.overdue, v.latitude,
      v.longitude, v.battery_percent, e.time AS last_event_time, e.kind AS last_event, e.detail AS last_event_detail,
      CASE
        WHEN s.days_left IS NOT NULL AND now() > s.report_time + make_interval(secs => s.days_left * 86400)
          THEN 'battery forecast over'
        WHEN EXISTS (SELECT FROM outrider.event x WHERE x.device = d.id AND x.time > s.last_seen - interval '1 day'
          AND x.kind IN ('charger_removed', 'supply_under', 'brown_out')) THEN 'supply lost'
        WHEN s.battery_percent <= 5 THEN 'battery critical'
        WHEN EXISTS (SELECT FROM outrider.fleet_event x WHERE x.device = d.id AND x.time > s.last_seen
          AND x.kind = 'credentials_rejected') THEN 'credentials rejected'
        WHEN EXISTS (SELECT FROM outrider.report x WHERE x.device = d.id AND x.time > s.last_seen - interval '1 day'
          AND x.report ->> 'version' <> s.version) THEN 'version changed'
        WHEN EXISTS (SELECT FROM outrider.setting_outcome x WHERE x.device = d.id AND x.outcome IN ('sent', 'on_trial')
          AND x.time > s.last_seen - interval '1 day') THEN 'setting on trial'
        WHEN (SELECT count(*) FROM outrider.device_state x WHERE x.device <> d.id AND x.silent_since IS NOT NULL
          AND abs(x.latitude_e7 - s.latitude_e7::bigint) < 2000000
          AND abs(x.longitude_e7 - s.longitude_e7::bigint) < 2000000
          AND abs(extract(epoch FROM x.last_seen - s.last_seen)) < 3600) >= 2 THEN 'neighbours are silent, too'
        ELSE 'unknown' END AS probable_reason
    FROM fleet.device v JOIN outrider.device d ON d.name = v.device JOIN outrider.device_state s ON s.device = d.id
    LEFT JOIN LATERAL (SELECT x.time, x.kind, x.detail FROM outrider.event x WHERE x.device = d.id
      AND x.time > s.last_seen - interval '31 days' ORDER BY x.time DESC, x.record DESC LIMIT 1) e ON true
    WHERE v.state = 'silent';

    """

  private static let health = """
    CREATE VIEW fleet.gap AS SELECT d.name AS device,
      CASE WHEN e.kind IN ('gap', 'receiver_silent') THEN e.time - l.length ELSE e.time END AS from_time,
      CASE WHEN e.kind IN ('gap', 'receiver_silent') THEN e.time ELSE e.time + l.length END AS to_time,
      e.kind AS reason, e.detail, extract(epoch FROM l.length)::float8 AS seconds
    FROM outrider.event e JOIN outrider.device d ON d.id = e.device
    CROSS JOIN LATERAL (SELECT make_interval(secs => CASE WHEN e.kind IN ('fixes_rejected', 'fixes_left_out',
      'tracking_paused', 'receiver_lost', 'stopped') THEN NULL ELSE e.value END) AS length) l
    WHERE e.kind IN ('gap', 'receiver_resting', 'receiver_silent', 'receiver_lost', 'host_sleeping', 'fixes_rejected',
      'fixes_left_out', 'tracking_paused', 'stopped');
    CREATE VIEW fleet.version_count AS SELECT d.cohort, s.version, count(*) AS devices, max(s.last_seen) AS last_seen
    FROM outrider.device d JOIN outrider.device_state s ON s.device = d.id GROUP BY d.cohort, s.version;
    CREATE VIEW fleet.backlog AS SELECT d.name AS device, d.cohort, s.queued_records,
      (s.report ->> 'oldest_queued') AS oldest_queued, (s.report ->> 'dropped_records') AS dropped_records, s.report_time
    FROM outrider.device d JOIN outrider.device_state s ON s.device = d.id WHERE s.queued_records > 0;
    CREATE VIEW fleet.battery_forecast AS SELECT d.name AS device, d.cohort, s.battery_percent, s.days_left,
      s.report_time, s.report_time + make_interval(secs => s.days_left * 86400) AS empty_time
    FROM outrider.device d JOIN outrider.device_state s ON s.device = d.id WHERE s.days_left IS NOT NULL
    ORDER BY s.report_time + make_interval(secs => s.days_left * 86400);
    CREATE VIEW fleet.card_wear AS SELECT d.name AS device, d.cohort, s.report ->> 'card_used_percent' AS used_percent,
      s.report ->> 'card_days_left' AS days_left, s.report ->> 'written_bytes_day' AS written_bytes_day, s.report_time
    FROM outrider.device d JOIN outrider.device_state s ON s.device = d.id WHERE s.report ? 'card_used_percent';
    CREATE VIEW fleet.receiver_fault AS SELECT d.name AS device, d.cohort, e.time, e.kind, e.detail, e.fields
    FROM outrider.event e JOIN outrider.device d ON d.id = e.device
    WHERE e.kind IN ('receiver_lost', 'receiver_silent', 'receiver_garbled', 'receiver_trouble', 'receiver_remedy');
    CREATE VIEW fleet.delivery_delay AS SELECT d.cohort, count(*) AS records,
      percentile_cont(0.5) WITHIN GROUP (ORDER BY l.received_s) AS median_s,
      percentile_cont(0.9) WITHIN GROUP (ORDER BY l.received_s) AS p90_s,
      percentile_cont(0.99) WITHIN GROUP (ORDER BY l.received_s) AS p99_s
    FROM outrider.location l JOIN outrider.device d ON d.id = l.device
    WHERE l.time > now() - interval '1 day' AND l.time <= now() GROUP BY d.cohort;
    CREATE VIEW fleet.setting AS SELECT d.name AS device, d.cohort, o.key, o.value, o.outcome, o.reason, o.time
    FROM outrider.setting_outcome o JOIN outrider.device d ON d.id = o.device;
    CREATE VIEW fleet.fleet_event AS SELECT x.id, x.time, d.name AS device, x.kind, x.detail
    FROM outrider.fleet_event x LEFT JOIN outrider.device d ON d.id = x.device;

    """
}
