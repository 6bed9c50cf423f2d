import Database
import JSON
import Quantities
import Records

/// Converts between a record and its row in the table `record`.
///
/// The checksum `crc` covers the first 27 columns. The columns after it were added in two later versions. Each addition
/// has its own checksum, which is null while all of its columns are null. Earlier versions read such rows, too.
enum RecordRow {
  /// Name of the table in the checksum of a row.
  static let label = "record"
  static let columnCount = 35
  /// Numbers of columns in rows that earlier versions wrote.
  static let earlierColumnCounts = [28, 33]
  static let extraLabel = "record extra"
  static let fieldsLabel = "record fields"

  /// Indices of columns that other files use.
  enum Column {
    static let checksum = 27
    static let trip = 28
    static let steps = 29
    static let reasons = 30
    static let statistics = 31
    static let extraChecksum = 32
    static let fields = 33
    static let fieldsChecksum = 34
  }

  /// The result of reading a row.
  enum Reading {
    case record(StoredRecord, isLate: Bool)
    /// Valid, but with a value that this version does not know.
    case foreign
    /// The checksum is wrong, or a number is out of range.
    case damaged
  }

  /// Values of the column `kind`.
  enum Kind {
    static let location: Int64 = 0
    static let event: Int64 = 1
    static let visit: Int64 = 2
    static let trip: Int64 = 3
    static let action: Int64 = 4
  }

  // Limits of texts in bytes of UTF-8, so that a row fits in one database page.
  static let longestNetworkName = 64
  static let longestDeviceID = 128

  /// The columns to select from a log that has no fields of events yet.
  static let columnsWithoutFields = firstColumns + ", NULL, NULL"
  static let columns = firstColumns + ", fields, fields_crc"
  private static let firstColumns = """
    id, kind, boot, moment_ns, time_ms, time_quality, late, latitude_e7, longitude_e7, altitude_mm, \
    speed_mmps, course_mdeg, horizontal_accuracy_mm, vertical_accuracy_mm, speed_accuracy_mmps, \
    course_accuracy_mdeg, accuracy_source, fix, satellites, motion, battery_state, battery_percent, wifi, \
    device_id, event, detail, value, crc, trip_ms, steps, reasons, tracking, extra_crc
    """
  static let insertion =
    "INSERT INTO record (\(columns)) VALUES (\(Array(repeating: "?", count: columnCount).joined(separator: ", ")))"

  /// All columns of a record, in order.
  static func columns(of stored: StoredRecord, isLate: Bool) -> [ColumnValue] {
    let record = stored.record
    var row = [ColumnValue](repeating: .null, count: columnCount)
    row[0] = .integer(stored.id.rawValue)
    row[2] = .integer(stored.boot)
    row[3] = .integer(record.moment.nanoseconds)
    row[4] = .optional(record.time?.milliseconds)
    row[5] = .integer(Int64(record.timeQuality.rawValue))
    row[6] = .integer(isLate ? 1 : 0)
    switch record.body {
    case .location(let location): write(location, to: &row)
    case .event(let event): write(event, to: &row)
    case .visit(let visit): write(visit, to: &row)
    case .trip(let trip): write(trip, to: &row)
    case .action(let action): write(action, to: &row)
    }
    row[Column.checksum] = checksum(of: row)
    row[Column.extraChecksum] = extraChecksum(of: row)
    row[Column.fieldsChecksum] = fieldsChecksum(of: row)
    return row
  }

  static func checksum(of row: [ColumnValue]) -> ColumnValue {
    .integer(Checksum.of(row[..<Column.checksum], label: label))
  }

  /// The checksum of columns 28 to 31; null if all of them are null.
  static func extraChecksum(of row: [ColumnValue]) -> ColumnValue {
    let extra = row[Column.trip..<Column.extraChecksum]
    guard extra.contains(where: { $0 != .null }) else { return .null }
    var checksum = Checksum(label: extraLabel)
    checksum.add(row[0])
    for value in extra { checksum.add(value) }
    return .integer(checksum.value)
  }

  /// The checksum of the fields; null for a row without fields.
  static func fieldsChecksum(of row: [ColumnValue]) -> ColumnValue {
    guard row[Column.fields] != .null else { return .null }
    var checksum = Checksum(label: fieldsLabel)
    checksum.add(row[0])
    checksum.add(row[Column.fields])
    return .integer(checksum.value)
  }

  private static func write(_ location: LocationRecord, to row: inout [ColumnValue]) {
    row[1] = .integer(Kind.location)
    writePosition(of: location, to: &row)
    // Events and trips use this column for another number.
    row[26] = .optional(location.horizontalDilutionTenths)
    write(location.device, to: &row)
    row[Column.trip] = .optional(location.trip?.column)
    row[Column.steps] = .optional(location.steps)
    // The reason of nearly every record is its period, so that one is stored as null.
    if location.reasons != .period { row[Column.reasons] = .integer(Int64(location.reasons.rawValue)) }
    row[Column.statistics] = .optional(location.statistics?.packed)
  }

