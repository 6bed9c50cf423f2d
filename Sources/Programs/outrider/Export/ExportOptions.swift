import Formats
import Quantities
import Settings
import System

/// The parsed options of `outrider export`.
struct ExportOptions {
  /// The trip to export.
  enum Trip: Equatable { case last, startingAt(Timestamp) }

  var request = ExportRequest()
  var trip: Trip?
  var format = ExportFormat.gpx
  /// The path of the file; nil for standard output.
  var path: String?

  static let formats = "gpx, kml, geojson, geojsonl, geojsonseq, csv, nmea"

  init(_ arguments: Arguments, now: Timestamp) throws {
    try arguments.checkOperands(atMost: 1)
    path = arguments.operands.first.flatMap { $0 == "-" ? nil : $0 }
    try readPeriod(arguments, now: now)
    try readForm(arguments)
    try readFormat(arguments)
  }

  private mutating func readPeriod(_ arguments: Arguments, now: Timestamp) throws {
    func time(_ name: String) throws -> Timestamp? {
      guard let text = arguments.value(name) else { return nil }
      do { return try SinceOption(text, now: now).time } catch let misuse as Arguments.Misuse {
        throw Arguments.Misuse(message: misuse.message.replacingName(with: name))
      }
    }
    (request.from, request.to) = (try time("--from"), try time("--to"))
    if let day = arguments.value("--day") {
      guard request.from == nil, request.to == nil else {
        throw Arguments.Misuse(message: "--day: not together with --from or --to")
      }
      (request.from, request.to) = try Self.limits(ofDay: day, now: now)
    }
    if let from = request.from, let to = request.to, from >= to {
      throw Arguments.Misuse(message: "--to: must be later than --from")
    }
    switch arguments.value("--trip") {
    case nil: break
    case "last": trip = .last
    case let text?:
      do { trip = .startingAt(try SinceOption(text, now: now).time) } catch {
        throw Arguments.Misuse(message: "--trip: expected last, or the start of a trip; \(SinceOption.help)")
      }
    }
  }

  /// The start and the end of a local day.
  static func limits(
    ofDay text: String, now: Timestamp, ahead: (Timestamp) -> Duration = LocalTime.aheadOfUTC
  ) throws -> (Timestamp, Timestamp) {
    let today = (now + ahead(now)).date
    let date: CalendarDate?
    switch text {
    case "today": date = today
    case "yesterday": date = CalendarDate(daysSince1970: today.daysSince1970 - 1)
    default: date = text.utf8.count == 10 ? Timestamp(iso8601: "\(text)T00:00:00Z")?.date : nil
    }
    guard let date else {
      throw Arguments.Misuse(
        message: "--day: expected today, yesterday or a day such as 2026-03-01, got \"\(text)\"")
    }
    func start(_ date: CalendarDate) throws -> Timestamp {
      try SinceOption(String(Timestamp(date).iso8601().prefix(10)), now: now, ahead: ahead).time
    }
    return (try start(date), try start(CalendarDate(daysSince1970: date.daysSince1970 + 1)))
  }

  private mutating func readForm(_ arguments: Arguments) throws {
    if let text = arguments.value("--split") {
      guard let split = ExportRequest.Split(rawValue: text) else {
        throw Arguments.Misuse(message: "--split: expected trip, gap, day or none, got \"\(text)\"")
      }
      request.split = split
    }
    func duration(_ name: String) throws -> Duration? {
      guard let text = arguments.value(name) else { return nil }
      guard let duration = Duration(settingText: text), duration > .zero else {
        throw Arguments.Misuse(message: "\(name): expected a duration such as 10s or 2m, got \"\(text)\"")
      }
      return duration
    }
    func metres(_ name: String) throws -> Double? {
      guard let text = arguments.value(name) else { return nil }
      guard let metres = Double(text.hasSuffix("m") ? String(text.dropLast()) : text), metres > 0,
        metres <= 100_000
      else { throw Arguments.Misuse(message: "\(name): expected metres such as 5m, got \"\(text)\"") }
      return metres
    }
    request.longestPause = try duration("--gap") ?? request.longestPause
    request.interval = try duration("--every")
    request.tolerance = try metres("--simplify")
    request.worstAccuracy = try metres("--max-accuracy")
    guard let with = arguments.value("--with") else { return }
    let words = Set(with.split(separator: ",").map(String.init))
    guard words.isSubset(of: ["visits", "events"]) || words == ["none"], !words.isEmpty else {
      throw Arguments.Misuse(
        message: "--with: expected visits, events, both with a comma, or none, got \"\(with)\"")
    }
    (request.hasVisits, request.hasEvents) = (words.contains("visits"), words.contains("events"))
  }

  private mutating func readFormat(_ arguments: Arguments) throws {
    let name = path.flatMap { $0.split(separator: "/").last }
    let suffix = name.flatMap { $0.contains(".") ? $0.split(separator: ".").last : nil }
    guard let word = arguments.value("--format") ?? suffix.map({ $0.lowercased() }) else {
      throw Arguments.Misuse(
        message: "--format: required, because the name has no extension; available: \(Self.formats)")
    }
    let shape = arguments.value("--shape") ?? "lines"
    guard ["lines", "points"].contains(shape) else {
      throw Arguments.Misuse(message: "--shape: expected lines or points, got \"\(shape)\"")
    }
    let dialect = arguments.value("--dialect")
    guard dialect == nil || dialect == "gpsbabel" else {
      throw Arguments.Misuse(message: "--dialect: expected gpsbabel, got \"\(dialect ?? "")\"")
    }
    var columns = ExportColumn.allCases
    if let fields = arguments.value("--fields") {
      columns = try fields.split(separator: ",", omittingEmptySubsequences: false).map { field in
        guard let column = ExportColumn(rawValue: String(field)) else {
          let known = ExportColumn.allCases.map(\.rawValue).joined(separator: ", ")
          throw Arguments.Misuse(message: "--fields: no column \"\(field)\"; available: \(known)")
        }
        return column
      }
    }
    switch word {
    case "gpx": format = .gpx
    case "kml": format = .kml
    case "geojson", "json": format = shape == "points" ? .geoJSONPoints : .geoJSON
    case "geojsonl": format = .geoJSONLines(isSequence: false)
    case "geojsonseq": format = .geoJSONLines(isSequence: true)
    case "csv": format = dialect == nil ? .csv(columns) : .gpsbabelCSV
    case "nmea": format = .nmea
    default:
      throw Arguments.Misuse(message: "--format: no format \"\(word)\"; available: \(Self.formats)")
    }
  }
}

extension String {
  /// The message with another name of the option than `--since`.
  fileprivate func replacingName(with name: String) -> String {
    hasPrefix("--since") ? name + dropFirst("--since".count) : self
  }
}
