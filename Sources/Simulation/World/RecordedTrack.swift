/// A recorded day as it was written: one row a fix.
public struct RecordedTrack: Equatable, Sendable {
  struct Row: Equatable, Sendable {
    /// Unix seconds.
    var time: Double
    var place: Place
    /// False where no fix is possible.
    var hasSky: Bool
  }

  /// A place at a time.
  public struct Fix: Sendable {
    var time: Double
    var latitude: Double
    var longitude: Double

    /// Unix seconds and degrees.
    public init(time: Double, latitude: Double, longitude: Double) {
      self.time = time
      self.latitude = latitude
      self.longitude = longitude
    }
  }

  private(set) var rows: [Row]

  /// Reads `t_unix,lat,lon[,…]` with a header that names the columns; a column `sky` with 0 means no fix possible.
  /// Rows are sorted by time, and of several with one time the first counts. A `label` is never looked at.
  public init(csv: some Sequence<UInt8>) throws(TrackError) {
    rows = []
    var columns: Columns?
    try TextLines.forEach(in: csv) { line, number throws(TrackError) in
      try take(line, number: number, columns: &columns)
    }
    try sort()
  }

  /// Where a receiver or a log says that the box was; a place beyond the poles or the date line is left out. The order
  /// is as with a text.
  public init(fixes: some Sequence<Fix>) throws(TrackError) {
    rows = []
    for fix in fixes {
      guard abs(fix.latitude) <= 90, abs(fix.longitude) <= 180, abs(fix.time) <= 1e11 else { continue }
      guard rows.count < TrackTable.mostRows else { throw .tooManyRows(limit: TrackTable.mostRows) }
      rows.append(
        Row(time: fix.time, place: Place(latitude: fix.latitude, longitude: fix.longitude), hasSky: true))
    }
    try sort()
  }

  private mutating func sort() throws(TrackError) {
    guard !rows.isEmpty else { throw .empty }
    let inOrder = zip(rows, rows.dropFirst()).allSatisfy { $0.time < $1.time }
    if !inOrder {
      let sorted = rows.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
      rows = []
      for (_, row) in sorted where row.time > rows.last?.time ?? -.infinity { rows.append(row) }
    }
  }

  init(rows: [Row]) { self.rows = rows }

  private struct Columns {
    var time: Int
    var latitude: Int
    var longitude: Int
    var sky: Int?

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
      sky = header.firstIndex(of: "sky")
    }
  }

  private mutating func take(_ bytes: [UInt8], number: Int, columns: inout Columns?) throws(TrackError) {
    let text = String(decoding: bytes.filter { $0 > 0x20 }, as: UTF8.self)
    guard !text.isEmpty else { return }
    let fields = text.split(separator: ",", omittingEmptySubsequences: false)
    guard let known = columns else {
      columns = try Columns(header: fields)
      return
    }
    guard rows.count < TrackTable.mostRows else { throw .tooManyRows(limit: TrackTable.mostRows) }
    let time = try Self.value(fields, known.time, "t_unix", number, within: 1e11)
    let latitude = try Self.value(fields, known.latitude, "lat", number, within: 90)
    let longitude = try Self.value(fields, known.longitude, "lon", number, within: 180)
    var hasSky = true
    if let sky = known.sky, sky < fields.count, !fields[sky].isEmpty {
      hasSky = try Self.value(fields, sky, "sky", number, within: 1e6) != 0
    }
    rows.append(
      Row(time: time, place: Place(latitude: latitude, longitude: longitude), hasSky: hasSky))
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
