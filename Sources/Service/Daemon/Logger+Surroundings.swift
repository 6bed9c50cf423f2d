import Devices
import HTTPServer
import LocalAPI
import Quantities
import Records
import Settings
import System
import Tracking

extension Logger {
  // MARK: The system's time

  /// The largest error of a system clock that is used.
  private static let worstClockError = Duration.seconds(5)

  /// Passes UTC to the tracker: from the system clock if a time service disciplines it, else from the clock chip.
  func reportSystemTime() {
    if let error = loop.clock.error(), error <= Self.worstClockError {
      process(.systemTime(loop.clock.timestamp(), quality: .network), now: loop.now)
    } else if let path = configuration.clockChip, let seconds = try? ClockChip(path: path).seconds() {
      process(.systemTime(Timestamp(milliseconds: seconds * 1000), quality: .clockChip), now: loop.now)
    } else {
      process(.systemTime(nil, quality: .none), now: loop.now)
    }
  }

  // MARK: Notifications

  /// Starts to call the configured program or URL; calls in progress are abandoned.
  func startNotifications() {
    notifier?.stop()
    notifier = configuration.notifications.map {
      Notifier($0, loop: loop, client: client, version: Release.version)
    }
    notifier?.onFailure = { [unowned self] reason, count in
      process(.occurred(EventRecord(notificationFailure: reason, count: count)), now: loop.now)
    }
  }

  /// Passes a record to `notifications`, if it is of a kind that is notified.
  func notify(of record: LogRecord) {
    guard let notifier,
      let event = HookQueue.Event(
        record, deviceID: configuration.deviceID, lastLocation: tracker.lastLocation)
    else { return }
    notifier.process(event)
  }

  // MARK: The local API

  /// Starts the local API, on a Unix socket and, if configured, a TCP port.
  func startAPI() {
    guard configuration.api.isEnabled else { return }
    let path = configuration.api.socket
    do {
      if let slash = path.lastIndex(of: "/") { try FileBytes.makeDirectory(String(path[..<slash])) }
      api = try LocalAPI(loop: loop, path: path, controls: self)
    } catch {
      journal.log(
        .warning, "api.socket: \(error); logging continues without the local API")
    }
    guard let text = configuration.api.listen, let api else { return }
    guard let address = ListenAddress(text), let token = BearerToken(configuration.api.token?.revealed ?? "")
    else {
      journal.log(.warning, "api.listen: \(text) is not a valid address, or api.token is missing")
      return
    }
    do {
      let bound = try api.listen(loop: loop, on: address, token: token, controls: self)
      journal.log(.notice, "api.listen: the local API listens on \(bound) and requires api.token")
    } catch {
      journal.log(.warning, "api.listen: \(error); logging continues without it")
    }
  }
}
