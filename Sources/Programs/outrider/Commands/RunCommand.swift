import Daemon
import EventLoop
import Glibc
import Settings
import Store
import System
import Tracking

/// `outrider run`: runs the logger in the foreground, as systemd starts it.
enum RunCommand: Command {
  static let name = "run"
  static let group = CommandGroup.run
  static let summary = "run the logger"
  static let description = CommandDescription(
    text: [
      """
      Runs the logger in the foreground until SIGTERM or SIGINT; SIGHUP reloads the configuration. On a \
      terminal it prints position, satellites, speed and queue at the first fix, then about once a \
      minute, without waking the device.
      """
    ],
    options: [
      .flag("-v", "--verbose", text: "on a terminal, print every stored location"),
      .flag(
        "--recorded",
        text: """
          the receiver plays a recording: believe its dates from 2017 on, instead of those since this release
          """),
    ] + ConfigurationFiles.options,
    exitStatus: "0 stopped by a signal, 1 cannot run, 2 invalid configuration")

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    // Before any slow step and before the first thread, because threads inherit the blocked signals.
    let signals = try SignalDescriptor([SIGTERM, SIGINT, SIGHUP])
    let arguments = try Arguments(words, description)
    try arguments.checkOperands(atMost: 0)
    let files = ConfigurationFiles(arguments)
    let loaded: ConfigurationFiles.Loaded
    do { loaded = try files.load() } catch {
      return reject("\(error)")
    }
    // A stopped terminal or a full pipe must not block the logger.
    Console.stopWaiting()
    let unreadSettings = setDamageAside(loaded)
    let configuration = loaded.configuration
    guard configuration.receiver.port != nil || configuration.receiver.gpsd != nil else {
      return reject(
        "receiver.port: not set; set it or receiver.gpsd in the configuration, or choose a board with --board"
      )
    }
    let lastSignal = LastSignal.exchange(in: configuration.storage.directory)
    let loop = try EventLoop()
    let logger = try Logger(
      loop: loop, configuration: configuration, sources: loaded.sources, stored: loaded.stored,
      unreadSettings: unreadSettings, journal: Journal(), lastSignal: lastSignal,
      dates: arguments.has("--recorded") ? .recording : .live)
    var status: Int32 = 0
    logger.outputs.failed = { message in
      Console.complain(message)
      status = 1
      loop.stop()
    }
    _ = try loop.watch(signals.raw, for: .readable) { _ in
      while let signal = signals.next() {
        if signal == SIGHUP { reload(logger, files) } else { loop.stop() }
      }
    }
    let console =
      ForegroundConsole.isOnTerminal
      ? ForegroundConsole(logger, loop: loop, isVerbose: arguments.has("-v") || arguments.has("--verbose"))
      : nil
    logger.start()
    if let reason = RejectedStart()?.take() { logger.refuse(reason, atStart: true) }
    try withExtendedLifetime(console) { try loop.run() }
    logger.stop()
    return status
  }

  private static func reject(_ message: String) -> Int32 {
    Console.complain(message)
    RejectedStart()?.keep(message)
    return 2
  }

  /// Moves a damaged file of run-time settings aside, so that it is not overwritten. Returns the damage that remains.
  private static func setDamageAside(_ loaded: ConfigurationFiles.Loaded) -> SettingsFile.Remains {
    loaded.warnings.forEach(Console.complain)
    // A missing permission is no damage; the warnings report it.
    if case .outOfReach = loaded.remains { return loaded.remains }
    do throws(SystemError) {
      if let kept = try loaded.setDamageAside() {
        Console.complain("settings: the damaged file is kept as \(kept)")
      }
      return .nothing
    } catch {
      Console.complain(
        "settings: \(error); the damaged file is left unchanged, and changes last only until the logger stops"
      )
      return loaded.remains
    }
  }

  private static func reload(_ logger: Logger, _ files: ConfigurationFiles) {
    do throws(ConfigurationFiles.Refusal) {
      logger.reload(try files.sources())
    } catch {
      logger.refuse("\(error)")
    }
  }
}
