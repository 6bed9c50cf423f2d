import FleetPolicy
import FleetRecords
import PostgreSQL
import Quantities

/// What a group changes beside records: reports, outcomes of settings, the record numbers of logs, states of devices.
struct StateTables {
  /// The statements, in the order in which every collector sends them; each locks its rows in the order of their keys.
  private(set) var commands: [PostgresCommand] = []
  /// The position of the statement that returns `have`; nil without logs.
  private(set) var logPosition: Int?

  init(_ group: [Submission], age: RecordAge, desired: (AdmittedDevice) -> SettingsExchange.Whole) {
    addReports(group)
    addOutcomes(group, desired: desired)
    addLogs(group)
    addStates(group, age)
    // Last, as in an erasure: after the lock on erased periods, which the states take.
    addAnswers(group)
  }

  // MARK: Reports and outcomes

  private mutating func addReports(_ group: [Submission]) {
    let (devices, times, reports) = (ArrayColumn(.int4), ArrayColumn(.timestamptz), ArrayColumn(.jsonb))
    let sorted = group.sorted { ($0.number, $0.received) < ($1.number, $1.received) }
    for submission in sorted {
      guard let report = submission.upload.report else { continue }
      devices.append(submission.number)
      times.append(submission.received)
      reports.append(report.text)
    }
    guard devices.count > 0 else { return }
    commands.append(
      PostgresCommand(
        """
        INSERT INTO outrider.report (device, time, report)
        SELECT device, time, report - 'answer'
        FROM unnest($1::int4[], $2::timestamptz[], $3::jsonb[]) AS i (device, time, report) ON CONFLICT DO NOTHING
        """, [.array(devices), .array(times), .array(reports)]))
  }

  /// The answers are kept with their questions, not with the reports.
  private mutating func addAnswers(_ group: [Submission]) {
    let (devices, ids, times) = (ArrayColumn(.int4), ArrayColumn(.int8), ArrayColumn(.timestamptz))
    let (outcomes, answers) = (ArrayColumn(.text), ArrayColumn(.jsonb))
    for submission in group {
      guard let answer = submission.upload.report?.answer else { continue }
      devices.append(submission.number)
      ids.append(answer.question)
      times.append(submission.received)
      outcomes.append(answer.outcome.rawValue)
      answers.append(answer.text)
    }
    guard devices.count > 0 else { return }
    commands.append(
      PostgresCommand(
        """
        WITH open AS (
          SELECT q.id, i.time, i.outcome, i.answer
          FROM unnest($1::int4[], $2::int8[], $3::timestamptz[], $4::text[], $5::jsonb[])
            AS i (device, id, time, outcome, answer)
          JOIN outrider.question q ON q.id = i.id AND q.device = i.device
          WHERE q.answered IS NULL ORDER BY q.id FOR UPDATE OF q)
        UPDATE outrider.question AS q SET answered = o.time, outcome = o.outcome,
          answer = nullif(o.answer - '{id,question,outcome}'::text[], '{}')
        FROM open o WHERE q.id = o.id
        """, [.array(devices), .array(ids), .array(times), .array(outcomes), .array(answers)]))
  }

  private mutating func addOutcomes(
    _ group: [Submission], desired: (AdmittedDevice) -> SettingsExchange.Whole
  ) {
    struct Key: Hashable {
      let device: Int32
      let key: String
    }
    var latest: [Key: (outcome: SettingOutcome, value: String, time: Timestamp, desired: String?)] = [:]
    for submission in group {
      guard let report = submission.upload.report, !report.settingOutcomes.isEmpty,
        let owner = submission.owner
      else { continue }
      let wanted = desired(owner.device)
      // Only a device that has the values of the last response speaks of them.
      let isCurrent = report.settingsHash == wanted.hash
      for outcome in report.settingOutcomes {
        let key = Key(device: submission.number, key: outcome.key)
        // By a clock that is ahead, an outcome would hide those after it.
        let time = min(outcome.time ?? submission.received, submission.received)
        guard let value = outcome.value ?? (isCurrent ? wanted.values[outcome.key] : nil),
          latest[key].map({ $0.time <= time }) ?? true
        else { continue }
        latest[key] = (outcome, value, time, wanted.values[outcome.key])
      }
    }
    guard !latest.isEmpty else { return }
    let columns: [ArrayColumn] = [
      ArrayColumn(.int4), ArrayColumn(.text), ArrayColumn(.jsonb), ArrayColumn(.text),
      ArrayColumn(.timestamptz),
      ArrayColumn(.text), ArrayColumn(.jsonb),
    ]
    for (key, value) in latest.sorted(by: { ($0.key.device, $0.key.key) < ($1.key.device, $1.key.key) }) {
      columns[0].append(key.device)
      columns[1].append(key.key)
      columns[2].append(value.value)
      columns[3].append(value.outcome.reason)
      columns[4].append(value.time)
      columns[5].append(SettingState(value.outcome.outcome, isStillDesired: true).rawValue)
      columns[6].append(value.desired)
    }
    // Values are compared as jsonb, because the device may write them differently.
    commands.append(
      PostgresCommand(
        """
        INSERT INTO outrider.setting_outcome AS o (device, key, value, reason, time, outcome)
        SELECT device, key, value, reason, time, CASE WHEN desired = value THEN state ELSE '\(SettingState.superseded.rawValue)' END
        FROM unnest($1::int4[], $2::text[], $3::jsonb[], $4::text[], $5::timestamptz[], $6::text[], $7::jsonb[])
          AS i (device, key, value, reason, time, state, desired)
        ON CONFLICT (device, key) DO UPDATE
          SET value = excluded.value, reason = excluded.reason, time = excluded.time, outcome = excluded.outcome
          WHERE excluded.time >= o.time OR o.outcome IN ('desired', 'sent')
            AND o.value = excluded.value
        """, columns.map { .array($0) }))
  }

