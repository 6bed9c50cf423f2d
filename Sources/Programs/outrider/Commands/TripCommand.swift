import History
import LocalAPI
import Quantities
import Settings
import Store
import System
import Tracking

/// `outrider trip`: controls the trip of the running logger, and lists the trips of the log.
enum TripCommand: Command {
  static let name = "trip"
  static let group = CommandGroup.query
  static let summary = "start, stop, show or list trips"
  static let description = CommandDescription(
    forms: [
      "start [--mode MODE]", "stop | mode MODE | status [--json] [--units UNITS]",
      "list [--since TIME] [--json] [--units UNITS]",
    ],
    text: [
      """
      Starts, stops or shows the trip of the running logger, or lists the ended trips of the log. \
      Starting a trip switches tracking on; its end restores the previous state. list also works while \
      the logger is stopped.
      """
    ],
    options: [
      .value(
        "--mode", "MODE", .words(TripMode.allCases.map(\.rawValue)),
        text: """
          \(TripMode.allCases.map(\.rawValue).joined(separator: ", ")) (default: the setting trip_mode)
          """),
      .value(
        "--since", "TIME",
        text: """
          list only trips that ended since then (default: all trips)
          \(SinceOption.help)
          """),
      .value(
        "--units", "UNITS", .words(UnitSystem.allCases.map(\.rawValue)),
        text: "units of the text; \(UnitSystem.help)"),
      .flag(
        "--json",
        text: """
          print the response as one JSON object, as into a pipe, and the list as one object per line; SI \
          units, UTC
          """),
    ] + ConfigurationFiles.options,
    exitStatus: """
      0 success; 1 no logger responds, it rejects the request, or there is no log; 2 misuse or invalid \
      configuration
      """,
    operands: .words(["start", "stop", "mode", "status", "list"]))

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(words, description)
    let units = try arguments.value("--units").map(UnitSystem.init(word:)) ?? .metric
    if arguments.operands == ["list"] {
      guard arguments.value("--mode") == nil else {
        throw Arguments.Misuse(message: "--mode requires start")
      }
      return try list(arguments, units)
    }
    guard arguments.value("--since") == nil else { throw Arguments.Misuse(message: "--since requires list") }
    let request = try request(arguments)
    let body =
      if case .status = request {
        try LocalCommand.ask(arguments, .get, "/trips")
      } else {
        try LocalCommand.ask(arguments, .post, "/trips", body: request.json)
      }
    guard let body else { return 1 }
    if !arguments.has("--json"), Console.isTerminal, let line = TripText.line(request, answer: body, units) {
      Console.print(line)
    } else {
      Console.write(body + Array("\n".utf8))
    }
    return 0
  }

  private static func list(_ arguments: Arguments, _ units: UnitSystem) throws -> Int32 {
    let since = try arguments.value("--since").map { try SinceOption($0, now: SystemClock.timestamp()).time }
    let configuration: Configuration
    do { configuration = try ConfigurationFiles(arguments).read() } catch {
      Console.complain("\(error)")
      return 2
    }
    var count = 0
    let reader: LogReader
    do { reader = try LogReader(directory: configuration.storage.directory) } catch {
      throw AccessAdvice(readingLogIn: configuration.storage.directory) ?? error as any Error
    }
    try reader.read(from: since ?? Timestamp(milliseconds: 0)) { stored in
      guard case .trip(let trip) = stored.record.body else { return true }
      if let since, let time = stored.record.time, time < since { return true }
      count += 1
      guard !arguments.has("--json") else {
        Console.print(TripText.json(trip))
        return true
      }
      if count == 1 { Console.print(TripText.header) }
      Console.print(TripText.line(trip, units))
      return true
    }
    if count == 0, !arguments.has("--json") {
      Console.print("no trip\(since.map { " since \(WallClock().text($0))" } ?? " in the log")")
    }
    return 0
  }

  private static func request(_ arguments: Arguments) throws -> TripRequest {
    let words = arguments.operands
    let mode = try (words.first == "mode" ? words.dropFirst().first : arguments.value("--mode")).map { word in
      guard TripMode(rawValue: word) != nil else {
        throw Arguments.Misuse(
          message:
            "no mode \"\(word)\"; available: \(TripMode.allCases.map(\.rawValue).joined(separator: ", "))")
      }
      return word
    }
    switch (words.first, words.count, mode) {
    case ("start", 1, _): return .start(mode: mode)
    case ("stop", 1, nil): return .stop
    case ("status", 1, nil): return .status
    case ("mode", 2, let mode?): return .mode(mode)
    default: throw Arguments.Misuse(message: "expected start, stop, mode MODE, status or list")
    }
  }
}
