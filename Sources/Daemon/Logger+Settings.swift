import LocalAPI
import Quantities
import Records
import Settings
import Store
import SystemLoop
import Tracking
import Uplink

extension Logger {
  /// Asks again for a write that failed.
  private static let pauseAfterFailedWrite = Duration.seconds(60)

  // MARK: From afar

  /// A server has answered; settings may stand in it.
  func takeAnswer(_ body: [UInt8], from name: String) {
    guard book.sources != nil, let set = ServerSet(answer: body, of: name, under: configuration) else {
      return
    }
    let now = loop.now
    if book.lastItems[name] != set.items { note(set.items, from: name) }
    book.lastItems[name] = set.items
    let newest = storeState.lastID.rawValue + storeState.underWay + Int64(storeState.grouping.count)
    // What counts anyhow, without a server, is no change.
    let wishes = set.wishes.filter { key, value in
      book.server.values[key] != nil || !configuration.has(value, for: key)
    }
    carryOut(
      book.server.handle(.wished(wishes, by: name, afterRecord: newest), now: now), from: name, now: now)
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
    for item in items {
      let (kind, reason): (RemoteOutcome.Kind, String)
      switch item.verdict {
      case .taken(let key, let value):
        if configuration.has(value, for: key) { book.noteUnchanged(key, by: name) }
        continue
      case .ignored(let why): (kind, reason) = (.ignored, why)
      case .refused(let why): (kind, reason) = (.refused, why)
      }
      book.note(RemoteOutcome(kind: kind, reason: reason), item.path, by: name)
      journal.say(.warning, "destination \(name): its server's \(item.path) is \(kind.rawValue): \(reason)")
    }
  }

  func serverTimeout(now: Moment) {
    carryOut(book.server.handleTimeout(now: now), from: "", now: now)
  }

