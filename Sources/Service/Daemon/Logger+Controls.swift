import Database
import History
import LocalAPI
import LoggerConfiguration
import Quantities
import Records
import Settings
import Store
import Tracking
import WebAccess

// The requests of the local API.
extension Logger: LoggerControls {
  /// Applies a new configuration, except for settings that require a restart.
  public func apply(_ next: Configuration) { settingsController.apply(next) }

  /// Applies new files, merged with the stored layers.
  public func reload(_ sources: ConfigurationSources) { settingsController.reload(sources) }

  /// Reports that a configuration is invalid: a new one, while the current one stays in force, or one that prevented an
  /// earlier start.
  public func refuse(_ reason: String, atStart: Bool = false) {
    settingsController.refuse(reason, atStart: atStart)
  }

  public var settings: String { settingsController.listing.json }

  public var settingsSchema: String { SettingsReference.json }

  public var profiles: [UInt8]? {
    let account = power.account(now: context.loop.now)
    return ProfilesReport(context.configuration, account, power.energyDays.days).json
  }

  public func changeSettings(_ body: [UInt8], queue: QueueChoice?, onTrial: Bool) -> ControlOutcome {
    let outcome = settingsController.change(body, queue: queue, onTrial: onTrial)
    serving.publisher.statusChanged()
    return outcome
  }

  public func setUp(_ url: String, isApplied: Bool, queue: QueueChoice?) -> ControlOutcome {
    settingsController.setUp(url, isApplied: isApplied, queue: queue)
  }

  public func confirmSettings(_ id: String) -> ControlOutcome {
    let outcome = settingsController.confirm(id)
    serving.publisher.statusChanged()
    return outcome
  }

  public func disclosed(_ records: [StoredRecord]) -> [StoredRecord] {
    let zones = PrivateZones(context.configuration)
    guard !zones.isEmpty else { return records }
    return records.compactMap { stored in
      zones.disclosed(stored.record).map { StoredRecord(id: stored.id, boot: stored.boot, record: $0) }
    }
  }

  public var receiverStates: [Timeline.Span] {
    let now = context.loop.now
    return tracking.tracker.fixes.clock.timestamp(at: now).map {
      receiver.history.states.spans(now: now, time: $0)
    }
      ?? []
  }

  public var hasPrivacyZones: Bool { !context.configuration.privacyZones.isEmpty }

  public var deviceName: String { context.configuration.deviceID }

  public var programVersion: String { Release.version }

  public var energyByDay: StatusReport.EnergyDays { power.energyDays }

  public var logDirectory: String { context.configuration.storage.directory }

  public func historyFailed(_ error: DatabaseError) { log.historyFailed(error) }

  /// Keeps the host awake because a person uses the local API, and has the queues counted.
  public func requestReceived() {
    power.hostSleep.host?.keepAwakeForClient(for: context.configuration.page.awake, now: context.loop.now)
    // The next status has the lengths of the queues.
    log.inspect(now: context.loop.now)
    readEarlierToday()
  }

  public var healthFaults: [String] {
    var faults: [String] = []
    if let fault = receiver.fault { faults.append(fault) }
    if let failure = log.failure { faults.append("store: \(failure)") }
    return faults
  }

  public func accessRefused(count: Int) {
    tracking.process(.occurred(EventRecord(accessRefused: count)), now: context.loop.now)
  }

  public func energy(since: Timestamp?) -> StatusReport.Energy { power.energyReport(since: since) }

  public func askForSatellites() -> ControlOutcome { receiver.askForSatellites() }

  public func hotspot(_ isOn: Bool?) -> ControlOutcome { hotspot.request(isOn) }

