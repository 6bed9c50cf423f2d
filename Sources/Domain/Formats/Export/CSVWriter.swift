import Quantities
import Records

/// A column of an exported CSV file. The names are those of the view `location` of the log; its times are ISO 8601 here.
public enum ExportColumn: String, CaseIterable, Sendable {
  case id, time, latitude, longitude
  case altitude = "altitude_m"
  case speed = "speed_mps"
  case course = "course_deg"
  case horizontalAccuracy = "horizontal_accuracy_m"
  case verticalAccuracy = "vertical_accuracy_m"
  case speedAccuracy = "speed_accuracy_mps"
  case courseAccuracy = "course_accuracy_deg"
  case fix, satellites, hdop, motion
  case accuracySource = "accuracy_source"
  case timeQuality = "time_quality"
  case trip = "trip_start_time"
  case steps, reasons
  case batteryState = "battery_state"
  case batteryPercent = "battery_percent"
  case wifi
  case device = "device_id"
  case boot
  case moment = "moment_ms"
}

/// Writes CSV (RFC 4180): a header, then a line a location. Unknown values are empty.
struct CSVWriter: ExportWriter {
  let columns: [ExportColumn]

  func write(_ element: ExportElement, to text: inout [UInt8]) {
    switch element {
    case .start: append(to: &text) { $0.append(contentsOf: $1.rawValue.utf8) }
    case .point(let point): append(to: &text) { Self.append($1, of: point, to: &$0) }
    default: break
    }
  }

  private func append(to text: inout [UInt8], _ value: (inout [UInt8], ExportColumn) -> Void) {
    for (index, column) in columns.enumerated() {
      if index > 0 { text.append(",") }
      value(&text, column)
    }
    text.append("\r\n")
  }

  private static func append(_ column: ExportColumn, of point: ExportPoint, to text: inout [UInt8]) {
    let location = point.location
    func number(_ value: (some BinaryInteger)?, _ decimals: Int = 0) {
      if let value { text.appendDecimal(Int64(value), decimals: decimals) }
    }
    func quoted(_ value: String) { text.appendCSV(value) }
    switch column {
    case .id: number(point.id.rawValue)
    case .time: point.time.appendISO8601(to: &text, fraction: .milliseconds)
    case .latitude: number(location.coordinate.latitudeE7, 7)
    case .longitude: number(location.coordinate.longitudeE7, 7)
    case .altitude: number(location.altitudeMillimetres, 3)
    case .speed: number(location.speedMillimetresPerSecond, 3)
    case .course: number(location.courseMillidegrees, 3)
    case .horizontalAccuracy: number(location.horizontalAccuracyMillimetres, 3)
    case .verticalAccuracy: number(location.verticalAccuracyMillimetres, 3)
    case .speedAccuracy: number(location.speedAccuracyMillimetresPerSecond, 3)
    case .courseAccuracy: number(location.courseAccuracyMillidegrees, 3)
    case .fix: text.append(location.fixKind.word)
    case .satellites: number(location.satellitesUsed)
    case .hdop: number(location.horizontalDilutionTenths, 1)
    case .motion: quoted(point.motion)
    case .accuracySource: text.append(location.accuracySource.word)
    case .timeQuality: text.append(point.quality.word)
    case .trip: location.trip?.time?.appendISO8601(to: &text)
    case .steps: number(location.steps)
    case .reasons: quoted(point.reasons)
    case .batteryState: text.append(location.batteryState.word)
    case .batteryPercent: number(location.batteryPercent)
    case .wifi: quoted(location.wifi)
    case .device: quoted(location.deviceID)
    case .boot: number(point.boot)
    case .moment: number(point.moment.nanoseconds / 1_000_000)
    }
  }
}

/// Writes CSV with the column names of gpsbabel's format unicsv.
struct GPSBabelWriter: ExportWriter {
  func write(_ element: ExportElement, to text: inout [UInt8]) {
    switch element {
    case .start: text.append("date,time,lat,lon,alt,speed,course,sat,fix\r\n")
    case .point(let point): append(point, to: &text)
    default: break
    }
  }

  private func append(_ point: ExportPoint, to text: inout [UInt8]) {
    let time = point.time.iso8601(fraction: .milliseconds).split(separator: "T")
    text.append(contentsOf: (time.first ?? "").utf8)
    text.append(",")
    text.append(contentsOf: (time.last?.dropLast() ?? "").utf8)
    for value in [point.location.coordinate.latitudeE7, point.location.coordinate.longitudeE7] {
      text.append(",")
      text.appendDecimal(Int64(value), decimals: 7)
    }
    let numbers: [Int64?] = [
      point.location.altitudeMillimetres.map(Int64.init), point.speed, point.course,
    ]
    for value in numbers {
      text.append(",")
      if let value { text.appendDecimal(value, decimals: 3) }
    }
    text.append(",")
    if let satellites = point.location.satellitesUsed { text.appendDecimal(Int64(satellites), decimals: 0) }
    text.append(",")
    if let word = GPXLine.word(point.location.fixKind) { text.append(word) }
    text.append("\r\n")
  }
}

extension [UInt8] {
  /// Appends a value, with quotes if it contains a comma, a quote or a line break.
  fileprivate mutating func appendCSV(_ value: String) {
    guard value.utf8.contains(where: { ",\"\r\n".utf8.contains($0) }) else {
      return append(contentsOf: value.utf8)
    }
    append("\"")
    for byte in value.utf8 {
      if byte == UInt8(ascii: "\"") { append("\"") }
      append(byte)
    }
    append("\"")
  }
}
