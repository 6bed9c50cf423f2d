import EventLoop
import Quantities
import Store
import System

/// Owns the dealings with the service manager: the end of the start, the status line, and the watchdog.
final class SupervisionController {
  /// Handlers, set before ``start()``.
  struct Outputs {
    /// The status in one line, faults included.
    var summary: () -> String = { "" }
    /// The log has not opened in time: the receiver starts nevertheless.
    var logIsLate: () -> Void = {}
    /// Handles the replies of the log's worker, which may not have woken the loop.
    var takeReplies: (Moment) -> Void = { _ in }
  }

  /// The longest delay of the receiver's start for the log to open; after that, records stay in memory.
  private static let logOpeningTimeout = Duration.milliseconds(500)
  /// The time by which a message to the supervisor extends the start.
  private static let supervisorTimeout = Duration.seconds(60)
  /// The interval of these messages while a large log is checked.
  private static let supervisorInterval = Duration.seconds(20)
  /// The time after which the memory of the start is returned to the system.
  private static let startMemoryDelay = Duration.seconds(10)

  private struct Timers {
    var watchdog: LoopTimer?
    var logOpening: LoopTimer?
    var startMemory: LoopTimer?
  }

  private let context: LoggerContext
  private let log: LogController
  private let notification: ServiceNotification
  var outputs = Outputs()
  private var watchdog: WatchdogFeed?
  private var timers = Timers()
  /// True after the supervisor was notified that the start is complete, or will be with the next status.
  private(set) var isReady = false
  private var isStopped = false
  private var reportedSummary: String?

  init(_ context: LoggerContext, _ log: LogController) {
    self.context = context
    self.log = log
    notification = ServiceNotification(
      environment: ProcessEnvironment.variable, processID: ProcessEnvironment.processID)
    timers.watchdog = context.loop.addTimer("watchdog") { [unowned self] now in checkWatchdog(now: now) }
    timers.logOpening = context.loop.addTimer("receiver start") { [unowned self] now in waitForLog(now: now) }
    timers.startMemory = context.loop.addTimer("start memory") { _ in StartMemory.giveBack() }
  }

  /// Starts the watchdog and the wait for the log.
  func start(now: Moment) {
    timers.logOpening?.arm(at: now + Self.logOpeningTimeout)
    timers.startMemory?.arm(at: now + Self.startMemoryDelay, slack: .seconds(2))
    if let interval = notification.watchdogInterval { watchdog = WatchdogFeed(interval: interval, now: now) }
  }

  /// Reports the beginning of the stop. Afterwards nothing is reported.
  func stopping() {
    isStopped = true
    notification.stopping()
  }

  /// Stops the watchdog.
  func stop() {
    for timer in [timers.watchdog, timers.logOpening, timers.startMemory] {
      if let timer { context.loop.removeTimer(timer) }
    }
  }

  // MARK: The start

  /// Ends the wait for the log: the receiver starts.
  func endWaiting() { timers.logOpening?.arm(at: nil) }

  /// The start is complete, with the log or without it.
  func startIsComplete() { isReady = true }

  /// Starts the receiver although the log is not open yet, and requests more time from the supervisor.
  private func waitForLog(now: Moment) {
    outputs.logIsLate()
    guard !log.isOpen, !isReady else { return }
    notification.starting(status: outputs.summary(), for: Self.supervisorTimeout)
    timers.logOpening?.arm(at: now + Self.supervisorInterval)
  }

  /// Sends the status to the supervisor when the start is complete and when the status changes.
  func report() {
    guard isReady, !isStopped else { return }
    let summary = outputs.summary()
    guard summary != reportedSummary else { return }
    if reportedSummary == nil { notification.ready(status: summary) } else { notification.status(summary) }
    reportedSummary = summary
  }

  // MARK: The watchdog

  /// Arms the timer of the watchdog.
  func rearm() {
    if let watchdog { timers.watchdog?.arm(within: watchdog.nextWake) }
  }

  private func checkWatchdog(now: Moment) {
    outputs.takeReplies(now)
    execute(watchdog?.handleTimeout(now: now) ?? [])
  }

  /// Handles the token that the worker returned.
  func workerAnswered(_ token: UInt64, now: Moment) {
    execute(watchdog?.workerAnswered(token, now: now) ?? [])
  }

  private func execute(_ actions: [WatchdogFeed.Action]) {
    for action in actions {
      switch action {
      case .send(let token, let urgent): log.post(.token(token, urgent: urgent))
      case .feed: notification.watchdog()
      }
    }
    timers.watchdog?.arm(within: watchdog?.nextWake)
  }
}
