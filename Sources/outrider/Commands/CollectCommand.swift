import Collector
import Glibc
import HTTPServer
import Settings
import SystemLoop

/// `outrider collect`: the collector, in the foreground.
enum CollectCommand: Command {
  static let name = "collect"
  static let summary = "receive what loggers send: a small server for trials and one household"
  static let help = """
    Usage: outrider collect [--listen ADDRESS:PORT] [--data DIR] [--token TOKEN] [--raw-days N] [--set KEY=VALUE]…

    Takes Overland bodies and GeoJSON at POST /dump and POST /api/input, OwnTracks messages at POST /pub?u=USER&d=DEVICE,
    answers GET /status and GET /coordinates?lookback_hours=N or ?date=YYYY-MM-DD. Everything is kept in collector.db in the data directory,
    each accepted body also as received under raw/ for a week. /coordinates takes format=paths, device_id and
    min_path_length (points) too.

      --listen ADDRESS:PORT  where to listen (127.0.0.1:8080)
      --data DIR             the data directory (./outrider-collected)
      --token TOKEN          what clients must present as bearer token; $OUTRIDER_COLLECT_TOKEN does the same
      --raw-days N           how many days bodies are kept as received (7); 0 keeps none
      --set KEY=VALUE        a setting that goes with each answer to an Overland body, as servers send them; several are
                             possible
    """

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(
      words, options: ["--listen", "--data", "--token", "--raw-days", "--set"], flags: [])
    try arguments.checkOperands(atMost: 0)
    let text = arguments.value("--listen") ?? "127.0.0.1:8080"
    guard let address = ListenAddress(text) else {
      throw Arguments.Misuse(message: "--listen wants ADDRESS:PORT, not \"\(text)\"")
    }
    let directory = arguments.value("--data") ?? "outrider-collected"
    let token = arguments.value("--token") ?? ProcessSurroundings.variable("OUTRIDER_COLLECT_TOKEN")
    let days = arguments.value("--raw-days") ?? "7"
    guard let rawDays = Int(days), (0...Collector.mostRawDays).contains(rawDays) else {
      throw Arguments.Misuse(
        message: "--raw-days wants a whole number from 0 to \(Collector.mostRawDays), not \"\(days)\"")
    }
    let settings = try arguments.values("--set").map { word in
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, !parts[0].isEmpty else {
        throw Arguments.Misuse(message: "--set wants KEY=VALUE, not \"\(word)\"")
      }
      guard !SettingsReference.settings(named: parts[0]).isEmpty else {
        let nearest = SettingsReference.names(meantBy: parts[0]).map { "did you mean \($0)?" }
        throw Arguments.Misuse(
          message: "--set: no setting \"\(parts[0])\"; \(nearest ?? "outrider settings lists them")")
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
      rawDays: rawDays, onNotice: Console.complain)
    for warning in collector.warnings { Console.complain(warning) }
    Console.print("collecting on http://\(collector.address), keeping everything in \(directory)")
    _ = try loop.watch(signals.raw, for: .readable) { _ in
      while signals.next() != nil { loop.stop() }
    }
    try loop.run()
    collector.stop()
    return 0
  }

  /// No logger takes a value that its own schema refuses.
  private static func check(_ settings: SettingsText) throws {
    let server = "destinations=[{ name: \"collector\", kind: \"overland\", url: \"http://localhost/\" }]"
    let logger = try Configuration.read(
      board: nil, file: nil, overrides: [server], fallbacks: Fallbacks(deviceID: "", apiSocket: ""))
    let answer = Array(#"{"set":\#(settings.json)}"#.utf8)
    for item in ServerSet(answer: answer, of: "collector", under: logger)?.items ?? [] {
      switch item.verdict {
      case .ignored(let reason), .refused(let reason):
        throw Arguments.Misuse(message: "--set: a logger does not take \(item.path): \(reason)")
      case .taken: break
      }
    }
  }
}
