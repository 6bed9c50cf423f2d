import Chips
import Devices
import Energy
import EventLoop
import LocalAPI
import LoggerConfiguration
import Quantities
import Records
import Scheduling
import Settings
import System
import Tracking

/// Owns the sleep of the host: its schedule and means, what goes into the log before and after it, and the power manager that
/// cuts the supply meanwhile.
final class HostSleepController {
  /// Handlers, set before ``start(_:)``.
  struct Outputs {
    /// The scheduled tasks of the host, or the reason why it may not sleep.
    var situation: (Moment) -> HostSituation = { _ in HostSituation(inhibitor: .storage) }
    /// The host is about to sleep. Returns the reason why the sleep must be decided again; nil if it is prepared.
    var prepares: (Moment) -> String? = { _ in nil }
    /// All records are durable, and the host goes to sleep.
    var sleeps: (HostSleep) -> Void = { _ in }
    /// The host is awake again, or stays awake after all.
    var isAwake: () -> Void = {}
    /// The rests of the send intervals, as they are saved.
    var intervals: () -> String = { "" }
  }

  /// The entries in the energy ledger.
  struct Ledger {
    var draw: (EnergyShare) -> Void = { _ in }
    var spendDown: (Duration) -> Void = { _ in }
    var spendCycle: (Charge) -> Void = { _ in }
    var save: () -> Void = {}
  }

  /// What the log of an earlier run says.
  private struct Left {
    var note: SavedHostSleep?
    var isNewBoot: Bool
    /// True if the run before ended by an orderly stop.
    var hasEnded: Bool
  }

  private let context: LoggerContext
  private let tracking: TrackerController
  private let log: LogController
  private let openBus: BusOpening
  var outputs = Outputs()
  var ledger = Ledger()
  /// Nil if the host never sleeps.
  private(set) var host: HostController?
  /// The power manager; nil without one on a bus.
  private var cut: SupplyCut?
  /// The reason of the start, as the power manager states it; nil before it was read, or without one.
  private var startReason: StartReason?
  private var isAskingForReason = false
  private var left: Left?

  private var loop: EventLoop { context.loop }
  private var configuration: Configuration { context.configuration }

  init(
    _ context: LoggerContext, _ tracking: TrackerController, _ log: LogController,
    openBus: @escaping BusOpening
  ) {
    self.context = context
    self.tracking = tracking
    self.log = log
    self.openBus = openBus
  }

  /// Starts the control of host sleep, if it is configured. Tests pass a controller of their own.
  func start(_ given: HostController? = nil) {
    guard host == nil, cut == nil else { return }
    cut = configuration.powerManager.flatMap { SupplyCut($0, loop: loop, openBus: openBus) }
    cut?.onFault = { [unowned self] reason in
      report(.powerManagerFailed, [.part: cut.map { .text($0.location.words) }, .reason: .text(reason)])
    }
    // Also for a host that does not sleep any more: what an earlier run armed is called off.
    defer { if let cut { askForReason(cut) } }
    guard var rules = HostRules(configuration) else { return }
    if let manager = configuration.powerManager {
      rules.cut = SupplyCutRules(deadMan: manager.deadMan, longestWake: cut?.longestWake ?? rules.longest)
    }
    let controller = given ?? HostController(rules, means(rules.depth, cut), loop: loop)
    host = controller
    controller.outputs = HostController.Outputs(
      situation: { [unowned self] now in outputs.situation(now) },
      date: { [unowned self] moment in tracking.tracker.fixes.clock.timestamp(at: moment) },
      prepare: { [unowned self] sleep, token in prepare(sleep, token: token) },
      going: { [unowned self] sleep in
        ledger.draw(.hostDown)
        outputs.sleeps(sleep)
      },
      stayUp: { [unowned self] reason, retry in stayUp(reason, retry: retry) },
      woke: { [unowned self] waking in woke(waking) },
      alarmMissed: { [unowned self] waking in report(.wakeAlarmMissed, waking.fields) },
      isCritical: { [unowned self] in tracking.tracker.power.level == .critical })
    // An alarm that an earlier run has set is obsolete.
    if let error = controller.means.cancelAlarm(evenIfUnknown: true) {
      context.journal.log(
        .warning, "rtc: \(error); the host stays awake without a wake-up alarm; check the permissions")
    }
  }

  /// Stops the control of host sleep.
  func stop() {
    host?.stop()
    if host == nil { cut?.stop(keepsCut: false) }
  }

  private func means(_ depth: HostDepth, _ cut: SupplyCut?) -> HostSwitch {
    let isLatch = configuration.powerManager?.part == .latch
    return HostSwitch(
      depth, program: configuration.host.down, clock: configuration.clockChip.map { ClockChip(path: $0) },
      cut: cut,
      latchFault: { isLatch ? LatchRelease.fault() : nil }, loop: loop)
  }

