import LocalAPI
import Quantities
import Records
import Settings
import Store
import System
import Uplink

extension Logger {
  // MARK: Remote settings

  /// Handles the response of a server, which may contain settings.
  func handleResponse(_ body: [UInt8], from name: String) {
    guard settingsState.sources != nil, let set = ServerSet(answer: body, of: name, under: configuration)
    else {
      return
    }
    let now = loop.now
    if settingsState.lastItems[name] != set.items { record(set.items, from: name) }
    settingsState.lastItems[name] = set.items
    // A value that is in force without a server is no change.
    let requested = set.requested.filter { key, value in
      settingsState.server.values[key] != nil || settingsState.server.isWaiting(key, by: name)
        || !configuration.has(value, for: key)
    }
    request(requested, from: name, now: now)
  }

  /// Passes desired values of a server to the state machine of remote settings.
  private func request(_ requested: [ServerKey: String], from name: String, now: Moment) {
    let newest = storeState.lastID.rawValue + storeState.inProgress + Int64(storeState.grouping.count)
    carryOut(
      settingsState.server.handle(.requested(requested, by: name, afterRecord: newest), now: now), from: name,
      now: now
    )
  }

  /// Applies values that the rate limit deferred, unless the operator has set them since or they are in force.
  private func takeLater(_ requested: [ServerKey: String], from name: String, now: Moment) {
    let requested = requested.filter { key, value in
      (configuration.origins[key.path] ?? .default) < .operator
        && (settingsState.server.values[key] != nil || !configuration.has(value, for: key))
    }
    if !requested.isEmpty { request(requested, from: name, now: now) }
  }

  /// Handles the acceptance of records by a server, which may prove its values.
  func handleAcceptedRecords(_ taken: TakenRecords, by name: String) {
    let now = loop.now
    let accuracy = taken.newestAccuracyMillimetres.map { Double($0) / 1000 }
    let answer = ServerChanges.Event.answered(
      by: name, newestLocation: taken.newestLocation?.rawValue,
      inSpiteOf: configuration.settingsAgainst(accuracyMetres: accuracy))
    carryOut(settingsState.server.handle(answer, now: now), from: name, now: now)
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
        if configuration.has(value, for: key) { settingsState.recordUnchanged(key, by: name, at: loop.now) }
        continue
      case .ignored(let why): (kind, reason) = (.ignored, why)
      case .refused(let why): (kind, reason) = (.refused, why)
      }
      settingsState.record(RemoteOutcome(kind: kind, reason: reason, at: loop.now), item.path, by: name)
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
  func serverTimeout(now: Moment) {
    carryOut(settingsState.server.handleTimeout(now: now), from: "", now: now)
  }

