import EventLoop
import LocalAPI
import Quantities
import Records
import Settings
import Store
import System
import Uplink
import WebAccess

/// Owns the settings: merges files and stored layers into the configuration, handles the settings of servers, and saves what
/// changed at run time.
final class SettingsController {
  /// Handlers, set before ``start()``.
  struct Outputs {
    /// Puts a configuration in force that differs from the present one in `changes`.
    var apply: (Configuration, _ changes: SettingChanges) -> Void = { _, _ in }
    /// Discards the queues of these destinations.
    var dropQueues: ([String]) -> Void = { _ in }
    /// Acquires a position and sends it to these destinations.
    var checkIn: ([String], Moment) -> Void = { _, _ in }
    /// A server's logging mode is no longer on trial.
    var loggingModeProven: () -> Void = {}
    /// Adds what other controllers save together with the settings.
    var complete: (inout StoredSettings) -> Void = { _ in }
  }

  private let context: LoggerContext
  private let tracking: TrackerController
  private let log: LogController
  var outputs = Outputs()
  private(set) var state: SettingsState
  /// The limits of log lines, by destination.
  private var logLimiters: [String: SettingsLogLimiter] = [:]
  private var saving: Saving
  /// The settings that were reported to require a restart.
  private var settingsAfterRestart: [String] = []
  /// True after the warning about a missing machine-id.
  private var hasWarnedOfIdentity = false
  /// True until the logger knows if the trip that switched tracking on in an earlier run is still running.
  private var isTripOverrideOpen = false
  private(set) var serverTimer: LoopTimer?
  private var settingsTimer: LoopTimer?
  private var trialTimer: LoopTimer?

  /// The state of the writes of the stored settings.
  private struct Saving {
    /// The number of writes in progress.
    private var inProgress = 0
    /// True if the settings changed after the last write was started.
    private var isWaiting = false
    /// The failure of the last write; nil after a success.
    private(set) var failure: SystemError?
    /// True if the stored settings could not be read completely, so that they must be written again.
    let needsRewrite: Bool

    /// True while the present settings are being saved.
    var isRunning: Bool { inProgress > 0 || isWaiting }
    /// True if the last write contains all changes, even if it is still in progress, and the one before succeeded.
    var containsAllChanges: Bool { failure == nil && !isWaiting }
    /// True if a write must follow the last one.
    var isNextDue: Bool { isWaiting && inProgress == 0 }

    init(needsRewrite: Bool) { self.needsRewrite = needsRewrite }

    /// Returns true if a write starts; else it follows the one in progress. `atOnce` does not wait for that.
    mutating func begin(atOnce: Bool) -> Bool {
      isWaiting = inProgress > 0 && !atOnce
      if !isWaiting { inProgress += 1 }
      return !isWaiting
    }

    /// Records the result of a write. Returns true if the one before did not fail.
    mutating func end(_ failure: SystemError?) -> Bool {
      inProgress = max(0, inProgress - 1)
      defer { self.failure = failure }
      return self.failure == nil
    }
  }

  private var loop: EventLoop { context.loop }
  private var configuration: Configuration { context.configuration }
  private var journal: Journal { context.journal }

  /// `sources` are the sources of the configuration apart from `stored`; without them no setting can change at run time.
  /// `stored` are the settings that changed at run time before this start; `isUnread` is true if a part of them could be
  /// neither read nor set aside.
  init(
    _ context: LoggerContext, _ tracking: TrackerController, _ log: LogController,
    sources: ConfigurationSources?, stored: StoredSettings, isUnread: Bool
  ) {
    self.context = context
    self.tracking = tracking
    self.log = log
    state = SettingsState(
      sources: sources, stored: stored, now: context.loop.now, utc: context.loop.clock.timestamp,
      wall: { now in
        let clock = tracking.tracker.fixes.clock
        return clock.timestamp(at: now).map { WallTime($0, clock.quality) }
      })
    saving = Saving(needsRewrite: isUnread || !stored.faults.isEmpty)
    serverTimer = loop.addTimer("server settings") { [unowned self] now in serverTimeout(now: now) }
    settingsTimer = loop.addTimer("settings file") { [unowned self] now in save(now: now) }
    trialTimer = loop.addTimer("settings trial") { [unowned self] now in rollTrialBack(now: now) }
  }

