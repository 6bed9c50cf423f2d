import GNSSProtocol
import LocalAPI
import Quantities
import Records
import Tracking

extension Logger {
  /// The status of the logger for the local API.
  public var status: StatusReport {
    let now = loop.now
    var report = StatusReport(
      version: Release.version, deviceID: configuration.deviceID, running: true,
      log: StatusReport.Log(
        directory: configuration.storage.directory, lastID: Int(clamping: storeState.lastID.rawValue),
        waiting: Int(clamping: Int64(storeState.grouping.count) + storeState.inProgress),
        trouble: storeState.trouble),
      // Including those without a pipeline: they stay configured while tracking is off.
      destinations: configuration.destinations.map(\.name).sorted().map { destinationReport($0, now: now) })
    report.uptime_s = (now - startedAt).inSeconds
    report.clock = StatusReport.Clock(quality: "\(tracker.clock.quality)")
    report.tracking = configuration.isTracking
    report.remote = remote(now: now)
    report.settings_trouble = settingsState.trouble
    report.overridden_keys = StatusReport.overriddenKeys(of: configuration)
    report.configuration_file = settingsState.sources?.file?.name
    report.epochs = Int(clamping: tracker.epochs)
    report.kept = Int(clamping: tracker.kept)
    report.rejected = Dictionary(
      uniqueKeysWithValues: tracker.rejections.totals.map { ($0.key.rawValue, Int(clamping: $0.value.count)) }
    )
    report.rejected_last = Dictionary(
      uniqueKeysWithValues: tracker.rejections.totals.compactMap { rejection, entry in
        let value = entry.lastValue
        return value.isEmpty ? nil : (rejection.rawValue, value)
      })
    report.receiver = line.map { line in
      let statistics = line.statistics
      var receiver = StatusReport.Receiver(
        port: line.path, isOpen: line.isOpen, speed: line.provenSpeed.map(Int.init),
        validFrames: Int(clamping: statistics.frames),
        checksumErrors: Int(clamping: statistics.checksumErrors))
      receiver.state = line.state.rawValue
      let identity = line.receiver
      receiver.family = identity?.family.rawValue
      receiver.module = identity?.module
      receiver.firmware = identity?.firmware
      return receiver
    }
    if let gpsd {
      report.receiver = StatusReport.Receiver(
        port: gpsd.address, isOpen: gpsd.isOpen, speed: nil, validFrames: Int(clamping: gpsd.reports),
        checksumErrors: 0)
      report.receiver?.gpsd = StatusReport.Receiver.GPSD(
        release: gpsd.release, device: gpsd.device?.path, driver: gpsd.device?.driver)
    }
    report.receiver?.trouble = receiverFault.map { line in
      let subject = "receiver: "
      return String(line.hasPrefix(subject) ? line.dropFirst(subject.count) : line[...])
    }
    if let gauge = sensors.gauge {
      report.battery = StatusReport.Battery(gauge.snapshot, of: gauge.location, now: now)
    } else if configuration.supply == .battery {
      report.battery = StatusReport.Battery()
    }
    report.power = powerReport
    report.network = networkReport
    report.host = hostReport
    report.storage = storageReport(now: now)
    report.accelerometer = sensors.accelerometer.map {
      StatusReport.Accelerometer($0.condition, at: $0.location)
    }
    report.energy = energy(since: nil)
    report.notifications = (notifier?.queue).map { queue in
      StatusReport.Notifications(
        handedOver: Int(clamping: queue.handedOver), failed: Int(clamping: queue.failures),
        trouble: queue.trouble)
    }
    // With the master switch off, the status has no position, as in outrider status without a running logger.
    report.reception = receptionReport(now: now)
    report.motion = motionReport(now: now)
    report.trip = tripReport(now: now)
    report.records = facts.records
    if configuration.isTracking { report.position = tracker.lastLocation.flatMap(StatusReport.Position.init) }
    if tracker.kept > 0 {
      report.position?.age_s = tracker.lastLocation.map { (now - $0.moment).inSeconds }
    }
    return report
  }
}

extension Logger {
  /// The remote settings; nil if no server has sent any.
  private func remote(now: Moment) -> StatusReport.Remote? {
    let server = settingsState.server
    guard !settingsState.outcomes.isEmpty || !server.values.isEmpty else { return nil }
    let rows = settingsState.outcomes.flatMap { name, outcomes in
      outcomes.map { path, outcome in (path, name, outcome) }
    }
    var report = StatusReport.Remote(
      keys: rows.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map { path, name, outcome in
        .init(
          key: path, outcome: outcome.kind.rawValue, reason: outcome.reason.isEmpty ? nil : outcome.reason,
          destination: name.isEmpty ? nil : name, age_s: outcome.at.map { (now - $0).inSeconds })
      })
    let trials = server.trials.sorted { $0.key < $1.key }
    if !trials.isEmpty {
      report.on_trial = trials.map { key, trial in
        .init(
          key: key.path, destination: trial.by,
          goes_back_in_s: server.rollbackTime(key).map { ($0 - now).inSeconds })
      }
    }
    report.checks_in_in_s = server.nextCheckIn.map { ($0 - now).inSeconds }
    return report
  }
}

extension Logger {
  /// The status in one line for the supervisor, faults included.
  var summary: String {
    var parts = [storeState.isOpen ? "logging" : "logging to memory until the log is open"]
    if let receiverFault { parts.append(receiverFault) }
    if let trouble = storeState.trouble { parts.append("store: \(trouble)") }
    // The first three names are enough for one line.
    let failing = deliveries.values.filter { $0.trouble != nil }.map(\.settings.name).sorted()
    if !failing.isEmpty { parts.append("upload \(failing.prefix(3).joined(separator: ", ")): failing") }
    return parts.joined(separator: "; ")
  }
}

extension StatusReport.Position {
  /// The position of a location record; nil for any other.
  public init?(_ record: LogRecord) {
    guard case .location(let location) = record.body else { return nil }
    self.init(
      time: record.time?.iso8601(), latitude: location.coordinate.latitude,
      longitude: location.coordinate.longitude, fix: "\(location.fixKind.word)")
    horizontal_accuracy_m = location.horizontalAccuracyMillimetres.map { Double($0) / 1000 }
    speed_mps = location.speedMillimetresPerSecond.map { Double($0) / 1000 }
    altitude_m = location.altitudeMillimetres.map { Double($0) / 1000 }
  }
}
