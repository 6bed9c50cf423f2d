import Database
import EventLoop
import HTTPClient
import LocalAPI
import LoggerConfiguration
import Quantities
import Records
import Scheduling
import Settings
import System
import Tracking

/// Owns the calls of `notifications`: passes events and visits to the configured programs and URLs.
final class NotificationController {
  /// Handlers, set before ``start()``.
  struct Outputs {
    /// Makes all records durable and returns the id of the last one; ``logCommitted(through:)`` follows. Nil while the log
    /// cannot be written.
    var commit: () -> Int64? = { nil }
    /// Returns false while the network is switched off.
    var isNetworkUp: () -> Bool = { true }
    /// Returns the id that the newest record has or will get; nil before the log is open.
    var newestID: () -> Int64? = { nil }
    /// Saves what is held back, for ``restore(_:)``.
    var save: (String) -> Void = { _ in }
  }

  private let context: LoggerContext
  private let tracking: TrackerController
  private let client: HTTPClient
  var outputs = Outputs()
  /// The hooks in the order of the setting; empty if none is configured.
  private(set) var notifiers: [Notifier] = []
  private var finals = FinalNotifications()
  /// What is held back, as it was saved last.
  private var savedText = ""
  /// The hook whose failure is being reported: it is not notified of it.
  private var failing: Notifier?
  /// The end of the logger, for the hooks; nil before.
  private var farewell: Farewell?
  /// The command that prints the state of systemd. Tests set another one.
  var systemState = "systemctl is-system-running"

  /// The longest time of the last words of a logger that stops.
  private static let longestFarewell = Duration.seconds(5)

  private struct Farewell {
    let check: ShutdownCheck
    var last: Scheduling.Notification?
  }

  init(_ context: LoggerContext, _ tracking: TrackerController, _ client: HTTPClient) {
    self.context = context
    self.tracking = tracking
    self.client = client
  }

  /// The first hook; nil if none is configured.
  var notifier: Notifier? { notifiers.first }

  /// True while a call is in progress.
  var isBusy: Bool { notifiers.contains(where: \.queue.isBusy) }

  /// Starts to call the configured programs and URLs; calls in progress are abandoned.
  func start() {
    for notifier in notifiers { notifier.stop() }
    finals = FinalNotifications()
    notifiers = context.configuration.notifications.map(makeNotifier)
  }

  private func makeNotifier(_ settings: NotificationSettings) -> Notifier {
    let notifier = Notifier(settings, loop: context.loop, client: client, version: Release.version)
    notifier.outputs.clock = { [unowned self] in
      tracking.tracker.fixes.clock.timestamp(at: context.loop.now)
        .map { NotificationGate.Clock(time: $0, aheadOfUTC: LocalTime.aheadOfUTC(at:)) }
    }
    notifier.outputs.released = { [unowned self] in saveHeld() }
    notifier.outputs.failed = { [unowned self, unowned notifier] reason, count in
      failing = notifier
      let event = EventRecord(notificationFailure: reason, count: count)
      tracking.process(.occurred(event), now: context.loop.now)
      failing = nil
    }
    return notifier
  }

  /// Applies a changed configuration, which is in force already.
  func configurationChanged() {
    guard notifiers.map(\.settings) != context.configuration.notifications else { return }
    start()
    saveHeld()
  }

  /// Holds back what an earlier run held back, by the text that it saved. The log is open.
  func restore(_ text: String) {
    savedText = text
    let deviceID = context.configuration.deviceID
    for hook in HeldNotifications(text).hooks where notifiers.indices.contains(hook.index) {
      do throws(DatabaseError) {
        let earlier = try HeldNotifications.read(
          hook.ids, in: context.configuration.storage.directory, PrivateZones(context.configuration),
          deviceID: deviceID)
        notifiers[hook.index].restore(
          earlier, more: hook.more + hook.ids.count - earlier.count, deviceID: deviceID)
      } catch {
        context.journal.log(.warning, "notifications: cannot read those that were held back: \(error)")
      }
    }
    saveHeld()
  }

  private func saveHeld() {
    let text = HeldNotifications(notifiers.map(\.gate)).text
    guard text != savedText else { return }
    savedText = text
    outputs.save(text)
  }

  /// Passes a record on, if it is an event or a visit.
  func notify(of record: LogRecord) {
    guard !notifiers.isEmpty,
      var notification = Scheduling.Notification(
        record, deviceID: context.configuration.deviceID, lastLocation: tracking.tracker.locations.last)
    else { return }
    if farewell != nil {
      if case .event(let event) = record.body, event.kind == .stopped { farewell?.last = notification }
      return
    }
    notification.record = outputs.newestID()
    if case .event(let event) = record.body {
      notification.isFinal = event.announcesTheEnd
      notification.host = event.fields.text(.destination).flatMap(host)
    }
    for notifier in notifiers where notifier !== failing { pass(notification, to: notifier) }
    saveHeld()
  }

  private func pass(_ notification: Scheduling.Notification, to notifier: Notifier) {
    guard let event = notifier.admit(notification, deviceID: context.configuration.deviceID) else { return }
    guard notification.isFinal, !notifier.settings.isPlain else { return notifier.process(event) }
    // The reply of the log wakes the loop only if it is awaited.
    finals.add(event, of: notifier)
    guard let record = outputs.commit() else { return logCommitted(through: nil) }
    finals.wait(for: record)
  }