  /// Reports what the operator should know, and continues the trials of an earlier run.
  func start(now: Moment) {
    warnOfMissingIdentity()
    reportOverriddenKeys()
    followRules()
    // A trial of an earlier run: this start is counted, and the trial may be over.
    if !state.server.trials.isEmpty || saving.needsRewrite { save(now: now) }
    serverTimeout(now: now)
  }

  /// Saves what is not saved yet. The log must still be open.
  func stop(now: Moment) {
    // A write that failed before may succeed now.
    let isKept = saving.containsAllChanges
    if state.handle(.stopping, now: now).contains(.keep) || !isKept { save(now: now, atOnce: true) }
    for timer in [serverTimer, settingsTimer, trialTimer] {
      if let timer { loop.removeTimer(timer) }
    }
    (serverTimer, settingsTimer, trialTimer) = (nil, nil, nil)
  }

  // MARK: The configuration

  /// Applies a configuration, except for settings that require a restart.
  func apply(_ next: Configuration) {
    let changes = configuration.changes(to: next)
    guard !changes.isEmpty else {
      journal.log(.notice, "settings: no changes")
      // The origins may differ although the values are equal.
      return adoptOrigins(of: next)
    }
    warnOfRestart(for: changes.afterRestart)
    let known = configuration.warnings(on: .host)
    for warning in next.warnings(on: .host) where !known.contains(warning) {
      journal.log(.warning, warning)
    }
    outputs.apply(next.keepingWhatNeedsARestart(of: configuration), changes)
  }

  /// Warns of settings that require a restart; once for the same settings.
  private func warnOfRestart(for paths: [String]) {
    let isNew = !paths.isEmpty && paths != settingsAfterRestart
    settingsAfterRestart = paths
    guard isNew else { return }
    journal.log(.warning, "settings: restart the logger to apply \(paths.joined(separator: ", "))")
  }

  /// Logs the keys of the configuration file without effect, with the commands that remove their overrides.
  private func reportOverriddenKeys() {
    for key in configuration.overriddenKeys { journal.log(.warning, "settings: \(key)") }
  }

  /// Takes over the origins of a configuration whose values are the same as before.
  private func adoptOrigins(of next: Configuration) {
    warnOfRestart(for: [])
    context.adopt(next.keepingWhatNeedsARestart(of: configuration))
  }

  /// Merges files and stored layers into a new configuration and applies it.
  func relay() {
    guard let sources = state.sources else { return }
    do throws(SettingsErrors) {
      let next = try sources.configuration(state.layers)
      if !configuration.changes(to: next).isEmpty { apply(next) } else { adoptOrigins(of: next) }
    } catch {
      journal.log(
        .error, "settings: cannot merge settings: \(error); the current configuration stays in force")
    }
    followRules()
  }

  /// Applies new files, merged with the stored layers.
  func reload(_ sources: ConfigurationSources) {
    do throws(SettingsErrors) {
      let next = try sources.configuration(state.layers)
      state.replaceSources(sources)
      apply(next)
      for fault in next.storedFaults { journal.log(.warning, "settings: \(fault); ignored") }
      reportOverriddenKeys()
    } catch {
      refuse("\(error)")
    }
    followRules()
  }

  /// Reports that a configuration is invalid: a new one, while the current one stays in force, or one that prevented an
  /// earlier start.
  func refuse(_ reason: String, atStart: Bool = false) {
    let event = EventRecord(.configurationRefused, [.reason: .text(reason), .cause: atStart ? "start" : nil])
    tracking.process(.occurred(event), now: loop.now)
  }

