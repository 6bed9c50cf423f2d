import Daemon
import Glibc
import Settings
import Store
import SystemLoop

/// `outrider run`: the logger, in the foreground, as systemd starts it.
enum RunCommand: Command {
  static let name = "run"
  static let summary = "log what the receiver says and bring it to the destinations"
  static let help = """
    Usage: outrider run [-v] [--config FILE] [--board NAME|FILE] [--set KEY=VALUE]…

    Runs in the foreground until SIGTERM or SIGINT; SIGHUP reads the configuration again. On a terminal it reports the
    first position, and then about once a minute position, satellites, speed and queue, without waking the device for it.

      -v, --verbose     on a terminal report each kept position
    \(ConfigurationFiles.optionHelp)

    Exit status: 0 left in good order, 1 could not run, 2 bad configuration.
    """

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    // Before anything that takes its time, and before the first thread: all of them inherit what is blocked here.
    let signals = try SignalDescriptor([SIGTERM, SIGINT, SIGHUP])
    let arguments = try Arguments(words, options: ConfigurationFiles.options, flags: ["-v", "--verbose"])
    try arguments.checkOperands(atMost: 0)
    let files = ConfigurationFiles(arguments)
    let loaded: ConfigurationFiles.Loaded
    do { loaded = try files.load() } catch {
      Console.complain("\(error)")
      return 2
    }
    // A stopped terminal or a full pipe must not stop the logger.
    Console.stopWaiting()
    let unreadSettings = setDamageAside(loaded)
    let configuration = loaded.configuration
    guard configuration.receiver.port != nil || configuration.receiver.gpsd != nil else {
      Console.complain(
        "receiver.port: no serial device is named; set it or receiver.gpsd in the configuration, or choose a board with --board"
      )
      return 2
    }
    let lastSignal = LastSignal.exchange(in: configuration.storage.directory)
    let loop = try EventLoop()
    let logger = try Logger(
      loop: loop, configuration: configuration, sources: loaded.sources, stored: loaded.stored,
      unreadSettings: unreadSettings, journal: Journal(), lastSignal: lastSignal)
    var status: Int32 = 0
    logger.onFailure = { message in
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
    try withExtendedLifetime(console) { try loop.run() }
    logger.stop()
    return status
  }

  /// A damaged file of what was set must not be written over before somebody has seen it. Answers what lies there still.
  private static func setDamageAside(_ loaded: ConfigurationFiles.Loaded) -> SettingsFile.Remains {
    loaded.warnings.forEach(Console.complain)
    // That is no damage, and said with the warnings.
    if case .outOfReach = loaded.remains { return loaded.remains }
    do throws(SystemError) {
      if let kept = try loaded.setDamageAside() {
        Console.complain("the damaged file is kept as \(kept)")
      }
      return .nothing
    } catch {
      Console.complain("\(error); the damaged file stays, and what is set counts until the logger ends")
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