  /// Position, speed and their accuracies: columns 7 to 19.
  static func writePosition(of location: LocationRecord, to row: inout [ColumnValue]) {
    row[7] = .integer(Int64(location.coordinate.latitudeE7))
    row[8] = .integer(Int64(location.coordinate.longitudeE7))
    row[9] = .optional(location.altitudeMillimetres)
    row[10] = .optional(location.speedMillimetresPerSecond)
    row[11] = .optional(location.courseMillidegrees)
    row[12] = .optional(location.horizontalAccuracyMillimetres)
    row[13] = .optional(location.verticalAccuracyMillimetres)
    row[14] = .optional(location.speedAccuracyMillimetresPerSecond)
    row[15] = .optional(location.courseAccuracyMillidegrees)
    row[16] = .integer(Int64(location.accuracySource.rawValue))
    row[17] = .integer(Int64(location.fixKind.rawValue))
    row[18] = .optional(location.satellitesUsed)
    row[19] = .integer(Int64(location.motion.rawValue))
  }

  /// The device state: columns 20 to 23.
  static func write(_ device: DeviceState, to row: inout [ColumnValue]) {
    row[20] = .integer(Int64(device.batteryState.rawValue))
    row[21] = .optional(device.batteryPercent)
    row[22] = .text(device.wifi.cut(toBytes: longestNetworkName))
    row[23] = .text(device.deviceID.cut(toBytes: longestDeviceID))
  }

  private static func write(_ event: EventRecord, to row: inout [ColumnValue]) {
    row[1] = .integer(Kind.event)
    row[24] = .text(event.kind.rawValue)
    row[25] = .text(event.detail.cut(toBytes: EventRecord.longestDetail))
    row[26] = .optional(event.value)
    if !event.fields.isEmpty { row[Column.fields] = .text(event.fields.json) }
  }

  /// True if the columns are those of a dated record of the ordinary queue. The checksum is not verified.
  static func isMarkedAsQueued(_ row: [ColumnValue], with events: EventSelection) -> Bool {
    row.count == columnCount && isSelected(row, by: events) && row[4] != .null && row[6] == .integer(0)
  }

  /// True for a record that is no event, and for an event of the selection.
  static func isSelected(_ row: [ColumnValue], by events: EventSelection) -> Bool {
    guard isEvent(row) else { return true }
    guard row.count == columnCount, case .text(let kind) = row[24] else { return events == .all }
    return EventKind(rawValue: kind).map(events.contains) ?? (events == .all)
  }

  /// The condition of ``isSelected(_:by:)`` in SQL.
  static func condition(for events: EventSelection) -> String {
    let kinds = EventKind.allCases.filter(events.contains).map { "'\($0.rawValue)'" }
    switch events {
    case .none: return "kind <> \(Kind.event)"
    case .zones: return "(kind <> \(Kind.event) OR event IN (\(kinds.joined(separator: ", "))))"
    case .all: return "TRUE"
    }
  }

  /// True if the row is marked as an event.
  static func isEvent(_ row: [ColumnValue]) -> Bool { row.count > 1 && row[1] == .integer(Kind.event) }

  /// True if the row is complete and all checksums are right.
  static func isWhole(_ row: [ColumnValue]) -> Bool {
    row.count == columnCount && row[Column.checksum] == checksum(of: row)
      && row[Column.extraChecksum] == extraChecksum(of: row)
      && row[Column.fieldsChecksum] == fieldsChecksum(of: row)
  }

  /// True for a row that ``read(_:)`` reports as damaged.
  static func isDamaged(_ row: [ColumnValue]) -> Bool { head(row) == nil }

  /// The first columns of an intact row.
  private static func head(_ row: [ColumnValue]) -> (id: Int64, kind: Int64, boot: Int64, moment: Int64)? {
    guard isWhole(row), let id = row[0].id, id > 0, let kind = row[1].integer, let boot = row[2].integer,
      let moment = row[3].integer, row[4] == .null || row[4].milliseconds != nil
    else { return nil }
    return (id, kind, boot, moment)
  }

  /// Verifies a row and reads its record.
  static func read(_ row: [ColumnValue]) -> Reading {
    guard let (id, kind, boot, moment) = head(row) else { return .damaged }
    guard let body = body(of: kind, row), let quality = row[5].enumeration(ClockQuality.self) else {
      return .foreign
    }
    let record = LogRecord(
      moment: Moment(nanoseconds: moment), time: row[4].integer.map(Timestamp.init(milliseconds:)),
      timeQuality: quality, body: body)
    return .record(StoredRecord(id: RecordID(id), boot: boot, record: record), isLate: row[6] == .integer(1))
  }

  private static func body(of kind: Int64, _ row: [ColumnValue]) -> LogRecord.Body? {
    switch kind {
    case Kind.location: location(row).map { .location($0) }
    case Kind.event: event(row)
    case Kind.visit: visit(row).map { .visit($0) }
    case Kind.trip: trip(row).map { .trip($0) }
    case Kind.action: action(row).map { .action($0) }
    default: nil
    }
  }