  /// Warns once if `unique_id` is set and the host has no machine-id.
  func warnOfMissingIdentity() {
    if configuration.sendsUniqueID, log.identities.host.machine == nil, !hasWarnedOfIdentity {
      hasWarnedOfIdentity = true
      journal.log(
        .warning,
        "unique_id: this host has no machine-id; create one with systemd-machine-id-setup, then restart")
    }
  }

  // MARK: By the operator

  /// Executes a request of the operator in JSON; `queue` says what becomes of the queue of a destination whose address
  /// changes. With `onTrial` settings that can cut off the client are on trial.
  func change(_ body: [UInt8], queue: QueueChoice?, onTrial: Bool) -> ControlOutcome {
    guard state.sources != nil else {
      return .refused(Problem(501, "this logger has no configuration files; start it with outrider run"))
    }
    var request: OperatorRequest
    do throws(SettingsErrors) { request = try OperatorRequest(json: body) } catch {
      return Self.refused(400, error)
    }
    do throws(SettingsErrors) { request = try request.keepingHidden(of: configuration) } catch {
      return Self.refused(422, error)
    }
    let onTrial = onTrial ? SettingTrial.paths(of: request) : []
    if let problem = trialProblem(request, onTrial) { return .refused(problem) }
    let moved = destinationsMoved(by: request)
    guard queue != nil || moved.isEmpty else {
      return .refused(
        Problem(
          409,
          "nothing was changed: the url of \(moved.joined(separator: ", ")) changes; repeat the request with "
            + "?queue=keep to send its queue to the new address, or with ?queue=drop to discard it"))
    }
    let known = storedWarnings
    let faults = change(request, droppingQueues: queue == .drop, onTrial: onTrial)
    guard faults.isEmpty else { return Self.refused(422, SettingsErrors(faults)) }
    var answer = listing
    answer.warnings = storedWarnings.filter { !known.contains($0) }
    return .done(answer.json)
  }

  /// Applies an Overland setup URL, or returns what it would set and clear.
  func setUp(_ text: String, isApplied: Bool, queue: QueueChoice?) -> ControlOutcome {
    let url: SetupURL
    do throws(SetupURL.Fault) { url = try SetupURL(text) } catch {
      return .refused(Problem(422, "nothing was changed: \(error)", errors: ["\(error)"]))
    }
    let plan = url.plan(under: configuration)
    guard !isApplied else { return change(Array(plan.request.json.utf8), queue: queue, onTrial: false) }
    let lists = ["set": plan.set, "cleared": plan.cleared].mapValues {
      JSONValue.list($0.map(JSONValue.text))
    }
    return .done(JSONValue.group(lists).json)
  }

  private static func refused(_ status: Int, _ errors: SettingsErrors) -> ControlOutcome {
    let faults = errors.errors.map(\.description)
    return .refused(Problem(status, "nothing was changed: \(faults.joined(separator: "; "))", errors: faults))
  }

  /// Sets and unsets values for the operator, all or none of them. Returns the faults of invalid values.
  ///
  /// With `droppingQueues` the queue of a destination whose address changes is discarded; else it goes to the new address.
  /// A change of `tracking` ends the override of a trip on it, or becomes the `override` of a trip that starts. The settings
  /// in `onTrial` are on trial if they change.
  func change(
    _ request: OperatorRequest, droppingQueues: Bool = false, override: TripOverride? = nil,
    onTrial: Set<String> = []
  ) -> [SettingsError] {
    guard let sources = state.sources else { return [] }
    var kept = layers(without: request.unset)
    let faults = sources.faults(of: request, over: kept)
    guard faults.isEmpty else { return faults }
    kept.operator.merge(request.values) { $1 }
    if droppingQueues, let next = try? sources.configuration(kept) {
      outputs.dropQueues(configuration.destinationsMoved(in: next))
    }
    let override = request.isAboutTracking ? override : state.tripOverride
    let hasEndedTrial = followTrial(of: request, onTrial.filter { kept.operator[$0] != state.operator[$0] })
    let hasChanged = state.adopt(operator: kept.operator, override: override) || hasEndedTrial
    let actions = state.handle(.unset(request.unset), now: loop.now)
    execute(actions, from: "", now: loop.now)
    guard hasChanged, !actions.contains(.changed) else { return [] }
    save(now: loop.now)
    relay()
    return []
  }

