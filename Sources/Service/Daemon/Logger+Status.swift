import Devices
import Energy
import GNSSProtocol
import LocalAPI
import Quantities
import Records
import Scheduling
import Settings
import System
import Tracking

// The state of the logger as a whole, put together from the sections of the controllers.
extension Logger {
  /// The status of the logger for the local API.
  public var status: StatusReport {
    let (now, configuration) = (context.loop.now, context.configuration)
    var report = StatusReport(
      version: Release.version, deviceID: configuration.deviceID, running: true, log: log.report,
      // Including those without a pipeline: they stay configured while tracking is off.
      destinations: configuration.destinations.map(\.name).sorted().map { delivery.report($0, now: now) })
    report.uptime_s = (now - run.start).inSeconds
    report.clock = StatusReport.Clock(quality: "\(tracking.tracker.fixes.clock.quality)")
    report.tracking = configuration.isTracking
    report.remote = settingsController.report(now: now)
    report.settings_trouble = settingsController.saveFailure
    report.settings_trial = settingsController.trialReport(now: now)
    report.overridden_keys = StatusReport.overriddenKeys(of: configuration)
    report.configuration_file = settingsController.state.sources?.file?.name
    report.time = time(at: now)?.iso8601()
    report.boot = ProcessEnvironment.bootIdentity
    report.zone = StatusReport.Zone(at: time(at: now) ?? context.loop.clock.timestamp())
    report.tracker = receiver.trackerReport(now: now)
    report.today = todayReport(now: now)
    report.process = processReport(now: now)
    report.epochs = Int(clamping: tracking.tracker.fixes.epochs)
    report.kept = Int(clamping: tracking.tracker.locations.count)
    let rejections = tracking.tracker.fixes.rejections.totals
    report.rejected = Dictionary(
      uniqueKeysWithValues: rejections.map { ($0.key.rawValue, Int(clamping: $0.value.count)) })
    report.rejected_last = Dictionary(
      uniqueKeysWithValues: rejections.compactMap { rejection, entry in
        let value = entry.lastValue
        return value.isEmpty ? nil : (rejection.rawValue, value)
      })
    report.receiver = receiver.report
    report.battery = sensors.batteryReport(now: now)
    report.power = power.report
    report.network = delivery.networkReport
    report.ssid = tracking.tracker.privacy.isHidden ? nil : tracking.tracker.facts.network?.name
    report.host = power.hostSleep.status
    report.storage = log.storageReport(now: now)
    report.accelerometer = sensors.accelerometer.map {
      StatusReport.Accelerometer($0.condition, at: $0.location)
    }
    report.energy = energy(since: nil)
    report.notifications = notifications.report
    report.share = serving.share.report
    report.heartbeat = heartbeat.report
    report.reception = receiver.receptionReport(now: now)
    report.motion = motionReport(now: now)
    report.trip = tripReport(now: now)
    report.records = run.recordCounts
    // With the master switch off, the status has no position, as in outrider status without a running logger.
    let last = tracking.tracker.locations.last
    if configuration.isTracking { report.position = last.flatMap(StatusReport.Position.init) }
    if tracking.tracker.locations.count > 0 {
      report.position?.age_s = last.map { (now - $0.moment).inSeconds }
    }
    report.sky = receiver.skyReport(now: now)
    if configuration.isTracking, tracking.tracker.privacy.isHidden {
      report.position = StatusReport.Position(isPrivate: true)
      report.sky = nil
    }
    return report
  }

  /// The report of the device's health for a destination.
  func deviceReport(
    for destination: DestinationSettings, _ settingsHash: String?, _ answer: DeviceReport.Answer?
  ) -> [UInt8]? {
    let now = context.loop.now
    let time = time(at: now)
    let board: String? =
      switch context.configuration.board {
      case .named(let name): name
      case .file: "file"
      case nil: nil
      }
    // Records are sent earlier. A host that sleeps wakes for this contact, which is one of its tasks.
    let next = delivery.deliverySettings(of: destination).longestSilence
    var report = DeviceReport(
      status, for: destination.name, board: board, settingsHash: settingsHash, nextContactIn: next, time: time
    )
    report.answer = answer
    return report.json
  }

  /// The device's time in UTC; nil while the date is unknown.
  private func time(at now: Moment) -> Timestamp? { tracking.tracker.fixes.clock.timestamp(at: now) }

  /// The figures of the present local day; nil while the date is unknown.
  private func todayReport(now: Moment) -> StatusReport.Today? {
    guard let time = time(at: now) else { return nil }
    let day = LocalTime.day(of: time)
    var today = run.today.report(of: day)
    let energy = power.energyReport(since: time)
    today.charge_mAh = energy.shares.contains { $0.charge_mAh != nil } ? energy.total_mAh : nil
    let on = Set(ReceiverState.allCases.filter(\.isPowered).map { EnergyShare.receiver($0).name })
    today.receiver_on_s = energy.shares.filter { on.contains($0.name) }.reduce(0) { $0 + $1.time_s }
    return today
  }

  /// The process, read once per wake-up.
  private func processReport(now: Moment) -> StatusReport.Process {
    var process = run.process(turn: context.loop.turn)
    let turns = context.loop.turnTimes
    process.longest_turn_ms = (turns.longest.inSeconds * 1_000_000).rounded() / 1000
    process.slow_turns = turns.slowCount
    return process
  }

  /// The status in one line for the supervisor, faults included.
  var summary: String {
    var parts = [log.isOpen ? "logging" : "logging to memory until the log is open"]
    if let fault = receiver.fault { parts.append(fault) }
    if let failure = log.failure { parts.append("store: \(failure)") }
    // The first three names are enough for one line.
    let failing = delivery.failing
    if !failing.isEmpty { parts.append("upload \(failing.prefix(3).joined(separator: ", ")): failing") }
    return parts.joined(separator: "; ")
  }