  // MARK: Record numbers

  private mutating func addLogs(_ group: [Submission]) {
    let (ids, lows, highs) = (ArrayColumn(.int4), ArrayColumn(.int8), ArrayColumn(.int8))
    let beginnings = ArrayColumn(.int8)
    let (logs, devices, fields) = (ArrayColumn(.int4), ArrayColumn(.int4), ArrayColumn(.jsonb))
    for submission in group {
      guard let log = submission.owner?.log else { continue }
      ids.append(log)
      lows.append(submission.upload.range?.lowerBound)
      highs.append(submission.upload.range?.upperBound)
      beginnings.append(submission.upload.first)
      for event in submission.setAside {
        logs.append(log)
        devices.append(submission.number)
        fields.append(event)
      }
    }
    guard ids.count > 0 else { return }
    commands.append(
      PostgresCommand(
        "SELECT FROM outrider.device_log WHERE id = ANY ($1::int4[]) ORDER BY id FOR UPDATE", [.array(ids)]))
    logPosition = commands.count
    commands.append(
      PostgresCommand(
        Self.logStatement,
        [
          .array(ids), .array(lows), .array(highs), .array(beginnings), .array(logs), .array(devices),
          .array(fields),
        ]))
  }

  /// A field of an event as a number; NULL if it is none.
  private static func number(_ field: String) -> String {
    "CASE WHEN a.fields ->> '\(field)' ~ '^[0-9]{1,18}$' THEN (a.fields ->> '\(field)')::int8 END"
  }

  /// Numbers before the first one that a device would send are accounted for. So a log of which the database knows nothing
  /// has 0, and the device sends all of it. A log of a program that names no first number begins with the lowest known one.
  ///
  /// A record that was set aside is accounted for, although it is stored nowhere, unless the event speaks of another of
  /// the device's destinations. So are `count - 1` numbers before it, which are hidden.
  private static let logStatement = """
    UPDATE outrider.device_log AS l SET records = l.records + i.added
    FROM (
      SELECT id, bool_or(beginning IS NOT NULL) AS is_whole,
        range_agg(CASE WHEN low IS NULL THEN 'empty' ELSE int8range(low, high, '[]') END)
          + range_agg(CASE WHEN beginning > 1 THEN int8range(1, beginning) ELSE 'empty' END) AS added
      FROM (
        SELECT * FROM unnest($1::int4[], $2::int8[], $3::int8[], $4::int8[]) AS u (id, low, high, beginning)
        UNION ALL
        SELECT a.id, greatest(n.record - greatest(n.count, 1) + 1, least(n.record, 1)), n.record, NULL
        FROM unnest($5::int4[], $6::int4[], $7::jsonb[]) AS a (id, device, fields)
          CROSS JOIN LATERAL (SELECT \(number("record")) AS record, \(number("count")) AS count) AS n
          LEFT JOIN outrider.device_state AS s ON s.device = a.device
        WHERE n.record IS NOT NULL
          AND coalesce(s.report ->> 'destination' = a.fields ->> 'destination', true)) AS u
      GROUP BY id) AS i
    WHERE l.id = i.id
    RETURNING l.id, coalesce(
      (SELECT CASE WHEN i.is_whole AND lower(r) > 1 THEN 0 ELSE upper(r) - 1 END
        FROM unnest(l.records) AS r ORDER BY lower(r) LIMIT 1),
      CASE WHEN i.is_whole THEN 0 END)
    """