  // MARK: Trials of the operator

  /// The reason why a request cannot be on trial; nil if it can, or if nothing in it must be.
  private func trialProblem(_ request: OperatorRequest, _ paths: Set<String>) -> Problem? {
    guard !paths.isEmpty else { return nil }
    if let objection = SettingTrial.objection(to: request) {
      return Problem(422, "nothing was changed: \(objection)", errors: [objection])
    }
    guard let trial = state.trial else { return nil }
    let left = max((trial.end - loop.now).wholeSeconds, 0)
    return Problem(
      409,
      "nothing was changed: \(trial.paths.joined(separator: ", ")) is on trial; confirm that change, or wait \(left) s"
    )
  }

  /// Starts the trial of `paths`, or ends that of settings that a request sets without one. Returns true if one has ended.
  private func followTrial(of request: OperatorRequest, _ paths: Set<String>) -> Bool {
    let hasEnded = state.endTrial(of: Set(request.values.keys).union(request.unset).subtracting(paths))
    if !paths.isEmpty {
      let id = String(UInt64.random(in: .min ... .max), radix: 36)
      state.begin(SettingTrial(id: id, of: paths, before: state.operator, now: loop.now))
    }
    armTrialTimer()
    return hasEnded
  }

  /// Keeps the values of the trial with this name.
  func confirm(_ id: String) -> ControlOutcome {
    guard let trial = state.trial else {
      return .refused(Problem(409, "no change is on trial; it was kept or undone before"))
    }
    switch trial.answer(to: id, now: loop.now) {
    case .otherTrial:
      return .refused(Problem(409, "another change is on trial; load the page again"))
    case .late:
      rollTrialBack(now: loop.now)
      return .refused(Problem(409, "too late; the change was undone"))
    case .kept:
      state.keepTrial()
      armTrialTimer()
      save(now: loop.now)
      journal.log(.notice, "settings: \(trial.paths.joined(separator: ", ")): confirmed")
      return .done(listing.json)
    }
  }

  private func armTrialTimer() { trialTimer?.arm(at: state.trial?.end) }

  /// Restores the values before the trial. The stored settings have them already.
  private func rollTrialBack(now: Moment) {
    let paths = state.rollTrialBack()
    armTrialTimer()
    guard !paths.isEmpty else { return }
    tracking.process(.occurred(EventRecord(rolledBack: paths, cause: "not_confirmed")), now: now)
    save(now: now)
    relay()
  }

  /// Reports a trial that the end of the previous run has ended: the stored settings have the previous values.
  func reportInterruptedTrial(now: Moment) {
    let paths = state.takeInterruptedTrial()
    guard !paths.isEmpty else { return }
    tracking.process(.occurred(EventRecord(rolledBack: paths, cause: "restart")), now: now)
    save(now: now)
  }

  private func layers(without unset: Set<String>) -> StoredLayers {
    var layers = state.layers
    for path in unset { layers.operator[path] = nil }
    layers.server = layers.server.filter { !unset.contains($0.key.path) }
    return layers
  }

  /// The destinations whose address `request` changes; none if the result is invalid.
  private func destinationsMoved(by request: OperatorRequest) -> [String] {
    var layers = layers(without: request.unset)
    layers.operator.merge(request.values) { $1 }
    return (try? state.sources?.configuration(layers)).map(configuration.destinationsMoved) ?? []
  }

  // MARK: By a trip

  /// Switches tracking on for a trip. Returns false, without a change, if a value of higher precedence keeps it off.
  func switchTrackingOnForTrip() -> Bool {
    let override = TripOverride(before: state.operator[TripOverride.path])
    var request = OperatorRequest()
    request.values[TripOverride.path] = "true"
    _ = change(request, override: override)
    guard !configuration.isTracking else { return true }
    _ = change(override.end)
    return false
  }