  private func askForReason(_ cut: SupplyCut) {
    isAskingForReason = true
    cut.inspect { [unowned self] result in
      isAskingForReason = false
      switch result {
      case .success(let reason): startReason = reason
      case .failure(let error):
        report(.powerManagerFailed, [.part: .text(cut.location.words), .reason: .text(error.words)])
      }
      reportReturn()
    }
  }

  // MARK: Before a sleep

  private func prepare(_ sleep: HostSleep, token: UInt64) {
    if let reason = outputs.prepares(loop.now) {
      host?.reconsider(because: reason)
      return
    }
    let note = SavedHostSleep(
      boot: ProcessEnvironment.bootIdentity, depth: sleep.depth, planned: sleep.planned,
      clockChip: host?.means.seconds)
    log.post(.saveStateWithRecords(.host, note.text))
    log.post(.saveStateWithRecords(.sends, outputs.intervals()))
    // Not after the epochs that the receiver stores: it keeps them until the next start.
    let event = EventRecord(
      .hostSleeping,
      [
        .mode: .text(sleep.depth.rawValue), .wake: .seconds(sleep.planned),
        .wakeReason: .text(sleep.need.purpose.field),
      ])
    tracking.processDirectly(.occurred(event), now: loop.now)
    ledger.save()
    log.commit(now: loop.now)
    log.post(.token(token))
  }

  private func stayUp(_ reason: String, retry: Duration?) {
    ledger.draw(.hostBase)
    log.post(.saveStateWithRecords(.host, ""))
    report(
      .hostStaysAwake,
      [
        .reason: .text(reason), .retry: retry.map { .seconds($0) },
        .failures: host.map { .integer($0.schedule.failures) },
      ])
    outputs.isAwake()
  }

  // MARK: After a sleep

  private func woke(_ waking: HostWaking) {
    ledger.draw(.hostBase)
    if let cycle = host?.schedule.rules.currents?.cycle, waking.planned != nil { ledger.spendCycle(cycle) }
    log.post(.saveStateWithRecords(.host, ""))
    if let host, host.schedule.rules.cut != nil {
      log.post(.saveStateWithRecords(.alarms, host.schedule.alarms.text))
    }
    report(.hostWoke, waking.fields)
    outputs.isAwake()
  }

  /// Handles what an earlier run left in the log: the note about a sleep, and the record of alarms. `isNewBoot` is true if
  /// the host was started since. Returns how the logger continues after a planned sleep; nil for any other start.
  func logOpened(note: String?, alarms: String?, isNewBoot: Bool, hasEnded: Bool) -> Resumption? {
    if let alarms { host?.restoreAlarms(alarms) }
    let note = note.flatMap(SavedHostSleep.init(text:))
    left = Left(note: note, isNewBoot: isNewBoot, hasEnded: hasEnded)
    guard let rules = host?.schedule.rules, !isAskingForReason, let note else { return nil }
    return waking(note)?.resumption(wakesOnMotion: rules.wakesOnMotion, uptime: uptime)
  }

  /// The time since the last run went to a planned sleep; nil if the host was not started since. Without a clock that
  /// shows the time asleep it is the planned one, also if the host was woken early.
  func timeSinceSleep(note: String?) -> Duration? {
    guard let note = note.flatMap(SavedHostSleep.init(text:)), let waking = waking(note) else { return nil }
    return (waking.slept ?? waking.planned).map { $0 + uptime }
  }

  private var uptime: Duration { loop.now - Moment.zero }

  /// The end of a sleep; nil if the host was not started since.
  private func waking(_ note: SavedHostSleep) -> HostWaking? {
    let chip = host?.means.seconds ?? configuration.clockChip.flatMap { try? ClockChip(path: $0).seconds() }
    return note.waking(
      boot: ProcessEnvironment.bootIdentity, uptime: uptime, clockChip: chip, reason: startReason)
  }

  /// Reports the return from a sleep, once the log is open and the power manager has answered.
  func reportReturn() {
    guard let left, !isAskingForReason else { return }
    self.left = nil
    guard let note = left.note else {
      if left.isNewBoot, let startReason { host?.started(by: startReason, afterOrderlyStop: left.hasEnded) }
      return
    }
    guard let waking = waking(note) else {
      // Only the logger was restarted, so the note is obsolete.
      return log.post(.saveStateWithRecords(.host, ""))
    }
    if let slept = waking.slept { ledger.spendDown(slept) }
    if let host { host.restored(waking) } else { woke(waking) }
  }

  private func report(_ kind: EventKind, _ fields: EventFields) {
    tracking.process(.occurred(EventRecord(kind, fields)), now: loop.now)
  }

  // MARK: The status

  /// The host; nil if it never sleeps.
  var status: StatusReport.Host? {
    guard let schedule = host?.schedule else { return nil }
    return StatusReport.Host(
      state: schedule.isGoingToSleep ? "going down" : "up",
      reason: schedule.verdict(now: loop.now).text(now: loop.now),
      sleeps: Int(clamping: schedule.sleeps), slept_s: schedule.slept.inSeconds.rounded(),
      failures: Int(clamping: schedule.failures))
  }
}