  private static func kind(of row: [ColumnValue]) -> Int64? { row[1].integer }

  static func coordinate(_ row: [ColumnValue]) -> Coordinate? {
    guard let latitude: Int32 = row[7].exactly(), let longitude: Int32 = row[8].exactly() else { return nil }
    return Coordinate(latitudeE7: latitude, longitudeE7: longitude)
  }

  static func device(_ row: [ColumnValue]) -> DeviceState? {
    guard let battery = row[20].enumeration(BatteryState.self) else { return nil }
    return DeviceState(
      deviceID: row[23].text ?? "", batteryState: battery, batteryPercent: row[21].exactly(),
      wifi: row[22].text ?? "")
  }

  static func location(_ row: [ColumnValue]) -> LocationRecord? {
    guard let coordinate = coordinate(row), let source = row[16].enumeration(AccuracySource.self),
      let fix = row[17].enumeration(FixKind.self),
      let motion: UInt8 = row[19].exactly(), let device = device(row)
    else { return nil }
    var location = LocationRecord(coordinate: coordinate, fixKind: fix, deviceID: device.deviceID)
    location.altitudeMillimetres = row[9].exactly()
    location.speedMillimetresPerSecond = row[10].exactly()
    location.courseMillidegrees = row[11].exactly()
    location.horizontalAccuracyMillimetres = row[12].exactly()
    location.verticalAccuracyMillimetres = row[13].exactly()
    location.speedAccuracyMillimetresPerSecond = row[14].exactly()
    location.courseAccuracyMillidegrees = row[15].exactly()
    location.accuracySource = source
    location.satellitesUsed = row[18].exactly()
    location.horizontalDilutionTenths = kind(of: row) == Kind.location ? row[26].exactly() : nil
    location.motion = MotionStates(rawValue: motion)
    location.batteryState = device.batteryState
    location.batteryPercent = device.batteryPercent
    location.wifi = device.wifi
    location.trip = row[Column.trip].integer.map(Instant.init(column:))
    location.steps = row[Column.steps].exactly()
    if let reasons: UInt16 = row[Column.reasons].exactly() {
      location.reasons = KeepReasons(rawValue: reasons)
    }
    location.statistics = row[Column.statistics].exactly().flatMap(TrackingStatistics.init(packed:))
    return location
  }

  private static func event(_ row: [ColumnValue]) -> LogRecord.Body? {
    guard let kind = row[24].text.flatMap(EventKind.init(rawValue:)) else { return nil }
    return .event(
      EventRecord(kind, detail: row[25].text ?? "", value: row[26].integer, fields: fields(row)))
  }
}

extension RecordRow {
  /// The fields of an event; empty if they cannot be parsed, because the sentence has the same content.
  private static func fields(_ row: [ColumnValue]) -> EventFields {
    guard let text = row[Column.fields].text,
      let json = try? CheckedJSON(text.utf8, limits: CheckedJSON.Limits(depth: 3, values: 100))
    else { return [:] }
    return (try? json.decode(EventFields.self)) ?? [:]
  }
}

extension ColumnValue {
  /// The id of a record, or zero; nil for a number out of range (``Records/RecordID/highest``).
  var id: Int64? { integer.flatMap { (0...RecordID.highest.rawValue).contains($0) ? $0 : nil } }

  /// True if the value is null or an id.
  var isOptionalID: Bool { self == .null || id != nil }

  /// Milliseconds within 285,000 years of 1970, so that no sum or difference of two overflows; nil for others.
  var milliseconds: Int64? {
    integer.flatMap { $0.magnitude <= UInt64(RecordID.highest.rawValue) ? $0 : nil }
  }

  /// The integer as a narrower type; nil if it does not fit.
  func exactly<Number: BinaryInteger>() -> Number? { integer.flatMap(Number.init(exactly:)) }

  func enumeration<Enumeration: RawRepresentable>(_: Enumeration.Type) -> Enumeration?
  where Enumeration.RawValue == UInt8 {
    integer.flatMap(UInt8.init(exactly:)).flatMap(Enumeration.init(rawValue:))
  }
}

extension Instant {
  /// The stored number: milliseconds of UTC, or the bitwise inverted milliseconds of the boot clock if not dated yet.
  var column: Int64 {
    switch self {
    case .utc(let time): max(time.milliseconds, 0)
    case .boot(let moment): ~max(moment.nanoseconds / 1_000_000, 0)
    }
  }

  init(column: Int64) {
    guard column < 0 else {
      self = .utc(Timestamp(milliseconds: column))
      return
    }
    let (nanoseconds, overflow) = (~column).multipliedReportingOverflow(by: 1_000_000)
    self = .boot(Moment(nanoseconds: overflow ? .max : nanoseconds))
  }
}