  /// Restores tracking if the trip that ended has switched it on.
  func tripEnded() {
    if let override = state.tripOverride { _ = change(override.end) }
  }

  /// The log was opened: an override of an earlier run may be left over.
  func openTripOverride() { isTripOverrideOpen = state.tripOverride != nil }

  /// Restores tracking if a power cut left the override of a trip without the trip. Called when it is known if a trip runs.
  func settleTripOverride() {
    guard isTripOverrideOpen, !tracking.hasDeferredEvents else { return }
    isTripOverrideOpen = false
    if !tracking.tracker.summary.isTripRunning { tripEnded() }
  }

  // MARK: By a server

  /// Handles the response of a server, which may contain settings.
  func handleResponse(_ body: [UInt8], from name: String) {
    guard state.sources != nil, let set = ServerSet(answer: body, of: name, under: configuration) else {
      return
    }
    let now = loop.now
    if state.take(set.items, from: name) { record(set.items, from: name) }
    // A value that is in force without a server is no change.
    let requested = set.requested.filter { key, value in
      state.server.values[key] != nil || state.server.isWaiting(key, by: name)
        || !configuration.has(value, for: key)
    }
    request(requested, from: name, now: now)
    if !set.unset.isEmpty {
      execute(state.handle(.unsetRequested(set.unset, by: name), now: now), from: name, now: now)
    }
  }

  /// Passes desired values of a server to the state machine of remote settings.
  private func request(_ requested: [ServerKey: String], from name: String, now: Moment) {
    let event = ServerChanges.Event.requested(requested, by: name, afterRecord: log.newestID)
    execute(state.handle(event, now: now), from: name, now: now)
  }

  /// Applies values that the rate limit deferred, unless the operator has set them since or they are in force.
  private func takeLater(_ requested: [ServerKey: String], from name: String, now: Moment) {
    let requested = requested.filter { key, value in
      (configuration.origins[key.path] ?? .default) < .operator
        && (state.server.values[key] != nil || !configuration.has(value, for: key))
    }
    if !requested.isEmpty { request(requested, from: name, now: now) }
  }

  /// Handles a failed attempt to send, which proves no value of this server.
  func handleFailure(by name: String) {
    execute(state.handle(.failed(by: name), now: loop.now), from: name, now: loop.now)
  }

  /// Handles the coming sleep of the host. Returns the reason to decide it again: previous values are in force again.
  func hostSleeps(now: Moment) -> String? {
    let actions = state.handle(.sleeping, now: now)
    execute(actions, from: "", now: now)
    return actions.contains(.changed) ? "the trial of a setting has ended" : nil
  }

  /// Handles the acceptance of records by a server, which may prove its values.
  func handleAcceptedRecords(_ taken: TakenRecords, by name: String) {
    let now = loop.now
    let accuracy = taken.newestAccuracyMillimetres.map { Double($0) / 1000 }
    let answer = ServerChanges.Event.answered(
      by: name, newestLocation: taken.newestLocation?.rawValue,
      inSpiteOf: configuration.settingsAgainst(accuracyMetres: accuracy))
    execute(state.handle(answer, now: now), from: name, now: now)
  }

  /// Records the outcome of the values of a response and logs those that are rejected or ignored.
  ///
  /// Called only if the values differ from those of the last response.
  private func record(_ items: [ServerSet.Item], from name: String) {
    let unknown = items.filter { $0.verdict == .ignored(ServerSet.unknown) }
    for item in items {
      let (kind, reason): (RemoteOutcome.Kind, String)
      switch item.verdict {
      case .taken(let key, let value):
        if configuration.has(value, for: key) { state.recordUnchanged(key, by: name, at: loop.now) }
        continue
      case .unset: continue
      case .ignored(let why): (kind, reason) = (.ignored, why)
      case .refused(let refusal): (kind, reason) = (.refused, "\(refusal)")
      }
      state.record(RemoteOutcome(kind: kind, reason: reason, at: loop.now), item.path, by: name)
      if kind == .refused || unknown.count < 2 || !unknown.contains(item) {
        warn("\(item.path) \(kind == .refused ? "rejected" : "ignored"): \(reason)", of: name)
      }
    }
    guard unknown.count > 1 else { return }
    let named = unknown.prefix(3).map(\.path).joined(separator: ", ")
    let more = unknown.count > 3 ? " and \(unknown.count - 3) more" : ""
    warn("\(named)\(more) ignored: \(ServerSet.unknown)", of: name)
  }

