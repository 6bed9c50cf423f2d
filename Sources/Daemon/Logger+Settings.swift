import LocalAPI
import Quantities
import Records
import Settings
import Store
import SystemLoop
import Tracking
import Uplink

extension Logger {
  // MARK: From afar

  /// A server has answered; settings may stand in it.
  func takeAnswer(_ body: [UInt8], from name: String) {
    guard book.sources != nil, let set = ServerSet(answer: body, of: name, under: configuration) else {
      return
    }
    let now = loop.now
    if book.lastItems[name] != set.items { note(set.items, from: name) }
    book.lastItems[name] = set.items
    // What counts anyhow, without a server, is no change.
    let wishes = set.wishes.filter { key, value in
      book.server.values[key] != nil || book.server.isWaiting(key, by: name)
        || !configuration.has(value, for: key)
    }
    wish(wishes, from: name, now: now)
  }

  private func wish(_ wishes: [ServerKey: String], from name: String, now: Moment) {
    let newest = storeState.lastID.rawValue + storeState.underWay + Int64(storeState.grouping.count)
    carryOut(
      book.server.handle(.wished(wishes, by: name, afterRecord: newest), now: now), from: name, now: now)
  }

  /// What had to wait for its hour. What the operator has set since, or what counts anyhow, is left.
  private func takeLater(_ wishes: [ServerKey: String], from name: String, now: Moment) {
    let wishes = wishes.filter { key, value in
      (configuration.origins[key.path] ?? .default) < .operator
        && (book.server.values[key] != nil || !configuration.has(value, for: key))
    }
    if !wishes.isEmpty { wish(wishes, from: name, now: now) }
  }

  /// A server has taken records.
  func noteTaken(_ taken: TakenRecords, by name: String) {
    let now = loop.now
    let accuracy = taken.newestAccuracyMillimetres.map { Double($0) / 1000 }
    let answer = ServerChanges.Event.answered(
      by: name, newestLocation: taken.newestLocation?.rawValue,
      inSpiteOf: configuration.settingsAgainst(accuracyMetres: accuracy))
    carryOut(book.server.handle(answer, now: now), from: name, now: now)
  }

  /// What is not taken is said once, and again when it changes.
  private func note(_ items: [ServerSet.Item], from name: String) {
    let unknown = items.filter { $0.verdict == .ignored(ServerSet.unknown) }
    for item in items {
      let (kind, reason): (RemoteOutcome.Kind, String)
      switch item.verdict {
      case .taken(let key, let value):
        if configuration.has(value, for: key) { book.noteUnchanged(key, by: name, at: loop.now) }
        continue
      case .ignored(let why): (kind, reason) = (.ignored, why)
      case .refused(let why): (kind, reason) = (.refused, why)
      }
      book.note(RemoteOutcome(kind: kind, reason: reason, at: loop.now), item.path, by: name)
      if kind == .refused || unknown.count < 2 || !unknown.contains(item) {
        complain("its server's \(item.path) is \(kind.rawValue): \(reason)", of: name)
      }
    }
    guard unknown.count > 1 else { return }
    let named = unknown.prefix(3).map(\.path).joined(separator: ", ")
    let more = unknown.count > 3 ? " and \(unknown.count - 3) more" : ""
    complain("its server's \(named)\(more) are ignored: \(ServerSet.unknown)", of: name)
  }

  func serverTimeout(now: Moment) {
    carryOut(book.server.handleTimeout(now: now), from: "", now: now)
  }

  func carryOut(_ actions: [ServerChanges.Action], from name: String, now: Moment) {
    for action in actions {
      switch action {
      case .changed: relay()
      case .keep: keepSettings(now: now)
      case .checkIn(let names): checkIn(with: names, now: now)
      case .began(let keys):
        for key in keys { book.supersede(key, by: name, at: now) }
        let trial = configuration.remote.maxSilence
        tell(
          keys, .applied, .remoteApplied, [.rollback: .seconds(trial)],
          "on trial: rolled back after \(trial.wholeSeconds) s unless a location recorded under it is stored and "
            + "acknowledged", by: name)
      case .proved(let keys):
        tell(
          keys, .persisted, .remoteProved, [:], "a location recorded under it was stored and acknowledged",
          by: name)
        if keys.contains(where: \.isLoggingMode) { changeDeliveries() }
      case .wentBack(let keys, let name, let reason):
        let (cause, why): (EventValue, String) =
          switch reason {
          case .notProved:
            ("not_proven", "no location recorded under it was acknowledged within remote.max_silence")
          case .crashes: ("crashes", "the logger ended repeatedly soon after its start")
          case .mayNotSet(let objection): ("not_allowed", objection)
          case .unset: ("unset", "unset by the operator (outrider set --unset)")
          }
        tell(keys, .wentBack, .remoteWentBack, [.cause: cause, .reason: .text(why)], why, by: name)
      case .refused(let keys):
        for key in keys { refuse(key, Self.notTriedAgain, from: name) }
      case .due(let wishes, let name): takeLater(wishes, from: name, now: now)
      case .hasToWait(let keys, let isNew):
        let reason =
          "changed \(ServerChanges.mostChanges) times within an hour; the last value is applied later"
        for key in keys { refuse(key, reason, from: name, isSaid: isNew) }
      case .outranked(let wishes):
        for wish in wishes {
          refuse(
            wish.key,
            "it wants \(wish.value), and \(wish.setter), which comes before it in destinations, has set \(wish.present) "
              + "(outrider set --unset \(wish.key.path) takes that back)", from: name)
        }
      }
    }
    armServerTimer()
  }

