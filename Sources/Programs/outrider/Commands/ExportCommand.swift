import Database
import Formats
import Glibc
import History
import LoggerConfiguration
import Quantities
import Records
import Settings
import Store
import System
import Tracking

/// `outrider export`: writes the track to a file.
enum ExportCommand: Command {
  static let name = "export"
  static let group = CommandGroup.query
  static let summary = "write the track to a file"
  static let description = CommandDescription(
    forms: ["FILE|-"],
    text: [
      """
      Writes the track of the log as GPX, KML, GeoJSON, CSV or NMEA. It also works while the logger is stopped. \
      Nothing inside a privacy zone is exported. Locations without a date are left out and counted on standard error.
      """,
      """
      Times without a zone are local, and days are local days (TZ). The file appears under its name when it is complete.
      """,
    ],
    options: [
      .value(
        "--format", "FORMAT", .words(["gpx", "kml", "geojson", "geojsonl", "geojsonseq", "csv", "nmea"]),
        text: "\(ExportOptions.formats) (default: the extension of FILE)"),
      .value(
        "--from", "TIME", text: "start at this time (default: the start of the log)\n\(SinceOption.help)"),
      .value("--to", "TIME", text: "end before this time (default: the end of the log)"),
      .value(
        "--day", "DAY", .words(["today", "yesterday"]), text: "one local day: 2026-03-01, today or yesterday"),
      .value(
        "--trip", "last|START", text: "only the last trip that has ended, or the trip that started at a time"),
      .value(
        "--split", "WHERE", .words(["trip", "gap", "day", "none"]),
        text: "begin a new track: trip, gap, day or none (default: trip; one more a day between the trips)"),
      .value("--gap", "DURATION", text: "begin a new segment after a longer gap (default: 2m)"),
      .value("--simplify", "METRES", text: "leave out locations that are closer to the line, such as 5m"),
      .value("--max-accuracy", "METRES", text: "leave out locations with a worse accuracy, such as 50m"),
      .value("--every", "DURATION", text: "leave out locations that follow sooner, such as 10s"),
      .value(
        "--with", "WHAT", .words(["visits", "events", "visits,events", "none"]),
        text: "also visits, events or both (visits,events), or none (default: visits)"),
      .value(
        "--shape", "SHAPE", .words(["lines", "points"]),
        text: "GeoJSON: a line a segment, or a point a location (default: lines)"),
      .value("--fields", "NAMES", text: "CSV: the columns, with commas (default: all)"),
      .value(
        "--dialect", "NAME", .words(["gpsbabel"]),
        text: "CSV: gpsbabel for the column names of its format unicsv"),
      .flag("--force", text: "replace the file if it exists"),
      .value("--log", "DIR", .directory, text: "the directory of outrider.db (default: storage.directory)"),
    ] + ConfigurationFiles.options,
    exitStatus: "0 for success, 1 if nothing matched or for failure, 2 for misuse", operands: .file)

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(words, description)
    guard !arguments.operands.isEmpty else {
      throw Arguments.Misuse(message: "expected a file, or - for standard output")
    }
    let options = try ExportOptions(arguments, now: SystemClock.timestamp())
    let configuration: Configuration
    do { configuration = try ConfigurationFiles(arguments).read() } catch {
      Console.complain("\(error)")
      return 2
    }
    if let path = options.path, !arguments.has("--force"), access(path, F_OK) == 0 {
      Console.complain("export: \(path) exists; choose another name, or replace it with --force")
      return 1
    }
    let directory = arguments.value("--log") ?? configuration.storage.directory
    do {
      return try export(options, from: directory, configuration)
    } catch let error as DatabaseError {
      if let advice = AccessAdvice(readingLogIn: directory) { throw advice }
      throw CheckRequest.explained(error, in: directory)
    }
  }

  private static func export(
    _ options: ExportOptions, from directory: String, _ configuration: Configuration
  ) throws -> Int32 {
    let reader = try LogReader(directory: directory)
    let zones = PrivateZones(configuration)
    var request = options.request
    request.hasPrivacyZones = !zones.isEmpty
    switch options.trip {
    case .last:
      guard case .trip(let trip)? = try reader.newestTrip()?.record.body, let start = trip.start.time else {
        Console.complain("export: the log has no trip that has ended")
        return 1
      }
      request.trip = start
    case .startingAt(let start):
      guard try reader.hasTrip(startingAt: start) else {
        let time = WallClock().text(start)
        Console.complain("export: the log has no trip that started at \(time); see outrider trip list")
        return 1
      }
      request.trip = start
    case nil: break
    }
    let now = SystemClock.timestamp()
    let clock = WallClock()
    let start = [request.from, request.trip].compactMap { $0 }.max()
    let title = ExportTitle(
      creator: "Outrider \(Release.version)", name: name(of: options, request, configuration.deviceID, clock),
      created: now, zone: clock.zone(at: now))
    var export = TrackExport(
      request, as: options.format, title: title, clock: clock,
      after: try start.map { try reader.lastID(before: $0) } ?? .zero,
      through: try request.to.map { try reader.lastID(before: $0) })
    let file = try options.path.map { try OutputFile(path: $0) }
    while !export.isOver {
      let page = try reader.records(after: export.position, limit: 500)
      let disclosed = page.lazy.compactMap { stored in
        zones.disclosed(stored.record).map { StoredRecord(id: stored.id, boot: stored.boot, record: $0) }
      }
      let text = export.take(disclosed, through: page.last?.id)
      if let file { try file.write(text) } else if !Console.write(text) { return 1 }
    }
    if export.overview.undated > 0 {
      Console.complain(
        "export: left out \(StatusText.counted(export.overview.undated, "location")) without a date")
    }
    guard export.overview.count > 0 else {
      Console.complain("export: no location matched, so no file was written")
      return 1
    }
    try file?.finish()
    return 0
  }

  private static func name(
    of options: ExportOptions, _ request: ExportRequest, _ device: String, _ clock: WallClock
  ) -> String {
    let period = [request.trip ?? request.from, request.to].map { $0.map(clock.text) ?? "" }
    return "\(device) \(period.filter { !$0.isEmpty }.joined(separator: " to "))".trimmedAtEnd
  }
}
