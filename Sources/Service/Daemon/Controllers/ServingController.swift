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

  init(_ context: LoggerContext) {
    self.context = context
    share = ShareController(context)
  }

  /// The messages of `GET /stream`; nil without the local API.
  var stream: EventStream? { api?.stream }

  /// Opens the addresses of the configuration.
  func start(_ controls: any LoggerControls) {
    api = LocalAPI.start(context, controls: controls)
    share.follow()
  }

  /// Serves the local API on a loopback address without a sign-in: for the demo only. Returns the address; nil without the
  /// local API. Throws if the address cannot be opened.
  func serveDemo(_ controls: any LoggerControls) throws(HTTPServerError) -> ListenAddress? {
    try api?.listenForDemo(loop: context.loop, controls: controls)
  }

  /// Applies a changed configuration, which is in force already.
  func configurationChanged(_ changes: SettingChanges, _ controls: any LoggerControls) {
    share.follow()
    api?.follow(changes, context, controls: controls)
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
    if !publisher.isHostAsleep { stream?.publish(.closing("program ends", until: nil)) }
    api?.stop()
    examiner.stop()
  }
}
