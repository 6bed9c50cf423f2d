import EventLoop
import Quantities
import Scheduling

/// Controls the sleep of the host: executes the decisions of a ``HostSchedule``.
///
/// Owned by the logger, which provides the situation and gets callbacks.
final class HostController {
  /// Handlers, set before the first turn of the loop.
  struct Outputs {
    /// Returns the sleep inhibitor of the host, if any, and its scheduled tasks.
    var situation: (Moment) -> HostSituation = { _ in HostSituation(inhibitor: .storage) }
    /// Converts a time of the loop to UTC; nil while the date is unknown.
    var date: (Moment) -> Timestamp? = { _ in nil }
    /// Called before sleep: report it and make all records durable, then call ``handleToken(_:isDurable:)`` with this
    /// token.
    var prepare: (HostSleep, _ token: UInt64) -> Void = { _, _ in }
    /// Called when the command for sleep is given.
    var going: (HostSleep) -> Void = { _ in }
    /// Called when the host stays awake after all.
    var stayUp: (_ reason: String, _ retry: Duration?) -> Void = { _, _ in }
    /// Called when the host is awake again.
    var woke: (HostWaking) -> Void = { _ in }
    /// Called when the alarm of a power manager did not start the host.
    var alarmMissed: (HostWaking) -> Void = { _ in }
    /// Returns true if the battery is nearly empty.
    var isCritical: () -> Bool = { false }
  }

  private(set) var schedule: HostSchedule
  let means: HostSwitch
  var outputs = Outputs()

  /// The minimum difference of the two clocks that counts as a suspension.
  private static let leastSuspension = Duration.seconds(1)

  private let loop: EventLoop
  private let suspended: () -> Duration
  private var suspendedBefore: Duration
  private var timer: LoopTimer?
  private var clientUntil: Moment?
  private var token: UInt64

  /// The first token; those of the watchdog count from zero.
  private static let firstToken: UInt64 = 1 << 63

  /// - Parameters:
  ///   - rules: the rules of the plan.
  ///   - means: the switch of the host.
  ///   - loop: the event loop.
  ///   - suspended: returns the total time of suspension since the boot; by default the loop's clock does.
  init(
    _ rules: HostRules, _ means: HostSwitch, loop: EventLoop,
    suspended: (() -> Duration)? = nil
  ) {
    self.loop = loop
    self.means = means
    self.suspended = suspended ?? loop.clock.suspended
    suspendedBefore = self.suspended()
    token = Self.firstToken
    schedule = HostSchedule(rules, now: loop.now)
    timer = loop.addTimer("host") { [unowned self] now in timeout(now: now) }
  }

  /// True for a while after a request to the local API.
  var hasClient: Bool { clientUntil != nil }

  /// Updates the plan. Called on every turn of the loop.
  func look(now: Moment) {
    detectSuspension(now: now)
    if let until = clientUntil, now >= until { clientUntil = nil }
    carryOut(schedule.look(outputs.situation(now), now: now))
  }

  /// Keeps the host awake for a time because of a request to the local API.
  func keepAwakeForClient(for time: Duration, now: Moment) {
    clientUntil = now + time
    arm()
  }

  /// Handles a token that the store's worker returned. Returns false if it is not a token of host sleep.
  func handleToken(_ token: UInt64, isDurable: Bool) -> Bool {
    guard token >= Self.firstToken else { return false }
    if token == self.token { carryOut(schedule.durable(isDurable, now: loop.now)) }
    return true
  }

  /// Ends the preparation of a sleep, because the tasks have changed. The next report decides again.
  func reconsider(because reason: String) { carryOut(schedule.reconsider(because: reason, now: loop.now)) }

  /// Handles the end of a sleep that an earlier run began.
  func restored(_ waking: HostWaking) { carryOut(schedule.restored(waking, now: loop.now)) }

  /// Handles the reason of a start that no logger planned, as a power manager states it.
  func started(by reason: StartReason, afterOrderlyStop: Bool) {
    carryOut(schedule.started(by: reason, afterOrderlyStop: afterOrderlyStop, now: loop.now))
  }

  /// Continues the record of alarms of an earlier run.
  func restoreAlarms(_ text: String) {
    if let alarms = AlarmRecord(text: text) { schedule.alarms = alarms }
  }

  /// Stops the control. A wake-up alarm stays set only if the host is about to sleep.
  func stop() {
    if let timer { loop.removeTimer(timer) }
    timer = nil
    means.stop()
    if !schedule.isFalling { means.cancelAlarm() }
  }

  private func timeout(now: Moment) {
    detectSuspension(now: now)
    if schedule.isGoingToSleep { carryOut(schedule.handleTimeout(now: now)) }
    look(now: now)
  }

  /// Detects a suspension, before deadlines that passed during it are handled.
  private func detectSuspension(now: Moment) {
    let total = suspended()
    let slept = total - suspendedBefore
    guard slept >= Self.leastSuspension else { return }
    suspendedBefore = total
    carryOut(schedule.resumed(after: slept, now: now))
  }

  private func carryOut(_ actions: [HostSchedule.Action]) {
    for action in actions {
      switch action {
      case .prepare(let sleep):
        token &+= 1
        outputs.prepare(sleep, token)
      case .goDown(let sleep):
        outputs.going(sleep)
        means.goDown(
          for: sleep.wake - loop.now, until: outputs.date(sleep.wake), isCritical: outputs.isCritical(),
          alarms: schedule.alarms
        ) { [weak self] failure in
          guard let self else { return }
          carryOut(schedule.commanded(failure: failure, now: loop.now))
        }
      case .stayAwake(let reason, let retry):
        means.abandon()
        means.cancelAlarm()
        outputs.stayUp(reason, retry)
      case .woke(let waking):
        means.leave()
        means.cancelAlarm()
        outputs.woke(waking)
      case .alarmMissed(let waking): outputs.alarmMissed(waking)
      }
    }
    arm()
  }

  private func arm() {
    timer?.arm(at: [schedule.nextTimeout, clientUntil].compactMap { $0 }.min(), slack: .seconds(1))
  }
}