  // MARK: States of devices

  private struct DeviceChange {
    var seen: Timestamp
    var newest: LocationRow?
    var report: DeviceReport?
    var reportTime: Timestamp?
  }

  private mutating func addStates(_ group: [Submission], _ age: RecordAge) {
    var changes: [Int32: DeviceChange] = [:]
    for submission in group {
      var change = changes[submission.number] ?? DeviceChange(seen: submission.received)
      change.seen = max(change.seen, submission.received)
      for row in submission.upload.locations where !age.isDoubtful(row.id.time) {
        if let newest = change.newest, newest.id.time >= row.id.time { continue }
        change.newest = row
      }
      if let report = submission.upload.report, change.reportTime.map({ $0 <= submission.received }) ?? true {
        (change.report, change.reportTime) = (report, submission.received)
      }
      changes[submission.number] = change
    }
    let types: [ArrayColumn.Element] = [
      .int4, .timestamptz, .timestamptz, .timestamptz, .int4, .int4, .int4, .int2, .text, .text, .int8,
      .float4, .jsonb,
      .timestamptz,
    ]
    let columns = types.map { ArrayColumn($0, capacity: changes.count) }
    for (device, change) in changes.sorted(by: { $0.key < $1.key }) {
      let (row, report) = (change.newest, change.report)
      columns[0].append(device)
      columns[1].append(change.seen)
      columns[2].append(change.reportTime.flatMap { report?.nextContact(received: $0) })
      columns[3].append(row?.id.time)
      columns[4].append(row?.place.latitudeE7)
      columns[5].append(row?.place.longitudeE7)
      columns[6].append(row?.speedMillimetresPerSecond)
      columns[7].append((row?.device.batteryPercent).map(Int16.init))
      columns[8].append(report?.version)
      columns[9].append(report?.settingsHash)
      columns[10].append(report?.queuedRecords)
      columns[11].append((report?.daysLeft).flatMap(Self.days))
      columns[12].append(report?.text)
      columns[13].append(change.reportTime)
    }
    let arrays = types.enumerated().map { "$\($0.offset + 1)::\($0.element)[]" }.joined(separator: ", ")
    commands.append(PostgresCommand(Self.stateStatement(arrays), columns.map { .array($0) }))
  }

  /// Limited to a million days, so that times can be calculated from it.
  private static func days(_ value: Double) -> Float? {
    value.isFinite ? Float(min(max(value, 0), 1e6)) : nil
  }

  /// Without a report, a next contact that has passed moves on by the interval that the device last announced.
  private static func stateStatement(_ arrays: String) -> String {
    func newer(_ column: String) -> String {
      "\(column) = CASE WHEN s.last_time IS NULL OR excluded.last_time > s.last_time "
        + "THEN excluded.\(column) ELSE s.\(column) END"
    }
    func reported(_ column: String) -> String { "\(column) = coalesce(excluded.\(column), s.\(column))" }
    // The position of an erased period must not come back.
    let place = ["time", "latitude", "longitude", "speed", "battery"]
      .map { "CASE WHEN NOT \(FleetErasures.condition(devices: "$1::int4[]", record: nil)) THEN i.\($0) END" }
      .joined(separator: ", ")
    let position = ["last_time", "latitude_e7", "longitude_e7", "speed_mmps", "battery_percent"].map(newer)
    let report = ["version", "settings_hash", "queued_records", "days_left", "report", "report_time"].map(
      reported)
    return """
      INSERT INTO outrider.device_state AS s (device, last_seen, next_contact, last_time, latitude_e7, longitude_e7,
        speed_mmps, battery_percent, version, settings_hash, queued_records, days_left, report, report_time)
      SELECT i.device, i.seen, i.next_contact, \(place), i.version, i.hash, i.queued, i.days, i.report - 'answer',
        i.report_time
      FROM unnest(\(arrays)) AS i (device, seen, next_contact, time, latitude, longitude, speed, battery, version, hash,
        queued, days, report, report_time)
      ON CONFLICT (device) DO UPDATE SET last_seen = greatest(s.last_seen, excluded.last_seen),
        next_contact = CASE WHEN excluded.report_time IS NOT NULL THEN excluded.next_contact
          WHEN s.next_contact > excluded.last_seen THEN s.next_contact
          ELSE excluded.last_seen + (s.next_contact - s.report_time) END,
        \((position + report).joined(separator: ",\n  "))
      """
  }
}

extension Submission {
  /// The number of the device; 0 before the preparation.
  fileprivate var number: Int32 { owner?.device.number.value ?? 0 }
}
