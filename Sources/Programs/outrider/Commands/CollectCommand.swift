import Collector
import EventLoop
import GNSSReport
import Glibc
import HTTPServer
import Settings
import System

/// `outrider collect`: runs the collector in the foreground.
enum CollectCommand: Command {
  static let name = "collect"
  static let group = CommandGroup.run
  static let summary = "run a small receiving server"
  static let description = CommandDescription(
    text: [
      "Runs a receiving server for trials and one household.",
      """
      POST /dump and /api/input accept Overland bodies and GeoJSON; POST /pub?u=USER&d=DEVICE accepts \
      OwnTracks messages. GET /status shows the server's state. GET /coordinates?lookback_hours=N or \
      ?date=YYYY-MM-DD returns positions. It also accepts format=paths, device_id and min_path_length \
      (points). GET / is a page with the map of each device. Records are stored in collector.db in the data directory, and accepted bodies under \
      raw/.
      """,
    ],
    options: [
      .value("--listen", "ADDRESS:PORT", text: "address of the server (default: 127.0.0.1:8080)"),
      .value("--data", "DIR", .directory, text: "data directory (default: ./outrider-collected)"),
      .value(
        "--token", "TOKEN",
        text: """
          bearer token that clients must send (default: $OUTRIDER_COLLECT_TOKEN)
          """),
      .value(
        "--name", "NAME", isRepeatable: true,
        text: """
          further name of this host in addresses of the page, such as that of a proxy; repeatable
          """),
      .value(
        "--raw-days", "N",
        text: """
          days for which bodies are kept as received (default: 7); 0 keeps none
          """),
      .value(
        "--set", "KEY=VALUE", isRepeatable: true,
        text: """
          remote setting for the loggers, sent with each response to an Overland body; repeatable
          """),
    ])

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(words, description)
    try arguments.checkOperands(atMost: 0)
    let text = arguments.value("--listen") ?? "127.0.0.1:8080"
    guard let address = ListenAddress(text) else {
      throw Arguments.Misuse(message: "--listen: expected ADDRESS:PORT, got \"\(text)\"")
    }
    let directory = arguments.value("--data") ?? "outrider-collected"
    let token = arguments.value("--token") ?? ProcessEnvironment.variable("OUTRIDER_COLLECT_TOKEN")
    let days = arguments.value("--raw-days") ?? "7"
    guard let rawDays = Int(days), (0...Collector.mostRawDays).contains(rawDays) else {
      throw Arguments.Misuse(
        message: "--raw-days: expected a whole number from 0 to \(Collector.mostRawDays), got \"\(days)\"")
    }
    let settings = try arguments.values("--set").map { word in
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, !parts[0].isEmpty else {
        throw Arguments.Misuse(message: "--set: expected KEY=VALUE, got \"\(word)\"")
      }
      guard !SettingsReference.settings(named: parts[0]).isEmpty else {
        let nearest = SettingsReference.names(meantBy: parts[0]).map { "did you mean \($0)?" }
        throw Arguments.Misuse(
          message: "--set: no setting \"\(parts[0])\"; \(nearest ?? "outrider settings lists all of them")")
      }
      return (key: parts[0], value: parts[1])
    }
    let set = SettingsText(settings)
    if let set { try check(set) }
    let signals = try SignalDescriptor([SIGTERM, SIGINT])
    let loop = try EventLoop()
    do throws(SystemError) { try FileBytes.makeDirectory(directory, mode: 0o750) } catch {
      throw CollectorError.directory(error)
    }
    let collector = try Collector(
      loop: loop, listen: address, directory: directory, token: token, settings: set,
      rawDays: rawDays, names: arguments.values("--name"), onNotice: Console.complain)
    for warning in collector.warnings { Console.complain(warning) }
    Console.print("listening on http://\(collector.address), data directory \(directory)")
    _ = try loop.watch(signals.raw, for: .readable) { _ in
      while signals.next() != nil { loop.stop() }
    }
    try loop.run()
    collector.stop()
    return 0
  }

  /// Checks the settings. Throws if a logger would reject one of them.
  private static func check(_ settings: SettingsText) throws {
    let server = "destinations=[{ name: \"collector\", kind: \"overland\", url: \"http://localhost/\" }]"
    let logger = try Configuration.read(
      board: nil, file: nil, overrides: [server], fallbacks: Fallbacks(deviceID: "", apiSocket: ""))
    let answer = Array(#"{"set":\#(settings.json)}"#.utf8)
    for item in ServerSet(answer: answer, of: "collector", under: logger)?.items ?? [] {
      switch item.verdict {
      case .ignored(let reason): throw Self.misuse(item.path, reason)
      case .refused(let refusal): throw Self.misuse(item.path, "\(refusal)")
      case .taken, .unset: break
      }
    }
  }

  private static func misuse(_ path: String, _ reason: String) -> Arguments.Misuse {
    Arguments.Misuse(message: "--set: a logger rejects \(path): \(reason)")
  }
}
