import FleetStore
import Formats
import Glibc
import History
import PostgreSQL
import Quantities
import Records
import System

/// `outrider-collector fleet track`: writes the track of a device to a file, with the formats of `outrider export`.
enum FleetTrackCommand {
  private static let portion = 500

  /// The columns of the CSV: those of the device, without its boot clock, which no server knows.
  private static let columns = ExportColumn.allCases.filter { $0 != .boot && $0 != .moment }

  private static let formats: [(word: String, format: ExportFormat)] = [
    ("gpx", .gpx), ("geojson", .geoJSON), ("csv", .csv(columns)),
  ]

  static let action = FleetCommand.Action(
    name: "track", usage: "NAME [--day D] [--format gpx|geojson|csv] [--output FILE]",
    summary: "write the track of a device",
    options: [
      CommandOption(
        name: "--day", placeholder: "DAY", text: "one day: 2026-11-22, today or yesterday (UTC, see --local)"),
      CommandOption(name: "--from", placeholder: "TIME", text: "beginning (default: the first record)"),
      CommandOption(name: "--to", placeholder: "TIME", text: "end (default: none)"),
      CommandOption(name: "--local", placeholder: "", text: "days and names are local (TZ)"),
      CommandOption(
        name: "--format", placeholder: "FORMAT", text: "gpx, geojson or csv (default: the extension of FILE)"),
      CommandOption(name: "--output", placeholder: "FILE", text: "file (default: standard output)"),
      CommandOption(name: "--force", placeholder: "", text: "replace the file if it exists"),
    ], operands: 1...1
  ) { database, arguments in
    let name = arguments.operands[0]
    let path = arguments.value("--output").flatMap { $0 == "-" ? nil : $0 }
    let format = try format(arguments, path)
    let clock = WallClock { arguments.has("--local") ? LocalTime.aheadOfUTC(at: $0) : .zero }
    let period = try period(arguments, clock, now: SystemClock.timestamp())
    if let path, !arguments.has("--force"), access(path, F_OK) == 0 {
      throw FleetCommand.Failure(
        description: "\(path) exists; choose another name, or replace it with --force")
    }
    let history = try FleetCommand.found(try DeviceHistory(database, device: name, in: period), name)
    let output = try TrackOutput(path: path)
    let count = try export(history, of: name, period, as: format, clock) { bytes throws(SystemError) in
      try output.write(bytes)
    }
    try history.end()
    guard count > 0 else {
      throw FleetCommand.Failure(description: "no location of \(name) in this period, so no file was written")
    }
    try output.finish()
    return ""
  }

  /// Writes the track in portions, and returns the number of its locations.
  static func export(
    _ history: DeviceHistory, of name: String, _ period: DevicePeriod, as format: ExportFormat,
    _ clock: WallClock,
    now: Timestamp = SystemClock.timestamp(), _ write: ([UInt8]) throws(SystemError) -> Void
  ) throws -> Int {
    var request = ExportRequest()
    (request.from, request.to) = (period.from, period.to)
    // Only the device knows its privacy zones.
    request.hasPrivacyZones = true
    let limits = [period.from, period.to].map { $0.map(clock.text) ?? "" }.filter { !$0.isEmpty }
    let title = ExportTitle(
      creator: "Outrider \(Release.version)",
      name: ([name] + (limits.isEmpty ? [] : [limits.joined(separator: " to ")])).joined(separator: " "),
      created: now,
      zone: clock.zone(at: now))
    var export = TrackExport(request, as: format, title: title, clock: clock, after: .zero)
    // Formats with tracks read several times, and find their place again by the id.
    let isReadAgain = if case .csv = format { false } else { true }
    var passed: Int64 = 0
    while !export.isOver {
      let page = try history.records(after: isReadAgain ? export.position.rawValue : passed, limit: portion)
      passed += Int64(page.count)
      let last = page.last.map { RecordID(isReadAgain ? $0.position : $0.number) }
      try write(export.take(page.lazy.compactMap { isReadAgain ? $0.atPosition : $0.record }, through: last))
    }
    return export.overview.count
  }

  // MARK: Arguments

  private static func format(_ arguments: Arguments, _ path: String?) throws(Arguments.Misuse) -> ExportFormat
  {
    let words = formats.map(\.word).joined(separator: ", ")
    let file = path.flatMap { $0.split(separator: "/").last }
    let suffix = file.flatMap { $0.contains(".") ? $0.split(separator: ".").last : nil }
    guard let word = arguments.value("--format") ?? suffix.map({ $0.lowercased() }) else {
      throw Arguments.Misuse(message: "--format: required; available: \(words)")
    }
    guard let format = formats.first(where: { $0.word == word })?.format else {
      throw Arguments.Misuse(message: "--format: no format \"\(word)\"; available: \(words)")
    }
    return format
  }

  /// The period of the options. Days are those of the clock.
  static func period(
    _ arguments: Arguments, _ clock: WallClock, now: Timestamp
  ) throws(Arguments.Misuse) -> DevicePeriod {
    let period = DevicePeriod(
      from: try FleetCommand.time(arguments, "--from"), to: try FleetCommand.time(arguments, "--to"))
    if let from = period.from, let to = period.to, from >= to {
      throw Arguments.Misuse(message: "--to: must be later than --from")
    }
    guard let text = arguments.value("--day") else { return period }
    guard period == DevicePeriod() else {
      throw Arguments.Misuse(message: "--day: not together with --from or --to")
    }
    let day: Int?
    switch text {
    case "today": day = clock.day(of: now)
    case "yesterday": day = clock.day(of: now) - 1
    default: day = text.utf8.count == 10 ? Timestamp(iso8601: "\(text)T00:00:00Z")?.day : nil
    }
    guard let day else {
      throw Arguments.Misuse(
        message: "--day: expected today, yesterday or a day such as 2026-11-22, got \"\(text)\"")
    }
    return DevicePeriod(from: start(ofDay: day, clock), to: start(ofDay: day + 1, clock))
  }

  private static func start(ofDay day: Int, _ clock: WallClock) -> Timestamp {
    let wall = Timestamp(CalendarDate(daysSince1970: day))
    let guess = wall + (.zero - clock.ahead(wall))
    return wall + (.zero - clock.ahead(guess))
  }
}

/// A file that appears under its name when it is complete, or standard output.
private final class TrackOutput {
  private let path: String?
  private let draft: String
  private let file: Descriptor
  private var isFinished = false

  init(path: String?) throws(SystemError) {
    self.path = path
    draft = path.map { "\($0).\(getpid()).part" } ?? "standard output"
    let raw =
      path == nil
      ? dup(STDOUT_FILENO) : open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    file = Descriptor(owning: try check("open", on: draft, raw))
  }

  deinit {
    if path != nil, !isFinished { unlink(draft) }
  }

  func write(_ bytes: [UInt8]) throws(SystemError) { try file.write(bytes, to: draft) }

  func finish() throws(SystemError) {
    if let path { try check("rename", on: path, rename(draft, path)) }
    isFinished = true
  }
}