  /// Handles the deadline of remote settings.
  func serverTimeout(now: Moment) { execute(state.handleTimeout(now: now), from: "", now: now) }

  /// Passes the rules for remote settings to their state machine, if they changed.
  private func followRules() {
    let rules = ServerChanges.Rules(
      maxSilence: configuration.remote.maxSilence, silenced: configuration.silencedByServer,
      isTracking: configuration.isTracking, permissions: ServerPermissions(configuration))
    guard rules != state.server.rules else { return armServerTimer() }
    execute(state.handle(.rules(rules), now: loop.now), from: "", now: loop.now)
  }

  /// Executes the actions of the state machine of remote settings.
  private func execute(_ actions: [ServerChanges.Action], from name: String, now: Moment) {
    for action in actions {
      switch action {
      case .changed: relay()
      case .keep: save(now: now)
      case .checkIn(let names): outputs.checkIn(names, now)
      case .began(let keys):
        for key in keys { state.supersede(key, by: name, at: now) }
        let trial = configuration.remote.maxSilence
        report(
          keys, .applied, .remoteApplied, [.rollback: .seconds(trial)],
          "on trial: rolled back after \(trial.wholeSeconds) s unless a location recorded under it is stored and "
            + "acknowledged", by: name)
      case .proven(let keys):
        report(
          keys, .persisted, .remoteProven, [:], "a location recorded under it was stored and acknowledged",
          by: name)
        if keys.contains(where: \.isLoggingMode) { outputs.loggingModeProven() }
      case .rolledBack(let keys, let name, let reason):
        report(keys, .rolledBack, .remoteRolledBack, reason.fields, reason.text, by: name)
      case .unset(let keys, let name):
        for key in keys { state.supersede(key, by: name, at: now) }
        report(keys, .unset, .remoteUnset, [:], ServerChanges.Reason.unsetText, by: name)
      case .notItsOwn(let keys):
        for key in keys { refuseToUnset(key, from: name) }
      case .refused(let keys):
        for key in keys { refuse(key, Self.notTriedAgain, from: name) }
      case .due(let requested, let name): takeLater(requested, from: name, now: now)
      case .dueToUnset(let keys, let name):
        execute(state.handle(.unsetRequested(keys, by: name), now: now), from: name, now: now)
      case .postponed(let keys, let isNew):
        let reason =
          "changed \(ServerChanges.mostChanges) times within an hour; the last value is applied later"
        for key in keys { refuse(key, reason, from: name, isLogged: isNew) }
      case .outranked(let requested):
        for request in requested {
          refuse(
            request.key,
            "\(request.value) loses against \(request.present) from \(request.setter), which is listed first in destinations "
              + "(outrider set --unset \(request.key.path) removes that value)", from: name)
        }
      }
    }
    armServerTimer()
  }

  private static let notTriedAgain =
    "the value was rolled back; it is not tried again until the server sends another one"

  /// Records a rejected value. It is logged once, and again if the reason changes.
  private func refuse(_ key: ServerKey, _ reason: String, from name: String, isLogged: Bool = true) {
    let known = state.outcomes[name]?[key.path]
    guard known?.kind != .refused || known?.reason != reason else { return }
    state.record(RemoteOutcome(kind: .refused, reason: reason, at: loop.now), key.path, by: name)
    if isLogged { warn("\(key.path) rejected: \(reason)", of: name) }
  }

  /// Records that a server cannot remove a value. A server that repeats its request until it is done is not told so.
  private func refuseToUnset(_ key: ServerKey, from name: String) {
    guard state.outcomes[name]?[key.path]?.kind != .unset else { return }
    let setter = state.server.setters[key].map { "; \($0) has set it" } ?? ""
    refuse(key, "this server has not set it, and cannot unset it\(setter)", from: name)
  }