  /// The host of the server of a destination, in lower case; nil for none.
  private func host(of destination: String) -> String? {
    context.configuration.destinations.first { $0.name == destination }
      .flatMap { $0.kind == .file ? nil : $0.url.host.lowercased() }
  }

  /// The log is durable up to this record; nil if it cannot be written. Last words may go out.
  func logCommitted(through id: Int64?) {
    if id == nil { finals.giveUpLog() }
    release(through: id ?? 0)
  }

  /// The network is usable.
  func networkUp() { release(through: 0) }

  /// True while the last words wait for the log.
  var awaitsLog: Bool { finals.isWaiting }

  private func release(through id: Int64) {
    guard finals.isWaiting else { return }
    for (notifier, event) in finals.release(through: id, isNetworkUp: outputs.isNetworkUp()) {
      notifier.process(event)
    }
  }

  // MARK: Tests

  /// Calls all hooks with a marked event. Returns their number.
  func test() -> Int {
    let time = tracking.tracker.fixes.clock.timestamp(at: context.loop.now)
    let deviceID = context.configuration.deviceID
    let test = Scheduling.Notification(testOf: deviceID, at: time)
    for notifier in notifiers {
      notifier.process(
        HookQueue.Event(
          NotificationMessage([test]), deviceID: deviceID, asText: notifier.settings.form == .text))
    }
    return notifiers.count
  }

  // MARK: The end

  /// Abandons the calls in progress. The last words follow with ``sayFarewell()``, unless the logger stops because it puts
  /// the host to sleep.
  func stop(forSleep isPlanned: Bool) {
    for notifier in notifiers { notifier.stop() }
    let isAwaited = !isPlanned && notifiers.contains { $0.gate.rules.hasFinal }
    guard isAwaited else {
      notifiers = []
      return
    }
    farewell = Farewell(check: ShutdownCheck(state: systemState))
  }

  /// Notifies the hooks that the host shuts down. Called after the log is durable and all other parts have stopped; returns
  /// after at most six seconds.
  func sayFarewell() {
    defer { notifiers = [] }
    guard var last = farewell?.last, farewell?.check.isShuttingDown == true else { return }
    last.isFinal = true
    let calls = notifiers.compactMap { notifier -> (Notifier, HookQueue.Event)? in
      notifier.admit(last, deviceID: context.configuration.deviceID)
        .map { (makeNotifier(notifier.settings), $0) }
    }
    guard !calls.isEmpty else { return }
    let loop = context.loop
    let timer = loop.addTimer("last notifications") { _ in loop.stop() }
    timer.arm(at: loop.now + Self.longestFarewell)
    for (notifier, event) in calls {
      notifier.outputs.failed = { _, _ in }
      notifier.outputs.idle = {
        if !calls.contains(where: { $0.0.queue.isBusy }) { loop.stop() }
      }
      notifier.process(event)
    }
    if calls.contains(where: { $0.0.queue.isBusy }) { try? loop.run() }
    for (notifier, _) in calls {
      notifier.stop()
      notifier.outputs.idle = {}
    }
    loop.removeTimer(timer)
  }

  // MARK: The status

  /// The notifications in the status; nil if none are configured.
  var report: StatusReport.Notifications? {
    guard !notifiers.isEmpty else { return nil }
    let now = context.loop.now
    var report = StatusReport.Notifications(
      handedOver: notifiers.reduce(0) { $0 + Int(clamping: $1.queue.handedOver) },
      failed: notifiers.reduce(0) { $0 + Int(clamping: $1.queue.failures) },
      trouble: notifiers.lazy.compactMap(\.queue.failure).first)
    report.hooks = notifiers.map { $0.report(now: now) }
    return report
  }
}

extension EventRecord {
  /// True for a condition in which the device may go down at any moment.
  fileprivate var announcesTheEnd: Bool {
    switch kind {
    case .brownOut: fields.text(.cause) == "now"
    case .powerLevel: fields.text(.level) == PowerLevel.critical.rawValue
    default: false
    }
  }
}

extension Notifier {
  /// True for a URL.
  var needsNetwork: Bool { if case .url = settings.to { true } else { false } }

  fileprivate func report(now: Moment) -> StatusReport.Notifications.Hook {
    func answer(_ answer: Answer) -> StatusReport.Notifications.Answer {
      StatusReport.Notifications.Answer(
        ok: answer.isSuccess, text: answer.text, age_s: (now - answer.moment).inSeconds)
    }
    var hook = StatusReport.Notifications.Hook(
      to: "\(settings.to)", form: settings.form.rawValue, handedOver: Int(clamping: queue.handedOver),
      failed: Int(clamping: queue.failures))
    hook.kinds = settings.kinds.isEmpty ? nil : settings.kinds
    hook.held = gate.heldCount > 0 ? gate.heldCount : nil
    hook.trouble = queue.failure
    hook.last_answer = answers.last.map(answer)
    hook.last_test = answers.test.map(answer)
    return hook
  }
}
