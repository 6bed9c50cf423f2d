import GNSSProtocol
import Simulation

/// Collects the first 24 hours of a track, in memory that is bounded by them. Rows may have any order; of
/// several with the same time the first counts.
public struct TrackReading {
  private var lines = TextLines()
  private var columns: Columns?
  private var rows: [RecordedTrack.Row] = []
  private var isInOrder = true
  private var earliest = Double.infinity
  /// Time of the last line of a text.
  private var lastTime: Double?
  /// Longest difference between two lines in seconds. A line that differs more is damaged.
  private static let longestLeap = 366 * 86_400.0
  /// The first row after the 24 hours.
  private var next: RecordedTrack.Row?

  public init() {}

  /// True once the line of column names was read.
  public var hasHeader: Bool { columns != nil }

  /// Processes the next piece of a text in the format of ``RecordedTrack/init(csv:)``.
  public mutating func take(_ bytes: some Sequence<UInt8>) throws(TrackError) {
    var lines = TextLines()
    swap(&lines, &self.lines)
    try lines.take(bytes) { line, number throws(TrackError) in try takeLine(line, number) }
    swap(&lines, &self.lines)
  }

  /// Creates a position from a receiver or a log; one outside the range of latitude or longitude is dropped.
  public mutating func take(_ fix: RecordedTrack.Fix) throws(TrackError) {
    guard abs(fix.latitude) <= 90, abs(fix.longitude) <= 180, abs(fix.time) <= 1e11 else { return }
    try take(
      RecordedTrack.Row(
        time: fix.time, position: GeoPoint(latitude: fix.latitude, longitude: fix.longitude),
        hasReception: true))
  }

  public mutating func finish() throws(TrackError) -> RecordedTrack {
    var lines = TextLines()
    swap(&lines, &self.lines)
    try lines.finish { line, number throws(TrackError) in try takeLine(line, number) }
    guard !rows.isEmpty else { throw .empty }
    if !isInOrder { sort() }
    return RecordedTrack(rows: next.map { rows + [$0] } ?? rows)
  }

  private var end: Double { earliest + Double(Day.seconds) }

  private mutating func take(_ row: RecordedTrack.Row) throws(TrackError) {
    earliest = min(earliest, row.time)
    guard row.time <= end else {
      if row.time < next?.time ?? .infinity { next = row }
      return
    }
    guard rows.count < TrackTable.mostRows else { throw .tooManyRows(limit: TrackTable.mostRows) }
    if row.time <= rows.last?.time ?? -.infinity { isInOrder = false }
    rows.append(row)
  }

  private mutating func sort() {
    let sorted = rows.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
    rows = []
    for (_, row) in sorted where row.time > rows.last?.time ?? -.infinity {
      guard row.time <= end else {
        // An earlier row arrived late and moved the end of the day.
        if row.time < next?.time ?? .infinity { next = row }
        break
      }
      rows.append(row)
    }
  }

  // MARK: Text

  private struct Columns {
    var time: Int
    var latitude: Int
    var longitude: Int
    var reception: Int?

    init(header: [Substring]) throws(TrackError) {
      func column(_ name: String) throws(TrackError) -> Int {
        guard let index = header.firstIndex(of: Substring(name)) else {
          throw .missingColumn(line: 1, column: name)
        }
        return index
      }
      time = try column("t_unix")
      latitude = try column("lat")
      longitude = try column("lon")
      reception = header.firstIndex(of: "sky")
    }
  }

  private mutating func takeLine(_ bytes: [UInt8], _ number: Int) throws(TrackError) {
    let text = String(decoding: bytes.filter { $0 > 0x20 && $0 != UInt8(ascii: "\"") }, as: UTF8.self)
    guard !text.isEmpty else { return }
    let fields = text.split(separator: ",", omittingEmptySubsequences: false)
    guard let known = columns else {
      columns = try Columns(header: fields)
      return
    }
    let time = try Self.value(fields, known.time, "t_unix", number, within: 1e11)
    if let lastTime, abs(time - lastTime) > Self.longestLeap {
      throw .timeLeaps(line: number, got: String(fields[known.time]))
    }
    lastTime = time
    let latitude = try Self.value(fields, known.latitude, "lat", number, within: 90)
    let longitude = try Self.value(fields, known.longitude, "lon", number, within: 180)
    var hasReception = true
    if let reception = known.reception, reception < fields.count, !fields[reception].isEmpty {
      hasReception = try Self.value(fields, reception, "sky", number, within: 1e6) != 0
    }
    try take(
      RecordedTrack.Row(
        time: time, position: GeoPoint(latitude: latitude, longitude: longitude), hasReception: hasReception))
  }

  private static func value(
    _ fields: [Substring], _ index: Int, _ column: String, _ line: Int, within bound: Double
  ) throws(TrackError) -> Double {
    guard index < fields.count, !fields[index].isEmpty else {
      throw .missingColumn(line: line, column: column)
    }
    guard let value = Double(fields[index]), abs(value) <= bound else {
      throw .notANumber(line: line, column: column, got: String(fields[index]))
    }
    return value
  }
}
