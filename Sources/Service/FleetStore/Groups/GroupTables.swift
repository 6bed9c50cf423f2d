import FleetPolicy
import FleetRecords
import PostgreSQL
import Quantities

/// The tables of records, filled with the rows of a group.
final class GroupTables {
  private static let place: [(name: String, type: ArrayColumn.Element)] = [
    ("latitude_e7", .int4), ("longitude_e7", .int4),
  ]
  private static let state: [(name: String, type: ArrayColumn.Element)] = [
    ("battery_state", .int2), ("battery_percent", .int2), ("wifi", .text),
  ]
  private static let key: [(name: String, type: ArrayColumn.Element)] = [
    ("time", .timestamptz), ("record", .int8), ("device", .int4), ("log", .int4), ("received_s", .int4),
  ]

  private let locations = RowTable(
    "location",
    key + place + state + [
      ("altitude_mm", .int4), ("speed_mmps", .int4), ("course_mdeg", .int4),
      ("horizontal_accuracy_mm", .int4),
      ("vertical_accuracy_mm", .int4), ("speed_accuracy_mmps", .int4), ("course_accuracy_mdeg", .int4),
      ("motion", .int2), ("fix", .int2), ("satellites", .int2), ("accuracy_source", .int2),
      ("time_quality", .int2),
      ("reasons", .int2), ("hdop_tenths", .int2), ("steps", .int4), ("trip", .timestamptz), ("extra", .jsonb),
    ])
  private let visits = RowTable(
    "visit",
    key + place + state + [
      ("arrival_time", .timestamptz), ("departure_time", .timestamptz), ("horizontal_accuracy_mm", .int4),
      ("radius_mm", .int4), ("extra", .jsonb),
    ])
  private let trips = RowTable(
    "trip",
    key + state + [
      ("start_time", .timestamptz), ("end_time", .timestamptz), ("mode", .text), ("duration_ms", .int8),
      ("distance_mm", .int8), ("steps", .int4), ("start_latitude_e7", .int4), ("start_longitude_e7", .int4),
      ("end_latitude_e7", .int4), ("end_longitude_e7", .int4), ("is_manual", .bool), ("ending", .text),
      ("is_reconstructed", .bool), ("extra", .jsonb),
    ])
  private let actions = RowTable("action", key + place + state + [("action", .text), ("extra", .jsonb)])
  private let events = RowTable(
    "event", key + [("kind", .text), ("detail", .text), ("value", .int8), ("fields", .jsonb)])

  /// The tables that have rows in this group, in the order in which every collector writes them.
  private(set) var filled: [RowTable] = []

  /// Takes over the rows of a group, and counts rows that occur twice in it.
  func fill(_ group: [Submission], age: RecordAge, now: Timestamp, known: inout [Int]) {
    filled = []
    begin(locations, group, now, \.locations, \.id, &known) { row, columns, next in
      append(row.place, columns, &next)
      append(row.device, columns, &next)
      append(columns, &next, row.altitudeMillimetres)
      append(columns, &next, row.speedMillimetresPerSecond)
      append(columns, &next, row.courseMillidegrees)
      append(columns, &next, row.horizontalAccuracyMillimetres)
      append(columns, &next, row.verticalAccuracyMillimetres)
      append(columns, &next, row.speedAccuracyMillimetresPerSecond)
      append(columns, &next, row.courseAccuracyMillidegrees)
      append(columns, &next, (row.motion?.rawValue).map(Int16.init))
      append(columns, &next, (row.fix?.rawValue).map(Int16.init))
      append(columns, &next, row.satellites.map(Int16.init))
      append(columns, &next, (row.accuracySource?.rawValue).map(Int16.init))
      append(columns, &next, (row.timeQuality?.rawValue).map(Int16.init))
      append(columns, &next, row.reasons.map(Int16.init(clamping:)))
      append(columns, &next, row.dilutionTenths.map(Int16.init(clamping:)))
      append(columns, &next, row.steps)
      append(columns, &next, row.trip)
      append(columns, &next, Self.extra(row.extra, row.id, age))
    }
    begin(visits, group, now, \.visits, \.id, &known) { row, columns, next in
      append(row.place, columns, &next)
      append(row.device, columns, &next)
      append(columns, &next, row.arrival)
      append(columns, &next, row.departure)
      append(columns, &next, row.horizontalAccuracyMillimetres)
      append(columns, &next, row.radiusMillimetres)
      append(columns, &next, Self.extra(row.extra, row.id, age))
    }
    begin(trips, group, now, \.trips, \.id, &known) { row, columns, next in
      append(row.device, columns, &next)
      append(columns, &next, row.start)
      append(columns, &next, row.end)
      append(columns, &next, row.mode)
      append(columns, &next, row.durationMilliseconds)
      append(columns, &next, row.distanceMillimetres)
      append(columns, &next, row.steps)
      append(row.startPlace, columns, &next)
      append(row.endPlace, columns, &next)
      append(columns, &next, row.isManual)
      append(columns, &next, row.ending)
      append(columns, &next, row.isReconstructed)
      append(columns, &next, Self.extra(row.extra, row.id, age))
    }
    begin(actions, group, now, \.actions, \.id, &known) { row, columns, next in
      append(row.place, columns, &next)
      append(row.device, columns, &next)
      append(columns, &next, row.action)
      append(columns, &next, Self.extra(row.extra, row.id, age))
    }
    begin(events, group, now, \.events, \.id, &known) { row, columns, next in
      append(columns, &next, row.kind)
      append(columns, &next, row.detail)
      append(columns, &next, row.value)
      append(columns, &next, row.fields)
    }
  }

