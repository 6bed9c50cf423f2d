import HTTPClient
import LocalAPI
import Quantities
import Records
import Settings
import Tracking

/// Owns the calls of `notifications`: passes events and visits to the configured program or URL.
final class NotificationController {
  private let context: LoggerContext
  private let tracking: TrackerController
  private let client: HTTPClient
  /// Calls the program or URL; nil if none is configured.
  private(set) var notifier: Notifier?
  private var hook: NotificationHook?

  init(_ context: LoggerContext, _ tracking: TrackerController, _ client: HTTPClient) {
    self.context = context
    self.tracking = tracking
    self.client = client
  }

  /// Starts to call the configured program or URL; calls in progress are abandoned.
  func start() {
    notifier?.stop()
    hook = context.configuration.notifications
    notifier = hook.map { Notifier($0, loop: context.loop, client: client, version: Release.version) }
    notifier?.onFailure = { [unowned self] reason, count in
      let event = EventRecord(notificationFailure: reason, count: count)
      tracking.process(.occurred(event), now: context.loop.now)
    }
  }

  /// Applies a changed configuration, which is in force already.
  func configurationChanged() {
    if hook != context.configuration.notifications { start() }
  }

  /// Abandons the calls in progress.
  func stop() {
    notifier?.stop()
    notifier = nil
  }

  /// Passes a record on, if it is of a kind that is notified.
  func notify(of record: LogRecord) {
    guard let notifier,
      let event = HookQueue.Event(
        record, deviceID: context.configuration.deviceID, lastLocation: tracking.tracker.locations.last)
    else { return }
    notifier.process(event)
  }

  /// The notifications in the status; nil if none are configured.
  var report: StatusReport.Notifications? {
    guard let queue = notifier?.queue else { return nil }
    return StatusReport.Notifications(
      handedOver: Int(clamping: queue.handedOver), failed: Int(clamping: queue.failures),
      trouble: queue.failure)
  }
}
