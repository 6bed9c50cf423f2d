import Daemon
import EventLoop
import Glibc
import Store
import System

/// Prints the state of a logger that runs in the foreground of a terminal.
final class ForegroundConsole {
  private let logger: Logger
  private let loop: EventLoop
  private var report: ForegroundReport

  static var isOnTerminal: Bool { isatty(STDERR_FILENO) == 1 || isatty(STDOUT_FILENO) == 1 }

  init(_ logger: Logger, loop: EventLoop, isVerbose: Bool) {
    (self.logger, self.loop) = (logger, loop)
    report = ForegroundReport(isVerbose: isVerbose, now: loop.now)
    logger.outputs.kept = { [unowned self] _ in
      if report.kept(now: loop.now) { print(withQueue: !report.isVerbose) }
    }
    loop.everyTurn { [weak self] now in
      guard let self, !self.logger.isStopped else { return }
      if report.woke(now: now) { print(withQueue: true) }
    }
  }

  /// Prints one line. The queue is read from the log, which is too expensive for a line every second.
  private func print(withQueue: Bool) {
    let status = logger.status
    let log = !withQueue ? nil : try? LogReader(directory: status.log.directory).status()
    let configured = Set(status.destinations.map(\.name))
    Console.print(
      ForegroundReport.line(
        status,
        queued: log?.destinations.filter { configured.contains($0.name) }.map { ($0.name, $0.queued) },
        time: SystemClock.timestamp()))
  }
}