  private func begin<Value>(
    _ table: RowTable, _ group: [Submission], _ now: Timestamp, _ values: (Upload) -> [Value],
    _ id: (Value) -> RowID, _ known: inout [Int], append: (Value, [ArrayColumn], inout Int) -> Void
  ) {
    let lists = group.map { values($0.upload) }
    guard lists.contains(where: { !$0.isEmpty }) else { return }
    var rows: [RowTable.Row] = []
    rows.reserveCapacity(lists.reduce(0) { $0 + $1.count })
    for (number, list) in lists.enumerated() {
      let device = group[number].owner?.device.number.value ?? 0
      for (index, value) in list.enumerated() {
        rows.append(
          RowTable.Row(
            device: device, id: id(value), submission: Int32(clamping: number), index: Int32(clamping: index))
        )
      }
    }
    table.begin(rows, known: &known)
    let columns = table.columns
    for row in table.rows {
      columns[0].append(row.id.time)
      columns[1].append(row.id.record)
      columns[2].append(row.device)
      columns[3].append(group[Int(row.submission)].owner?.log)
      columns[4].append(Int32(clamping: (now - row.id.time).wholeMilliseconds / 1000))
      var next = 5
      append(lists[Int(row.submission)][Int(row.index)], columns, &next)
    }
    filled.append(table)
  }

  /// The further columns, with a mark if the time is doubtful.
  private static func extra(_ text: String?, _ id: RowID, _ age: RecordAge) -> String? {
    guard age.isDoubtful(id.time) else { return text }
    let mark = #""time_doubtful":true}"#
    guard let text, let end = text.lastIndex(of: "}") else { return "{" + mark }
    let members = text[..<end]
    return members.contains("\"") ? members + "," + mark : "{" + mark
  }
}

private func append(_ columns: [ArrayColumn], _ next: inout Int, _ value: Int16?) {
  columns[next].append(value)
  next += 1
}

private func append(_ columns: [ArrayColumn], _ next: inout Int, _ value: Int32?) {
  columns[next].append(value)
  next += 1
}

private func append(_ columns: [ArrayColumn], _ next: inout Int, _ value: Int64?) {
  columns[next].append(value)
  next += 1
}

private func append(_ columns: [ArrayColumn], _ next: inout Int, _ value: Bool?) {
  columns[next].append(value)
  next += 1
}

private func append(_ columns: [ArrayColumn], _ next: inout Int, _ value: Timestamp?) {
  columns[next].append(value)
  next += 1
}

private func append(_ columns: [ArrayColumn], _ next: inout Int, _ value: String?) {
  columns[next].append(value)
  next += 1
}

private func append(_ place: PlaceColumns?, _ columns: [ArrayColumn], _ next: inout Int) {
  append(columns, &next, place?.latitudeE7)
  append(columns, &next, place?.longitudeE7)
}

private func append(_ state: DeviceStateColumns, _ columns: [ArrayColumn], _ next: inout Int) {
  append(columns, &next, (state.batteryState?.rawValue).map(Int16.init))
  append(columns, &next, state.batteryPercent.map(Int16.init))
  append(columns, &next, state.wifi)
}
