import EventLoop
import FleetPolicy
import PostgreSQL
import Quantities

/// The jobs of the fleet, done by one collector at a time: the one that holds the advisory lock.
///
/// Every minute, devices that fell silent or returned become rows of `fleet_event`, with NOTIFY outrider_fleet. Every
/// hour, partitions and rows older than the retention are removed, and the indices of closed partitions made dense.
final class FleetJobs {
  enum Event: Equatable {
    case done
    case failed(job: String, reason: String)
    case partitionsRemoved
  }

  private static let interval = Duration.seconds(60)
  private static let retentionInterval = Duration.seconds(3600)
  /// Number of the advisory lock of the session; any constant will do.
  private static let lock = "hashtext('outrider.jobs')"
  private static let mostRowsPerStep = 5000
  private static let mostReindexed = 100

  private let connection: PostgresConnection
  private let loop: EventLoop
  private let retention: Retention
  private let onEvent: (Event) -> Void
  private var timer: LoopTimer?
  private var nextRetention = Moment.zero
  /// Nil unless this collector does the jobs.
  private(set) var summary: FleetSummary?

  init(database: String, loop: EventLoop, retention: Retention, onEvent: @escaping (Event) -> Void) {
    self.loop = loop
    self.retention = retention
    self.onEvent = onEvent
    connection = PostgresConnection(database, loop: loop)
    timer = loop.addTimer("fleet jobs") { [weak self] now in self?.run(now) }
  }

  func start() {
    connection.start()
    timer?.arm(after: .seconds(1))
  }

  func stop() {
    connection.close()
    if let timer { loop.removeTimer(timer) }
    timer = nil
  }

  private func run(_ now: Moment) {
    timer?.arm(after: Self.interval)
    if !connection.isConnected { summary = nil }
    guard connection.isIdle else { return }
    // The lock is kept until the connection ends; asking again does no harm.
    query("SELECT pg_try_advisory_lock(\(Self.lock))", job: "lock") { [weak self] rows in
      guard let self else { return }
      guard rows.bool(0, 0) == true else {
        summary = nil
        return
      }
      noteSilence()
      summarize()
      guard now >= nextRetention else { return }
      nextRetention = now + Self.retentionInterval
      removeExpired()
      reindexClosed()
    }
  }

  private func summarize() {
    connection.perform(.transaction(FleetSummary.commands, limit: nil)) { [weak self] result in
      switch result {
      case .success(let results): self?.summary = FleetSummary(results)
      case .failure(let error): self?.onEvent(.failed(job: "metrics", reason: "\(error)"))
      }
    }
  }

  private func query(
    _ sql: String, _ parameters: [PostgresParameter] = [], job: String,
    _ completion: @escaping (QueryResult) -> Void
  ) {
    connection.perform(.statement(PostgresCommand(sql, parameters), limit: nil)) { [weak self] result in
      switch result {
      case .success(let results): if let rows = results.first { completion(rows) }
      case .failure(let error): self?.onEvent(.failed(job: job, reason: "\(error)"))
      }
    }
  }

  // MARK: Silence

  private func noteSilence() {
    query(
      """
      WITH changed AS (
        UPDATE outrider.device_state AS s
        SET silent_since = CASE WHEN v.state = 'silent' THEN now() END
        FROM outrider.device d JOIN fleet.device v ON v.device = d.name
        WHERE d.id = s.device AND (v.state = 'silent') <> (s.silent_since IS NOT NULL)
        RETURNING s.device, s.silent_since, s.last_seen)
      SELECT outrider.alarm(device, CASE WHEN silent_since IS NULL THEN 'device_returned' ELSE 'device_silent' END,
        'last contact ' || to_char(last_seen AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')) FROM changed
      """, job: "silence"
    ) { [weak self] _ in self?.onEvent(.done) }
  }

  // MARK: Retention

  private func removeExpired() {
    let now = loop.clock.timestamp()
    for (table, days) in [
      ("location", retention.locationDays), ("event", retention.eventDays), ("report", retention.reportDays),
      ("batch", retention.bodyDays),
    ] {
      guard let cutoff = Retention.cutoff(days: days, now: now) else { continue }
      removePartitions(of: table, before: cutoff)
    }
    if let cutoff = Retention.cutoff(days: retention.reportDays, now: now) {
      removeRows(of: "question", by: "answered", before: cutoff)
    }
    guard let cutoff = Retention.cutoff(days: retention.eventDays, now: now) else { return }
    for table in ["visit", "trip", "action"] { removeRows(of: table, before: cutoff) }
  }