  public func record(_ outcome: UpdateOutcome) -> ControlOutcome {
    let now = context.loop.now
    tracking.process(.occurred(EventRecord(outcome)), now: now)
    log.commit(now: now)
    return .done(#"{"recorded": true}"#)
  }

  public func testNotifications() -> ControlOutcome {
    guard !context.configuration.notifications.isEmpty else {
      return .refused(Problem(409, "notifications is off; set a program or URL"))
    }
    return .done(#"{"hooks": \#(notifications.test())}"#)
  }

  // MARK: Deliveries

  public func send(to destination: String?) -> ControlOutcome {
    guard context.configuration.isTracking else {
      return .refused(Problem(409, "tracking is switched off; switch it on with outrider start"))
    }
    let names = delivery.pipelines.keys.sorted()
    if let destination, !names.contains(destination) { return Self.unknownDestination(among: names) }
    let now = context.loop.now
    // Records that are not durable yet are sent, too.
    log.commit(now: now)
    let recipients = destination.map { [$0] } ?? names
    for name in recipients { delivery.sendNow(to: name) }
    let isAsked = delivery.requestPosition(for: recipients, now: now).isAwaited
    return .done(#"{"destinations": \#(recipients.count), "position_awaited": \#(isAsked)}"#)
  }

  public func sends(of destination: String?) -> ControlOutcome {
    let names = context.configuration.destinations.map(\.name)
    if let destination, !names.contains(destination) { return Self.unknownDestination(among: names) }
    let clock = tracking.tracker.fixes.clock
    let report = delivery.sends(with: destination) { clock.timestamp(at: $0) }
    guard let json = report.json else {
      return .refused(Problem(500, "the attempts cannot be encoded as JSON"))
    }
    return .done(String(decoding: json, as: UTF8.self))
  }

  public func dropQueue(of destination: String) -> ControlOutcome {
    let names = context.configuration.destinations.map(\.name)
    let isConfigured = names.contains(destination)
    guard isConfigured || delivery.registry.isUnconfigured(destination) else {
      return Self.unknownDestination(among: names)
    }
    guard log.isOpen else { return .refused(Problem(503, "the log is not open yet; retry later")) }
    if isConfigured {
      delivery.dropQueues(of: [destination])
      delivery.configurationChanged()
    } else {
      delivery.forget(destination)
    }
    return .done(#"{"destinations": 1}"#)
  }

  static func unknownDestination(among names: [String]) -> ControlOutcome {
    let known = names.isEmpty ? "none is configured" : "available: \(names.joined(separator: ", "))"
    return .refused(Problem(404, "no destination of this name; \(known)"))
  }

  // MARK: Trips

  /// Executes a request about trips. A start switches tracking on; the end of the trip restores the switch.
  public func trip(_ request: TripRequest) -> ControlOutcome {
    let isRunning = tracking.tracker.summary.isTripRunning
    switch request {
    case .status: return .done(tripStatus)
    case .start(let name):
      guard let mode = name.map(TripMode.init(rawValue:)) ?? context.configuration.tripMode else {
        return Self.wrongMode
      }
      guard !isRunning else {
        return .refused(Problem(409, "a trip is already running; end it with outrider trip stop"))
      }
      guard context.configuration.isTracking || settingsController.switchTrackingOnForTrip() else {
        return Self.staysOff
      }
      return execute(.start(mode), as: mode)
    case .mode(let name):
      guard let mode = TripMode(rawValue: name) else { return Self.wrongMode }
      guard isRunning else { return Self.noTrip }
      return execute(.mode(mode), as: mode)
    case .stop:
      guard isRunning else { return Self.noTrip }
      let ended = tripReport(now: context.loop.now)?.json.map { String(decoding: $0, as: UTF8.self) }
      let outcome = execute(.stop, as: nil)
      guard case .done = outcome, let ended else { return outcome }
      return .done(#"{"running":false,"ended":\#(ended)}"#)
    }
  }

  /// Executes a command and returns the trip. If the command waits for buffered epochs, it is the future trip.
  private func execute(_ command: TripCommand, as mode: TripMode?) -> ControlOutcome {
    tracking.process(.trip(command), now: context.loop.now)
    return .done(tracking.hasDeferredEvents ? tripStatus(in: mode) : tripStatus)
  }

  private static let staysOff = ControlOutcome.refused(
    Problem(
      409,
      "tracking is switched off by a setting of higher precedence; start the logger without --set tracking=false"
    ))

  private static let noTrip = ControlOutcome.refused(
    Problem(409, "no trip is running; start one with outrider trip start"))

  private static var wrongMode: ControlOutcome {
    let names = TripMode.allCases.map(\.rawValue).joined(separator: ", ")
    return .refused(Problem(422, "mode: expected one of \(names)"))
  }

  private var tripStatus: String { tripStatus(in: tracking.tracker.places.trips.running?.mode) }

  /// The JSON of the running trip; `mode` is nil without one.
  private func tripStatus(in mode: TripMode?) -> String {
    guard let mode else { return #"{"running":false}"# }
    let trip = tracking.tracker.places.trips.running
    var text: [UInt8] = Array(
      #"{"running":true,"mode":"\#(mode.rawValue)","manual":\#(trip?.isManual ?? true)"#.utf8)
    if let start = trip?.start.time { text += Array(#","start":"\#(start.iso8601())""#.utf8) }
    if let trip, let duration = tripDuration(trip, now: context.loop.now) {
      text += Array(#","duration_s":\#(duration.wholeSeconds)"#.utf8)
    }
    text += Array(#","distance_m":\#((trip?.distanceMillimetres ?? 0) / 1000)}"#.utf8)
    return String(decoding: text, as: UTF8.self)
  }
}
