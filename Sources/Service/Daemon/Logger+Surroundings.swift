import Devices
import HTTPServer
import LocalAPI
import Quantities
import Records
import Settings
import SystemLoop
import Tracking

extension Logger {
  // MARK: The wireless network

  /// Starts to watch the wireless network.
  func startWifi() {
    let source = WifiSource(loop: loop)
    source.onChange = { [unowned self] network in
      let joined = network.map { JoinedNetwork(name: $0.name, accessPoint: $0.accessPoint) }
      journal.log(.debug, "wifi: \(joined.map { "joined \($0.name)" } ?? "no network")")
      let isSwitchedOff = joined == nil && radio?.hasSwitchedOff(now: loop.now) ?? false
      process(isSwitchedOff ? .radioSwitchedOff : .network(joined), now: loop.now)
      // The missing network may have been the cause of failures.
      if joined != nil {
        for pipeline in deliveries.values where pipeline.trouble != nil { pipeline.delivery?.sendNow() }
      }
    }
    source.onAccessPoints = { [unowned self] addresses in process(.accessPoints(addresses), now: loop.now) }
    source.onScanFailure = { [unowned self] reason in journal.log(.notice, "wifi_scan: \(reason)") }
    wifi = source
    source.start()
    if let trouble = source.trouble {
      journal.log(.notice, "wifi: \(trouble); locations have no network name")
    }
    warnOfMissingWifi()
  }

  /// Warns once if Wi-Fi zones are configured and nothing can join their networks.
  func warnOfMissingWifi() {
    guard !configuration.wifiZones.isEmpty, !hasWarnedOfWifi, let wifi, !wifi.hasInterface else { return }
    hasWarnedOfWifi = true
    journal.log(
      .warning,
      "wifi_zones: this host has no wireless interface; the zones have no effect until it has one")
  }

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