  private static let notTriedAgain =
    "the value was rolled back; it is not tried again until the server sends another one"

  /// Said once, and again when the reason changes.
  private func refuse(_ key: ServerKey, _ reason: String, from name: String, isSaid: Bool = true) {
    let known = book.outcomes[name]?[key.path]
    guard known?.kind != .refused || known?.reason != reason else { return }
    book.note(RemoteOutcome(kind: .refused, reason: reason, at: loop.now), key.path, by: name)
    if isSaid { complain("its server's \(key.path) is refused: \(reason)", of: name) }
  }

  private func complain(_ words: String, of name: String) {
    for line in book.complaints[name, default: ServerComplaints()].add(words, now: loop.now) {
      journal.say(.warning, "destination \(name): \(line)")
    }
  }

  private func tell(
    _ keys: [ServerKey], _ outcome: RemoteOutcome.Kind, _ kind: EventKind, _ fields: EventFields,
    _ why: String, by name: String
  ) {
    for key in keys { book.note(RemoteOutcome(kind: outcome, reason: why, at: loop.now), key.path, by: name) }
    let values = keys.map { key in
      book.server.values[key].map { "\(key.path)=\($0)" } ?? "\(key.path) as before"
    }
    let change: EventFields = [.changes: .list(values), .destination: name.isEmpty ? nil : .text(name)]
    tell(.occurred(EventRecord(kind, change.merging(fields))), now: loop.now)
  }

  func armServerTimer() {
    guard book.sources != nil else { return }
    let next = book.server.nextTimeout
    let room = min(configuration.remote.maxSilence / 64, .seconds(300))
    serverTimer?.arm(within: next.map { WakeWindow(from: $0, orLater: room) })
  }

  // MARK: Checking in

  /// Takes a position whatever the mode, and has it sent as soon as it is durable.
  private func checkIn(with names: [String], now: Moment) {
    guard configuration.isTracking else { return }
    journal.say(.notice, "checking in with \(names.joined(separator: ", "))")
    checkIn.waiting.formUnion(names)
    tell(.checkIn, now: now)
    // Without a fix what waits in the log is sent, so that the server is heard.
    checkInTimer?.arm(at: now + min(.seconds(60), configuration.remote.maxSilence / 16))
  }

  /// Who sends a position by hand that is older takes a fresh one first.
  static let freshness = Duration.seconds(60)
  /// How long that one is sent by itself; it is searched for about as long.
  static let positionPatience = Duration.seconds(180)
  /// After a search in vain nobody who sends brings about another one for so long.
  static let pauseBetweenPositions = Duration.seconds(300)

  /// Takes a position for who sends by hand, whatever the mode, where the last one is old, and has it sent as soon as it
  /// is durable. False where nothing is asked: the last one is fresh, the battery at its end, there is neither
  /// receiver nor Wi-Fi zone, or one was just looked for.
  func askForPosition(for names: [String], now: Moment) -> Bool {
    guard !names.isEmpty, line != nil || gpsd != nil || tracker.isInWifiZone, powerDuty.stage != .survival
    else { return false }
    // What the log had before this start is old.
    let last = tracker.kept > 0 ? tracker.lastLocation?.moment : nil
    if let last, now - last < Self.freshness { return false }
    if let asked = positionAsked, now - asked < Self.pauseBetweenPositions, last ?? .zero < asked {
      guard !checkIn.waiting.isEmpty else { return false }
      checkIn.waiting.formUnion(names)
      return true
    }
    positionAsked = now
    if checkIn.waiting.isEmpty { checkInTimer?.arm(at: now + Self.positionPatience) }
    checkIn.waiting.formUnion(names)
    tell(.positionWanted, now: now)
    return true
  }

  /// The position of a check-in, or for who sends by hand, is durable, or there is none.
  func sendCheckIn() {
    checkInTimer?.arm(at: nil)
    let names = checkIn.waiting
    checkIn = CheckIn()
    for name in names { deliveries[name]?.delivery?.sendNow() }
  }
}

/// A check-in that waits for its position to be durable.
struct CheckIn {
  /// The destinations that are to hear of it.
  var waiting: Set<String> = []
  /// Its position was taken and is on its way to disk.
  var isTaken = false
}