  /// Also completes what an interrupted run has left: partitions that are being detached, and detached tables.
  private func removePartitions(of table: String, before cutoff: Timestamp) {
    query(
      """
      SELECT c.relname::text, CASE WHEN i.inhrelid IS NULL THEN 2 WHEN i.inhdetachpending THEN 1 ELSE 0 END
      FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
      LEFT JOIN outrider.partition p ON p.parent = $1::text AND p.name = c.relname
      WHERE c.relnamespace = 'outrider'::regnamespace AND c.relkind = 'r' AND c.relname ~ ('^' || $1::text || '_[0-9]{8}$')
        AND (p.upper <= $2::timestamptz
          OR p.upper IS NULL AND to_date(right(c.relname, 8), 'YYYYMMDD') + 31 <= ($2::timestamptz AT TIME ZONE 'UTC')::date)
      ORDER BY 1
      """, [.text(table), .time(cutoff)], job: "retention"
    ) { [weak self] rows in
      guard let self else { return }
      for row in 0..<rows.rowCount {
        guard let name = rows.text(row, 0), let state = rows.integer(row, 1) else { continue }
        remove(partition: name, of: table, state: state)
      }
    }
  }

  private func remove(partition: String, of table: String, state: Int64) {
    if state < 2 {
      script(
        "ALTER TABLE outrider.\(table) DETACH PARTITION outrider.\(partition) \(state == 0 ? "CONCURRENTLY" : "FINALIZE")"
      )
    }
    script("DROP TABLE outrider.\(partition)") { [weak self] in self?.onEvent(.partitionsRemoved) }
  }

  private func script(_ sql: String, _ completion: @escaping () -> Void = {}) {
    connection.perform(.script(sql)) { [weak self] result in
      switch result {
      case .success: completion()
      case .failure(let error): self?.onEvent(.failed(job: sql, reason: "\(error)"))
      }
    }
  }

  /// Removes the rows of a table whose time, in `column`, is before the cutoff. Small portions keep transactions short.
  private func removeRows(of table: String, by column: String = "time", before cutoff: Timestamp) {
    query(
      """
      WITH gone AS (DELETE FROM outrider.\(table) WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM outrider.\(table) WHERE \(column) < $1::timestamptz LIMIT \(Self.mostRowsPerStep))) RETURNING 1)
      SELECT count(*) FROM gone
      """, [.time(cutoff)], job: "retention"
    ) { [weak self] rows in
      if rows.integer(0, 0) == Int64(Self.mostRowsPerStep) {
        self?.removeRows(of: table, by: column, before: cutoff)
      }
    }
  }

  // MARK: Indices

  /// Makes the indices of partitions dense, once, two days after their end: then they take 41 instead of 72 bytes a row.
  private func reindexClosed() {
    query(
      """
      SELECT p.name, 0 FROM outrider.partition p WHERE p.parent = 'location' AND p.upper < now() - interval '2 days'
        AND obj_description(to_regclass('outrider.' || p.name), 'pg_class') IS DISTINCT FROM 'reindexed'
      UNION ALL SELECT c.relname::text, 1 FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
      WHERE NOT i.indisvalid AND c.relnamespace = 'outrider'::regnamespace AND c.relname ~ '^location_.*_ccnew[0-9]*$'
      ORDER BY 2 DESC, 1 LIMIT \(Self.mostReindexed)
      """, job: "reindex"
    ) { [weak self] rows in
      guard let self else { return }
      for row in 0..<rows.rowCount {
        guard let name = rows.text(row, 0) else { continue }
        if rows.integer(row, 1) == 1 {
          // Left by an interrupted run.
          script("DROP INDEX IF EXISTS outrider.\(name)")
        } else {
          script("REINDEX TABLE CONCURRENTLY outrider.\(name)") { [weak self] in
            self?.script("COMMENT ON TABLE outrider.\(name) IS 'reindexed'")
          }
        }
      }
    }
  }
}
