import EventLoop
import HTTPServer
import LocalAPI
import Quantities
import Settings

/// Owns what serves people and other programs: the local API with its stream, gpsd's protocol, and the checks of the system.
final class ServingController {
  let publisher = StreamPublisher()
  let share: ShareController
  let examiner = SystemExaminer()
  private let context: LoggerContext
  private var api: LocalAPI?
  private var retry = AddressRetry()
  private var retryTimer: LoopTimer?
  private weak var controls: (any LoggerControls)?
  private var opened: (EventStream) -> Void = { _ in }

  init(_ context: LoggerContext) {
    self.context = context
    share = ShareController(context)
  }

  /// The messages of `GET /stream`; nil without the local API.
  var stream: EventStream? { api?.stream }

  /// Opens the addresses of the configuration. One that is refused is tried again: after seconds, then every minute.
  /// `opened` gets the stream of the local API when it is served.
  func start(_ controls: any LoggerControls, _ opened: @escaping (EventStream) -> Void) {
    self.controls = controls
    self.opened = opened
    retryTimer = context.loop.addTimer("api retry") { [unowned self] now in open(isFirst: false, now: now) }
    open(isFirst: true, now: context.loop.now)
  }

  /// Opens what is missing: the socket, the TCP address, and that of gpsd's protocol.
  private func open(isFirst: Bool, now: Moment) {
    if let controls, context.configuration.api.isEnabled {
      if let api {
        api.retry(context, controls: controls, reports: false)
      } else if let new = LocalAPI.start(context, controls: controls, reports: isFirst) {
        if !isFirst { context.journal.log(.notice, "api.socket: the local API is served again") }
        api = new
        opened(new.stream)
      }
    }
    share.follow()
    scheduleRetry(now: now)
  }

  /// Arms the timer if an address is missing.
  private func scheduleRetry(now: Moment) {
    retry.attempted(isMissing: isMissingAnAddress, now: now)
    retryTimer?.arm(at: retry.next)
  }

  /// True while an address of the configuration is not served, and another attempt may help.
  var isMissingAnAddress: Bool {
    let configuration = context.configuration
    let isMissing = configuration.api.isEnabled && (api?.isMissingAnAddress(of: configuration) ?? true)
    return isMissing || share.isRefused
  }

  /// Looks once a minute, when the loop is awake for another reason, if the file of the socket is still there. A removed one
  /// is made again. In an idle logger, the watchdog of systemd or retention wakes the loop.
  func turn(now: Moment) {
    guard let api, let controls, retry.isLookDue(now: now), api.hasServer, !api.hasSocket else { return }
    context.journal.log(.warning, "api.socket: the file was removed or replaced; making it again")
    api.closeSocket()
    api.retry(context, controls: controls, reports: true)
    scheduleRetry(now: now)
  }

  /// Serves the local API on a loopback address without a sign-in: for the demo only. Returns the address; nil without the
  /// local API. Throws if the address cannot be opened.
  func serveDemo(_ controls: any LoggerControls) throws(HTTPServerError) -> ListenAddress? {
    try api?.listenForDemo(loop: context.loop, controls: controls)
  }

  /// Applies a changed configuration, which is in force already.
  func configurationChanged(_ changes: SettingChanges, _ controls: any LoggerControls) {
    share.follow()
    if share.isRefused { scheduleRetry(now: context.loop.now) }
    api?.follow(changes, context, controls: controls) { [weak self] in
      if let self { scheduleRetry(now: context.loop.now) }
    }
    publisher.statusChanged()
  }

  /// Notes for `GET /access` that an address cannot be served, or forgets it without a reason.
  func note(failure reason: String?, of address: String) {
    if let reason { api?.noteFailure(of: address, reason: reason) } else { api?.clearFailure(of: address) }
  }

  /// Tells the clients that the host sleeps until a time; nil if that is unknown. Nothing follows until it is awake.
  func hostSleeps(until time: Timestamp?) {
    stream?.publish(.closing("host suspends", until: time))
    publisher.hostSleeps()
  }

  /// Tells the clients that the program ends, unless they know that the host sleeps, and closes all connections.
  func stop() {
    share.stop()
    if let retryTimer { context.loop.removeTimer(retryTimer) }
    retryTimer = nil
    if !publisher.isHostAsleep { stream?.publish(.closing("program ends", until: nil)) }
    api?.stop()
    examiner.stop()
  }
}
