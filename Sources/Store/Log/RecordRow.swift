import Database
import Quantities
import Records

/// A row of the table `record`, as columns and as a value.
enum RecordRow {
  static let label = "record"
  static let columnCount = 28

  /// What a row turned out to be.
  enum Reading {
    case record(StoredRecord, isLate: Bool)
    /// Whole, but with a word that this program does not know.
    case foreign
    /// The checksum does not fit.
    case damaged
  }

  enum Kind {
    static let location: Int64 = 0
    static let event: Int64 = 1
  }

  // Bytes of UTF-8 that are kept of each text, so that a row fits in one page.
  static let longestNetworkName = 64
  static let longestDeviceID = 128

  static let columns = """
    id, kind, boot, moment_ns, time_ms, time_quality, late, latitude_e7, longitude_e7, altitude_mm, \
    speed_mmps, course_mdeg, horizontal_accuracy_mm, vertical_accuracy_mm, speed_accuracy_mmps, \
    course_accuracy_mdeg, accuracy_source, fix, satellites, motion, battery_state, battery_percent, wifi, \
    device_id, event, detail, value, crc
    """
  static let insertion =
    "INSERT INTO record (\(columns)) VALUES (\(Array(repeating: "?", count: columnCount).joined(separator: ", ")))"

  /// All columns in order, checksum last.
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
    }
    row[columnCount - 1] = .integer(Checksum.of(row[..<(columnCount - 1)], label: label))
    return row
  }

  private static func write(_ location: LocationRecord, to row: inout [ColumnValue]) {
    row[1] = .integer(Kind.location)
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
    row[20] = .integer(Int64(location.batteryState.rawValue))
    row[21] = .optional(location.batteryPercent)
    row[22] = .text(location.wifi.cut(toBytes: longestNetworkName))
    row[23] = .text(location.deviceID.cut(toBytes: longestDeviceID))
  }

  private static func write(_ event: EventRecord, to row: inout [ColumnValue]) {
    row[1] = .integer(Kind.event)
    row[24] = .text(event.kind.rawValue)
    row[25] = .text(event.detail.cut(toBytes: EventRecord.longestDetail))
    row[26] = .optional(event.value)
  }

  /// True when a row says that it is a dated location of the ordinary queue; checked or not.
  static func claimsToBeQueued(_ row: [ColumnValue]) -> Bool {
    row.count == columnCount && row[1] == .integer(Kind.location) && row[4] != .null && row[6] == .integer(0)
  }

  static func isWhole(_ row: [ColumnValue]) -> Bool {
    row.count == columnCount
      && row[columnCount - 1] == .integer(Checksum.of(row[..<(columnCount - 1)], label: label))
  }

  static func read(_ row: [ColumnValue]) -> Reading {
    guard isWhole(row), let id = row[0].integer, let kind = row[1].integer, let boot = row[2].integer,
      let moment = row[3].integer
    else { return .damaged }
    guard let body = kind == Kind.location ? location(row) : event(row),
      let quality = row[5].enumeration(ClockQuality.self)
    else { return .foreign }
    let record = LogRecord(
      moment: Moment(nanoseconds: moment), time: row[4].integer.map(Timestamp.init(milliseconds:)),
      timeQuality: quality, body: body)
    return .record(StoredRecord(id: RecordID(id), boot: boot, record: record), isLate: row[6] == .integer(1))
  }

  private static func location(_ row: [ColumnValue]) -> LogRecord.Body? {
    guard let latitude: Int32 = row[7].exactly(), let longitude: Int32 = row[8].exactly(),
      let coordinate = Coordinate(latitudeE7: latitude, longitudeE7: longitude),
      let source = row[16].enumeration(AccuracySource.self), let fix = row[17].enumeration(FixKind.self),
      let motion: UInt8 = row[19].exactly(), let battery = row[20].enumeration(BatteryState.self)
    else { return nil }
    var location = LocationRecord(coordinate: coordinate, fixKind: fix, deviceID: row[23].text ?? "")
    location.altitudeMillimetres = row[9].exactly()
    location.speedMillimetresPerSecond = row[10].exactly()
    location.courseMillidegrees = row[11].exactly()
    location.horizontalAccuracyMillimetres = row[12].exactly()
    location.verticalAccuracyMillimetres = row[13].exactly()
    location.speedAccuracyMillimetresPerSecond = row[14].exactly()
    location.courseAccuracyMillidegrees = row[15].exactly()
    location.accuracySource = source
    location.satellitesUsed = row[18].exactly()
    location.motion = MotionStates(rawValue: motion)
    location.batteryState = battery
    location.batteryPercent = row[21].exactly()
    location.wifi = row[22].text ?? ""
    return .location(location)
  }

  private static func event(_ row: [ColumnValue]) -> LogRecord.Body? {
    guard row[1] == .integer(Kind.event), let kind = row[24].text.flatMap(EventKind.init(rawValue:)) else {
      return nil
    }
    return .event(EventRecord(kind, detail: row[25].text ?? "", value: row[26].integer))
  }
}

extension ColumnValue {
  /// The whole number, when it fits.
  fileprivate func exactly<Number: BinaryInteger>() -> Number? { integer.flatMap(Number.init(exactly:)) }

  fileprivate func enumeration<Word: RawRepresentable>(_: Word.Type) -> Word? where Word.RawValue == UInt8 {
    integer.flatMap(UInt8.init(exactly:)).flatMap(Word.init(rawValue:))
  }
}

extension String {
  /// As many whole characters from the start as fit in `limit` bytes of UTF-8.
  func cut(toBytes limit: Int) -> String {
    guard utf8.count > limit else { return self }
    var length = 0
    return String(
      prefix { character in
        length += character.utf8.count
        return length <= limit
      })
  }
}