  /// Logs a line about the settings of a server, within the rate limit.
  private func warn(_ text: String, of name: String) {
    for line in logLimiters[name, default: SettingsLogLimiter()].add(text, now: loop.now) {
      journal.log(.warning, "remote settings \(name): \(line)")
    }
  }

  /// Records an outcome of some keys and reports it as an event.
  private func report(
    _ keys: [ServerKey], _ outcome: RemoteOutcome.Kind, _ kind: EventKind, _ fields: EventFields,
    _ why: String, by name: String
  ) {
    for key in keys {
      state.record(RemoteOutcome(kind: outcome, reason: why, at: loop.now), key.path, by: name)
    }
    let values = keys.map { key in
      state.server.values[key].map { "\(key.path)=\($0)" } ?? "\(key.path) as before"
    }
    let change: EventFields = [.changes: .list(values), .destination: name.isEmpty ? nil : .text(name)]
    tracking.process(.occurred(EventRecord(kind, change.merging(fields))), now: loop.now)
  }

  private func armServerTimer() {
    guard state.sources != nil else { return }
    let next = state.server.nextTimeout
    let slack = min(configuration.remote.maxSilence / 64, .seconds(300))
    serverTimer?.arm(within: next.map { WakeWindow(from: $0, orLater: slack) })
  }

  // MARK: Storage

  /// The delay before a failed write is retried.
  private static let pauseAfterFailedWrite = Duration.seconds(60)

  /// Saves the stored settings. During a write, further requests are combined into one that follows it.
  ///
  /// `atOnce` queues the write immediately, for a job in the log that requires it.
  func save(now: Moment, atOnce: Bool = false) {
    guard state.sources != nil, saving.begin(atOnce: atOnce) else { return }
    var stored = state.stored(now: now)
    outputs.complete(&stored)
    log.post(.settings(stored.json))
  }

  /// Handles the result of a write.
  func saved(_ failure: SystemError?, now: Moment) {
    let isNew = saving.end(failure)
    // After the stop there is no timer, and nothing is written any more.
    defer { if saving.isNextDue, settingsTimer != nil { save(now: now) } }
    if isNew, let saveFailure {
      journal.log(.error, "settings: \(saveFailure); the logger keeps retrying")
    }
    let pause = Self.pauseAfterFailedWrite
    settingsTimer?.arm(within: failure.map { _ in WakeWindow(after: pause, now: now) })
  }

  // MARK: The state

  /// True while the present settings are being saved.
  var isBeingSaved: Bool { saving.isRunning }

  /// True if the present settings are saved.
  var isDurable: Bool { !saving.isRunning && saving.failure == nil }

  /// The reason why settings cannot be saved, and the consequence; nil if they can.
  var saveFailure: String? { saving.failure.map { "\($0); changes last only until the logger stops" } }

  /// The effective settings.
  var listing: SettingsListing {
    // While a write is in progress, the failure of an earlier one does not apply.
    var listing = SettingsListing(
      configuration, isDurable: isDurable, trouble: isBeingSaved ? nil : saveFailure)
    listing.trial = state.trial?.progress(now: loop.now)
    return listing
  }

  /// The settings of the operator on trial in the status; nil if there are none.
  func trialReport(now: Moment) -> StatusReport.SettingsTrial? {
    (state.trial?.progress(now: now)).map {
      StatusReport.SettingsTrial(
        id: $0.id, keys: $0.paths, goes_back_in_s: $0.left.inSeconds, listen: configuration.api.listen)
    }
  }

  /// The warnings about the stored settings, including those that require a restart.
  private var storedWarnings: [String] {
    (try? state.sources?.configuration(state.layers))?.warnings(on: .host) ?? []
  }

  /// The remote settings in the status; nil if no server has sent any.
  func report(now: Moment) -> StatusReport.Remote? { state.report(now: now) }
}
