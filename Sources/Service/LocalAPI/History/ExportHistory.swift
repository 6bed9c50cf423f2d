import Database
import Formats
import HTTPServer
import History
import Quantities
import Records
import Store
import System
import WebAccess

/// The responses to `GET /export.gpx` and its relatives: the file that `outrider export` writes.
final class ExportHistory: LogHistory {
  /// The formats by path.
  static let formats: [String: ExportFormat] = [
    "/export.gpx": .gpx, "/export.kml": .kml, "/export.geojson": .geoJSON,
    "/export.csv": .csv(ExportColumn.allCases),
    "/export.nmea": .nmea,
  ]
  /// The query parameters.
  static let parameters = ["from", "to", "trip", "gap", "simplify", "max_accuracy", "every", "with"]
  /// A run of the simplification, short enough for one step of the loop.
  private static let run = 200
  /// The bytes that are held back. Each keeps the connection alive once while no row matches.
  private static let mostReserve = 500

  private weak var logger: (any LoggerControls)?
  private let reader: LogReader
  private let format: ExportFormat
  private var export: TrackExport
  private var reserve: [UInt8] = []
  let fileName: String?

  init(_ request: HTTPRequest, of logger: any LoggerControls) throws(Problem) {
    self.logger = logger
    format = Self.formats[request.path] ?? .gpx
    var wanted = try Self.wanted(request)
    wanted.hasPrivacyZones = logger.hasPrivacyZones
    let clock = WallClock { LocalTime.aheadOfUTC(at: $0) }
    let device = logger.deviceName
    let opened: (reader: LogReader, newest: Timestamp, lastTrip: Timestamp?)
    do throws(DatabaseError) {
      opened = try Self.open(logger)
    } catch { throw LogSlices.unreadable(error, by: logger) }
    reader = opened.reader
    if request.queryValue("trip") == "last" {
      guard let start = opened.lastTrip else { throw Problem(404, "the log has no trip that has ended") }
      wanted.trip = start
    } else if let start = wanted.trip {
      let isKnown: Bool
      do throws(DatabaseError) { isKnown = try reader.hasTrip(startingAt: start) } catch {
        throw LogSlices.unreadable(error, by: logger)
      }
      guard isKnown else {
        throw Problem(
          404, "the log has no trip that started at \(start.iso8601()); GET /trips/past lists them")
      }
    }
    let day = wanted.trip ?? wanted.from ?? opened.newest
    let name = "outrider-\(Self.plain(device))-\((day + clock.ahead(day)).iso8601().prefix(10))"
    fileName = name + request.path.drop { $0 != "." }
    let start = [wanted.from, wanted.trip].compactMap { $0 }.max()
    let title = ExportTitle(
      creator: "Outrider \(logger.programVersion)", name: name, created: opened.newest,
      zone: LocalTime.zoneName ?? "UTC")
    do throws(DatabaseError) {
      export = TrackExport(
        wanted, as: format, title: title, clock: clock, after: try Self.id(before: start, reader) ?? .zero,
        through: try Self.id(before: wanted.to, reader), longestRun: Self.run)
    } catch { throw LogSlices.unreadable(error, by: logger) }
  }

  private static func open(
    _ logger: any LoggerControls
  ) throws(DatabaseError) -> (LogReader, newest: Timestamp, lastTrip: Timestamp?) {
    let reader = try LogReader(directory: logger.logDirectory)
    var start: Timestamp?
    if case .trip(let trip)? = try reader.newestTrip()?.record.body { start = trip.start.time }
    return (reader, try reader.newestLocation()?.record.time ?? Timestamp(milliseconds: 0), start)
  }

  var contentType: String { format.contentType }

  /// In formats without insignificant white space, the next byte of the text that was held back for that.
  var filler: [UInt8] {
    guard !format.allowsBlankLines else { return Array("\n".utf8) }
    return reserve.isEmpty ? Array("\r\n".utf8) : [reserve.removeFirst()]
  }

  func next() throws(DatabaseError) -> [UInt8]? {
    guard !export.isOver else { return nil }
    let records = try reader.records(after: export.position, limit: LogSlices.rows)
    var text = reserve + export.take(logger?.disclosed(records) ?? [], through: records.last?.id)
    reserve = []
    if !format.allowsBlankLines, !export.isOver {
      reserve = Array(text.suffix(Self.mostReserve))
      text.removeLast(reserve.count)
    }
    return text
  }

  private static func id(before time: Timestamp?, _ reader: LogReader) throws(DatabaseError) -> RecordID? {
    guard let time else { return nil }
    return try reader.lastID(before: time)
  }

  private static func wanted(_ request: HTTPRequest) throws(Problem) -> ExportRequest {
    let period = try HistoryPeriod(request)
    var wanted = ExportRequest()
    (wanted.from, wanted.to) = (period.from, period.to.map { $0 + .milliseconds(1) })
    if let text = request.queryValue("trip"), text != "last" {
      guard let start = Int64(text).map(Timestamp.init(milliseconds:)) ?? Timestamp(iso8601: text) else {
        throw Problem(400, "trip: expected last, or the start of a trip such as 2026-03-01T10:15:00Z")
      }
      wanted.trip = start
    }
    wanted.longestPause = try HistoryPeriod.duration("gap", request) ?? wanted.longestPause
    wanted.interval = try HistoryPeriod.duration("every", request)
    wanted.tolerance = try metres("simplify", request)
    wanted.worstAccuracy = try metres("max_accuracy", request)
    if let text = request.queryValue("with") {
      let words = Set(text.split(separator: ",").map(String.init))
      guard words.isSubset(of: ["visits", "events"]) || words == ["none"], !words.isEmpty else {
        throw Problem(400, "with: expected visits, events, visits,events or none")
      }
      (wanted.hasVisits, wanted.hasEvents) = (words.contains("visits"), words.contains("events"))
    }
    return wanted
  }

  private static func metres(_ name: String, _ request: HTTPRequest) throws(Problem) -> Double? {
    try request.wholeNumber(name, in: 1...100_000).map(Double.init)
  }

  /// The name with letters, digits and hyphens only, as part of a file name.
  private static func plain(_ name: String) -> String {
    String(
      name.unicodeScalars.prefix(40).map { scalar in
        scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
          ? Character(scalar) : "-"
      })
  }
}
