import Quantities
import LocalAPI
import Settings

/// `outrider trip`: trips by hand.
enum TripCommand: Command {
  static let name = "trip"
  static let summary = "start, stop or look at a trip"
  static let help = """
    Usage: outrider trip start [--mode MODE] | stop | mode MODE | status [--config FILE] [--board NAME|FILE]
           [--set KEY=VALUE]…

    Tells the running logger. Starting a trip switches tracking on, its end puts that back as it was.

      --mode MODE       \(TripMode.allCases.map(\.rawValue).joined(separator: ", "))
                        (the setting trip_mode where none is given)
    \(ConfigurationFiles.optionHelp)

    Exit status: 0 done, 1 no logger runs or it refuses, 2 misuse or bad configuration.
    """

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(words, options: ConfigurationFiles.options + ["--mode"], flags: [])
    let request = try request(arguments)
    let body =
      if case .status = request {
        try LocalCommand.ask(arguments, .get, "/trips")
      } else {
        try LocalCommand.ask(arguments, .post, "/trips", body: request.json)
      }
    guard let body else { return 1 }
    Console.write(body + Array("\n".utf8))
    return 0
  }

  private static func request(_ arguments: Arguments) throws -> TripRequest {
    let words = arguments.operands
    let mode = try (words.first == "mode" ? words.dropFirst().first : arguments.value("--mode")).map { word in
      guard TripMode(rawValue: word) != nil else {
        throw Arguments.Misuse(
          message:
            "no mode \"\(word)\"; there are \(TripMode.allCases.map(\.rawValue).joined(separator: ", "))")
      }
      return word
    }
    switch (words.first, words.count, mode) {
    case ("start", 1, _): return .start(mode: mode)
    case ("stop", 1, nil): return .stop
    case ("status", 1, nil): return .status
    case ("mode", 2, let mode?): return .mode(mode)
    default: throw Arguments.Misuse(message: "expected start, stop, mode MODE or status")
    }
  }
}
