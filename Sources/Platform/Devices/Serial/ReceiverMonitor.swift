import EventLoop
import GNSSReceiver
import Quantities

/// Runs the watch over the receiver: its timer, its pauses while the receiver sleeps on schedule or its port
/// is gone, and its restart with the port.
///
/// Belongs to the thread of its loop.
final class ReceiverMonitor {
  /// Handlers.
  struct Outputs {
    /// Reads what has arrived, before a deadline is judged.
    var readArrived: (Moment) -> Void
    var perform: (WatchAction, Moment) -> Void
  }

  /// Slack of deadlines that every epoch postpones and that only a fault reaches.
  static let slack = Duration.seconds(1)
  /// Time after an agreed silence until it becomes suspicious: the receiver is asked twice, and sending the
  /// stored epochs takes time.
  private static let graceOfSilence = Duration.seconds(60)

  private let loop: EventLoop
  private var watch: ReceiverWatch
  private var outputs: Outputs?
  private var timer: LoopTimer?
  /// True if the watch knows that the receiver sleeps.
  private var isPaused = false
  /// True if data arrived since the port was opened or its baud rate set.
  private var hasReceivedData = false
  /// Time before which the watch expects no bytes.
  private var agreedSilence: Moment?

  init(loop: EventLoop, mayWrite: Bool, canCyclePower: Bool) {
    self.loop = loop
    watch = ReceiverWatch(mayWrite: mayWrite, canCyclePower: canCyclePower, now: loop.now)
  }

  /// Begins to monitor.
  func start(_ outputs: Outputs) {
    self.outputs = outputs
    timer = loop.addTimer("receiver watch") { [unowned self] now in
      self.outputs?.readArrived(now)
      take(watch.handleTimeout(now: now), now: now)
    }
  }

  /// Ends monitoring permanently.
  func stop() {
    if let timer { loop.removeTimer(timer) }
  }

  /// The present faults of the receiver, the gravest first.
  var faults: [ReceiverFault] { watch.faults }

  func handle(_ input: WatchInput, now: Moment) { take(watch.handle(input, now: now), now: now) }

  /// Notes that data arrived, at whatever baud rate.
  func receivedData() { hasReceivedData = true }

  /// Restarts the watch after the port was opened or the baud rate changed: earlier data is no evidence. A
  /// silence continues.
  func restart(now: Moment) {
    guard hasReceivedData else { return }
    hasReceivedData = false
    handle(.opened, now: now)
  }

  /// Suspends the watch while the receiver is expected to be silent without an end, and resumes it afterwards.
  func setPaused(_ isPaused: Bool, now: Moment) {
    guard isPaused != self.isPaused else { return }
    self.isPaused = isPaused
    handle(isPaused ? .asleep : .awake, now: now)
  }

  /// Expects a silence until a time, because the receiver stores its epochs; nil ends that.
  func expectSilence(until end: Moment?, now: Moment) {
    let until = end.map { $0 + Self.graceOfSilence }
    guard until != agreedSilence else { return }
    agreedSilence = until
    handle(.quiet(until: until), now: now)
  }

  private func take(_ requested: [WatchAction], now: Moment) {
    for action in requested { outputs?.perform(action, now) }
    timer?.arm(at: watch.nextTimeout.map { $0 + Self.slack }, slack: Self.slack)
  }
}