  /// The motion by the accelerometer, or without one by the fixes.
  func motionReport(now: Moment) -> StatusReport.Motion? {
    let isMoving = tracking.tracker.summary.isMoving
    var report: StatusReport.Motion
    if let latest = sensors.detectedMotion {
      report = StatusReport.Motion(latest.states, latest.confidence, moving: isMoving)
    } else if let derived = tracking.tracker.motionBySpeed(at: now), !derived.states.isEmpty {
      report = StatusReport.Motion(derived.states, derived.confidence, moving: isMoving)
      report.source = "speed"
    } else if receiver.hasHadFix {
      report = StatusReport.Motion(moving: isMoving)
    } else {
      return nil
    }
    report.state = report.states?.first ?? (isMoving ? "moving" : "stationary")
    report.since_s = tracking.tracker.summary.motionSince.map { max((now - $0).inSeconds, 0) }
    report.steps = tracking.tracker.facts.totalSteps.map(Int.init)
    return report
  }

  /// The running trip; nil if there is none.
  func tripReport(now: Moment) -> StatusReport.Trip? {
    guard let trip = tracking.tracker.places.trips.running else { return nil }
    var report = StatusReport.Trip(
      mode: trip.mode.rawValue, manual: trip.isManual, distance_m: Double(trip.distanceMillimetres) / 1000)
    report.start = trip.start.time?.iso8601()
    report.duration_s = tripDuration(trip, now: now)?.inSeconds
    return report
  }

  /// The duration of a trip; nil while the date of its start or the present date is unknown.
  func tripDuration(_ trip: RunningTrip, now: Moment) -> Duration? {
    guard let start = trip.start.time, let time = tracking.tracker.fixes.clock.timestamp(at: now) else {
      return nil
    }
    return max(time - start, .zero)
  }

  // MARK: The sleep of the host

  /// The scheduled tasks of the host, or the reason why it may not sleep.
  var hostSituation: HostSituation {
    if let inhibitor = hostSleepInhibitor { return HostSituation(inhibitor: inhibitor) }
    var needs = context.configuration.isTracking ? tracking.tracker.hostNeeds : []
    if let next = delivery.nextTimeout { needs.append(HostNeed(.send, at: next)) }
    if let next = settingsController.state.server.nextTask { needs.append(HostNeed(.checkIn, at: next)) }
    // What the tracker has to decide by epochs waits for them, and so does a send, unless each is to be sent sooner.
    if case .storing(let until)? = storage {
      let sends = delivery.shortestInterval < Deferral.longest ? needs.filter { $0.purpose == .send } : []
      needs = sends.filter { $0.at < until } + [HostNeed(.storedEpochs, at: until)]
    }
    return HostSituation(inhibitor: nil, needs: needs)
  }

  /// The receiver that stores its epochs while the host is halted; nil if it does not, or if it is asleep anyway. A host that
  /// suspends is woken by the accelerometer.
  private var storage: ReceiverLine.Storage? {
    guard context.configuration.isTracking, context.configuration.host.sleep == .halt,
      tracking.tracker.summary.receiverState?.isPowered ?? true
    else { return nil }
    return receiver.storage
  }

  private var hostSleepInhibitor: HostSleepInhibitor? {
    let configuration = context.configuration
    if !configuration.host.whileFed, power.isExternallySupplied { return .fed }
    if configuration.isTracking {
      // At one fix a second these suffice; the next one copies the tracker.
      let storage = storage
      if storage == .sending { return .storedEpochs }
      let storesEpochs = storage != nil
      if !storesEpochs, tracking.tracker.summary.isTripRunning { return .trip }
      if !storesEpochs, tracking.tracker.summary.receiverState?.isPowered ?? true { return .receiver }
      if let inhibitor = tracking.tracker.hostSleepInhibitor(
        wakesOnMotion: configuration.host.wakesOnMotion, storesEpochs: storesEpochs)
      {
        return inhibitor
      }
    }
    if receiver.isBusy { return .receiver }
    if delivery.isBusy { return .sending }
    if delivery.isRadioInUse || hotspot.isOn { return .radio }
    if notifications.isBusy { return .notification }
    if !log.isSettled || !settingsController.isDurable { return .storage }
    return power.hostSleep.host?.hasClient == true ? .visitor : nil
  }
}

extension LogRecord {
  /// The kind of the record, as the status names it.
  var kindName: String {
    switch body {
    case .location: "location"
    case .visit: "visit"
    case .trip: "trip"
    case .action: "action"
    case .event: "event"
    }
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
    vertical_accuracy_m = location.verticalAccuracyMillimetres.map { Double($0) / 1000 }
    speed_accuracy_mps = location.speedAccuracyMillimetresPerSecond.map { Double($0) / 1000 }
    course_deg = location.courseMillidegrees.map { Double($0) / 1000 }
    satellites = location.satellitesUsed.map(Int.init)
    accuracy_source = "\(location.accuracySource.word)"
  }
}

extension StatusReport.Motion {
  fileprivate init(_ states: MotionStates, _ confidence: MotionConfidence, moving: Bool) {
    self.init(moving: moving)
    self.states = MotionStates.words.filter { states.contains($0.state) }.map { "\($0.word)" }
    self.confidence = "\(confidence.word)"
    confidence_value =
      switch confidence {
      case .low: 0.33
      case .medium: 0.67
      case .high: 1
      }
  }
}