  /// Executes the actions of the state machine of remote settings.
  func carryOut(_ actions: [ServerChanges.Action], from name: String, now: Moment) {
    for action in actions {
      switch action {
      case .changed: relay()
      case .keep: keepSettings(now: now)
      case .checkIn(let names): checkIn(with: names, now: now)
      case .began(let keys):
        for key in keys { settingsState.supersede(key, by: name, at: now) }
        let trial = configuration.remote.maxSilence
        process(
          keys, .applied, .remoteApplied, [.rollback: .seconds(trial)],
          "on trial: rolled back after \(trial.wholeSeconds) s unless a location recorded under it is stored and "
            + "acknowledged", by: name)
      case .proven(let keys):
        process(
          keys, .persisted, .remoteProven, [:], "a location recorded under it was stored and acknowledged",
          by: name)
        if keys.contains(where: \.isLoggingMode) { changeDeliveries() }
      case .rolledBack(let keys, let name, let reason):
        let (cause, why): (EventValue, String) =
          switch reason {
          case .unproven:
            ("not_proven", "no location recorded under it was acknowledged within remote.max_silence")
          case .crashes: ("crashes", "the logger ended repeatedly soon after its start")
          case .mayNotSet(let objection): ("not_allowed", objection)
          case .unset: ("unset", "unset by the operator (outrider set --unset)")
          }
        process(keys, .rolledBack, .remoteRolledBack, [.cause: cause, .reason: .text(why)], why, by: name)
      case .refused(let keys):
        for key in keys { refuse(key, Self.notTriedAgain, from: name) }
      case .due(let requested, let name): takeLater(requested, from: name, now: now)
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
    let known = settingsState.outcomes[name]?[key.path]
    guard known?.kind != .refused || known?.reason != reason else { return }
    settingsState.record(RemoteOutcome(kind: .refused, reason: reason, at: loop.now), key.path, by: name)
    if isLogged { warn("\(key.path) rejected: \(reason)", of: name) }
  }

  /// Logs a line about the settings of a server, within the rate limit.
  private func warn(_ text: String, of name: String) {
    for line in settingsState.logLimiters[name, default: SettingsLogLimiter()].add(text, now: loop.now) {
      journal.log(.warning, "remote settings \(name): \(line)")
    }
  }

  /// Records an outcome of some keys and reports it as an event.
  private func process(
    _ keys: [ServerKey], _ outcome: RemoteOutcome.Kind, _ kind: EventKind, _ fields: EventFields,
    _ why: String, by name: String
  ) {
    for key in keys {
      settingsState.record(RemoteOutcome(kind: outcome, reason: why, at: loop.now), key.path, by: name)
    }
    let values = keys.map { key in
      settingsState.server.values[key].map { "\(key.path)=\($0)" } ?? "\(key.path) as before"
    }
    let change: EventFields = [.changes: .list(values), .destination: name.isEmpty ? nil : .text(name)]
    process(.occurred(EventRecord(kind, change.merging(fields))), now: loop.now)
  }

  func armServerTimer() {
    guard settingsState.sources != nil else { return }
    let next = settingsState.server.nextTimeout
    let slack = min(configuration.remote.maxSilence / 64, .seconds(300))
    serverTimer?.arm(within: next.map { WakeWindow(from: $0, orLater: slack) })
  }

  // MARK: Check-ins

  /// Acquires a position in any tracking mode and sends it as soon as it is durable.
  private func checkIn(with names: [String], now: Moment) {
    guard configuration.isTracking else { return }
    journal.log(.notice, "remote settings \(names.joined(separator: ", ")): check-in")
    checkIn.waiting.formUnion(names)
    process(.checkIn, now: now)
    // Without a fix the queue is sent, for the sake of the response.
    checkInTimer?.arm(at: now + min(.seconds(60), configuration.remote.maxSilence / 16))
  }

  /// The age of the last position from which `outrider send` acquires a fresh one.
  static let freshness = Duration.seconds(60)
  /// The time that the sending waits for the fresh position; the acquisition takes about as long.
  static let positionTimeout = Duration.seconds(180)
  /// The minimum time between two such acquisitions if the first one failed.
  static let pauseBetweenPositions = Duration.seconds(300)

  /// Acquires a fresh position for `outrider send`, in any tracking mode, and sends it as soon as it is durable.
  ///
  /// Returns false if there is none to wait for: the last one is fresh, the battery is critical, there is neither receiver
  /// nor Wi-Fi zone, or an acquisition failed recently.
  func requestPosition(for names: [String], now: Moment) -> Bool {
    guard !names.isEmpty, line != nil || gpsd != nil || tracker.isInWifiZone,
      powerController.stage != .survival
    else { return false }
    // A location of an earlier run is old.
    let last = tracker.kept > 0 ? tracker.lastLocation?.moment : nil
    if let last, now - last < Self.freshness { return false }
    if let asked = positionRequestedAt, now - asked < Self.pauseBetweenPositions, last ?? .zero < asked {
      guard !checkIn.waiting.isEmpty else { return false }
      checkIn.waiting.formUnion(names)
      return true
    }
    positionRequestedAt = now
    if checkIn.waiting.isEmpty { checkInTimer?.arm(at: now + Self.positionTimeout) }
    checkIn.waiting.formUnion(names)
    process(.positionRequested, now: now)
    return true
  }

  /// Sends to the waiting destinations: the position that they wait for is durable, or there is none.
  func sendCheckIn() {
    checkInTimer?.arm(at: nil)
    let names = checkIn.waiting
    checkIn = CheckIn()
    for name in names { deliveries[name]?.delivery?.sendNow() }
  }
}

/// A check-in, or a sending by hand, that waits for its position to be durable.
struct CheckIn {
  /// The destinations to send to.
  var waiting: Set<String> = []
  /// True if the position was acquired and is being written.
  var isTaken = false
}