  private func carryOut(_ actions: [ServerChanges.Action], from name: String, now: Moment) {
    for action in actions {
      switch action {
      case .changed: relay()
      case .keep: keepSettings(now: now)
      case .checkIn(let names): checkIn(with: names, now: now)
      case .began(let keys):
        for key in keys { book.supersede(key, by: name) }
        let patience = configuration.remote.maxSilence.wholeSeconds
        tell(
          keys, .applied, .remoteApplied,
          "on trial: goes back in \(patience) s unless a position taken under it is stored and answered",
          by: name)
      case .proved(let keys):
        tell(keys, .persisted, .remoteProved, "a position taken under it was stored and answered", by: name)
        if keys.contains(where: \.isLoggingMode) { changeDeliveries() }
      case .wentBack(let keys, let name, let reason):
        let why =
          switch reason {
          case .notProved: "no position taken under it was answered within remote.max_silence"
          case .crashes: "the logger ended again and again soon after its start"
          case .mayNotSet(let objection): "forgotten: \(objection)"
          case .unset: "forgotten, as the operator wants it (outrider set --unset)"
          }
        tell(keys, .wentBack, .remoteWentBack, why, by: name)
      case .refused(let keys):
        for key in keys { refuse(key, "it went back too often; it is not tried again", from: name) }
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

  /// Said once, and again when the reason changes.
  private func refuse(_ key: ServerKey, _ reason: String, from name: String) {
    let outcome = RemoteOutcome(kind: .refused, reason: reason)
    guard book.outcomes[name]?[key.path] != outcome else { return }
    book.note(outcome, key.path, by: name)
    journal.say(.warning, "destination \(name): its server's \(key.path) is refused: \(reason)")
  }

  private func tell(
    _ keys: [ServerKey], _ outcome: RemoteOutcome.Kind, _ kind: EventKind, _ why: String, by name: String
  ) {
    for key in keys { book.note(RemoteOutcome(kind: outcome, reason: why), key.path, by: name) }
    let values = keys.map { key in
      book.server.values[key].map { "\(key.path)=\($0)" } ?? "\(key.path) as before"
    }
    let whose = name.isEmpty ? "a server of before" : "destination \(name)"
    tell(
      .occurred(EventRecord(kind, detail: "\(whose): \(values.joined(separator: ", ")): \(why)")),
      now: loop.now)
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

  /// The position of a check-in is durable, or there is none.
  func sendCheckIn() {
    checkInTimer?.arm(at: nil)
    let names = checkIn.waiting
    checkIn = CheckIn()
    for name in names { deliveries[name]?.delivery?.sendNow() }
  }

  // MARK: By the operator

  /// Sets or takes back what the operator wishes: all of it or nothing. Answers what is wrong with it.
  ///
  /// With `droppingQueues` what waits for a destination whose address changes is not sent; else it goes to the new one.
  func change(_ wishes: OperatorWishes, droppingQueues: Bool = false) -> [SettingsError] {
    guard let sources = book.sources else { return [] }
    var kept = layers(without: wishes.unset)
    let faults = sources.faults(of: wishes.values, over: kept)
    guard faults.isEmpty else { return faults }
    kept.operator.merge(wishes.values) { $1 }
    if droppingQueues, let next = try? sources.configuration(kept) {
      dropQueues(of: configuration.destinationsMoved(in: next))
    }
    book.operator = kept.operator
    let actions = book.server.handle(.unset(wishes.unset), now: loop.now)
    carryOut(actions, from: "", now: loop.now)
    guard !actions.contains(.changed) else { return [] }
    keepSettings(now: loop.now)
    relay()
    return []
  }

  private func layers(without unset: Set<String>) -> StoredLayers {
    var layers = book.layers
    for path in unset { layers.operator[path] = nil }
    layers.server = layers.server.filter { !unset.contains($0.key.path) }
    return layers
  }

  /// The destinations to which `wishes` give another address; none where they are no whole.
  func destinationsMoved(by wishes: OperatorWishes) -> [String] {
    var layers = layers(without: wishes.unset)
    layers.operator.merge(wishes.values) { $1 }
    return (try? book.sources?.configuration(layers)).map(configuration.destinationsMoved) ?? []
  }

  /// The configuration anew, from the files as they were read and what is set.
  func relay() {
    guard let sources = book.sources else { return }
    do throws(SettingsErrors) {
      let next = try sources.configuration(book.layers)
      if !configuration.changes(to: next).isEmpty { apply(next) } else { adoptOrigins(of: next) }
    } catch {
      journal.say(.error, "the settings cannot be laid together: \(error)")
    }
    followRules()
  }

  /// New files: the configuration is made of them and of what is set.
  public func reload(_ sources: ConfigurationSources) {
    do throws(SettingsErrors) {
      let next = try sources.configuration(book.layers)
      book.sources = sources
      apply(next)
      for fault in next.storedFaults { journal.say(.warning, "\(fault); left out") }
    } catch {
      refuse("\(error)")
    }
    followRules()
  }

  func followRules() {
    let rules = ServerChanges.Rules(
      maxSilence: configuration.remote.maxSilence, silenced: configuration.silencedByServer,
      isTracking: configuration.isTracking, say: ServerSay(configuration))
    guard rules != book.server.rules else { return armServerTimer() }
    carryOut(book.server.handle(.rules(rules), now: loop.now), from: "", now: loop.now)
  }

  // MARK: On disk

  func keepSettings(now: Moment) {
    guard book.sources != nil else { return }
    book.writesUnderWay += 1
    post(.settings(book.stored(now: now).json))
  }

  func settingsKept(_ failure: SystemError?, now: Moment) {
    book.writesUnderWay = max(0, book.writesUnderWay - 1)
    if let failure, book.writeFailure == nil {
      journal.say(
        .error, "\(failure); what is set while running counts until the logger ends; it is written again")
    }
    book.writeFailure = failure
    let pause = Self.pauseAfterFailedWrite
    settingsTimer?.arm(within: failure.map { _ in WakeWindow(after: pause, now: now) })
  }
}

/// A check-in that waits for its position to be durable.
struct CheckIn {
  /// The destinations that are to hear of it.
  var waiting: Set<String> = []
  /// Its position was taken and is on its way to disk.
  var isTaken = false
}
