import LoggerConfiguration
import Quantities
import Records
import Settings
import Store

/// What is known about the destinations beyond a restart: address and record form with which each was last served, and
/// which ones are new to the log or no longer configured. Decides what is reported about their queues, each once.
struct DestinationRegistry {
  /// The result of a change.
  struct Outcome: Equatable {
    /// Log lines, as warnings.
    var warnings: [String] = []
    /// True if the registry must be saved.
    var isChanged = false
    /// True if a report waits for the sizes of the queues.
    var needsSizes = false
  }

  /// The address and record form with which destinations were last served.
  private(set) var states: [String: DestinationState]
  /// The new addresses of destinations that are not reported yet.
  private var moved: [String: DestinationState] = [:]
  /// The last older record of the queue of a new destination, by name.
  private(set) var firstQueues: [String: Int64]
  /// Destinations of the log that are no longer configured, which was reported.
  private(set) var removed: Set<String>
  /// Destinations of the log that are no longer configured, to be reported.
  private var unreported: Set<String> = []
  /// Destinations that are being removed from the log.
  private var forgotten: Set<String> = []

  init(_ stored: StoredSettings) {
    states = stored.destinations ?? [:]
    firstQueues = stored.newcomers ?? [:]
    removed = Set(stored.departed ?? [])
  }

  /// Adds the registry to the settings that are saved.
  func store(in stored: inout StoredSettings) {
    stored.destinations = states.isEmpty ? nil : states
    stored.newcomers = firstQueues.isEmpty ? nil : firstQueues
    stored.departed = removed.isEmpty ? nil : removed.sorted()
  }

  /// True if the log may have a queue of this destination, which is not configured.
  func isUnconfigured(_ name: String) -> Bool { removed.contains(name) || unreported.contains(name) }

  // MARK: Record forms

  /// The form in which batches may have been sent to the destination, if it differs from the present one and the address
  /// is the same.
  func formBefore(_ name: String, now: DestinationState) -> RecordForm? {
    guard let before = states[name], let form = before.form else { return nil }
    return now.form == nil || now.form == form || now.isElsewhere(than: before) ? nil : form
  }

  /// Keeps the format of these batches until they are acknowledged, also after a restart. To be saved.
  mutating func keepForm(_ ends: [RecordID], in form: RecordForm, for name: String, now: DestinationState) {
    var now = now
    let before = states[name]
    now.held = ends.compactMap { end in
      let held = before?.retainedForm(through: end.rawValue) ?? form
      return held == now.form ? nil : .init(through: end.rawValue, form: held)
    }
    (now.first, now.moved) = (before?.first, before?.moved)
    states[name] = now
  }

  /// Records that the destination is served as configured. A changed address is reported together with the queue.
  mutating func serve(_ name: String, now: DestinationState) -> Outcome {
    guard let before = states[name] else {
      states[name] = now
      return Outcome(isChanged: true)
    }
    guard before.isElsewhere(than: now) else {
      moved[name] = nil
      // A destination without a record form keeps the old one, which may apply again.
      var now = now
      (now.form, now.held) = (now.form ?? before.form, before.held)
      (now.first, now.moved) = (before.first, before.moved)
      guard now != before else { return Outcome() }
      states[name] = now
      return Outcome(isChanged: true)
    }
    moved[name] = now
    // The new server has received none of the batches.
    states[name]?.held = []
    return Outcome(needsSizes: true)
  }

  /// Removes everything about records that the opened log does not contain: it belongs to another log.
  mutating func forgetRecords(after lastID: RecordID) {
    firstQueues = firstQueues.filter { $0.value <= lastID.rawValue }
    for name in states.keys {
      states[name]?.held.removeAll { $0.through > lastID.rawValue }
      if let first = states[name]?.first, first - 1 > lastID.rawValue { states[name]?.first = nil }
      if let moved = states[name]?.moved, moved > lastID.rawValue { states[name]?.moved = nil }
    }
  }

  // MARK: The first record

  /// The first record that a server may get.
  func firstRecord(for name: String) -> RecordID { RecordID(states[name]?.first ?? 1) }

  /// The queue of a destination was discarded through a record, which it never gets. Returns true if that is to be saved.
  mutating func dropped(_ name: String, through: RecordID) -> Bool {
    guard states[name]?.form?.isComplete ?? false else { return false }
    states[name]?.first = through.rawValue + 1
    return true
  }

  /// Handles `have` of a response. A server of a new address that has nothing of the log is another server: what went to
  /// the address before is not for it. Returns true if that is to be saved.
  mutating func answered(_ name: String, have: Int64) -> Bool {
    guard let moved = states[name]?.moved else { return false }
    states[name]?.moved = nil
    if have == 0 { states[name]?.first = moved + 1 }
    return true
  }

  // MARK: Queues

  /// Handles the registration of the destinations. Another name is another destination. `newestOnly` are the destinations
  /// that get only the newest location.
  mutating func registered(_ report: RegistrationReport, newestOnly: Set<String>) -> Outcome {
    let before = (firstQueues, removed)
    var outcome = Outcome()
    for destination in report.new where destination.queued > 0 {
      firstQueues[destination.name] = report.through.rawValue
      let count = "\(destination.queued) \(destination.queued == 1 ? "record" : "records")"
      let detail =
        newestOnly.contains(destination.name)
        ? "of locations only the newest is sent (logging_mode)" : "sent oldest first"
      outcome.warnings.append(
        "upload \(destination.name): new destination with \(count) of the log queued, \(detail); outrider drop "
          + "\(Shown.argument(destination.name)) discards the queue")
    }
    let unserved = Set(report.unserved)
    for name in before.0.keys where unserved.contains(name) { firstQueues[name] = nil }
    removed.formIntersection(unserved)
    unreported = unserved.subtracting(removed)
    outcome.needsSizes = !unreported.isEmpty
    outcome.isChanged = (firstQueues, removed) != before
    return outcome
  }

  /// Reports the queue of every destination with a changed address.
  mutating func reportMoved(_ log: LogStatus) -> Outcome {
    guard !moved.isEmpty else { return Outcome() }
    var outcome = Outcome(isChanged: true)
    for (name, now) in moved.sorted(by: { $0.key < $1.key }) {
      let queue = log.destinations.first { $0.name == name }
      let waiting = queue?.queued ?? 0
      if waiting > 0, let before = states[name] {
        let detail =
          before.place == now.place
          ? "path or query of the url at \(now.place) changed"
          : "url changed from \(before.place) to \(now.place)"
        outcome.warnings.append(
          "upload \(name): \(detail); the queue (\(waiting) \(waiting == 1 ? "record" : "records")) goes to the new "
            + "address; outrider drop \(Shown.argument(name)) discards it")
      }
      states[name] = now
      if let sent = queue?.acknowledged, sent > .zero, now.form?.isComplete ?? false {
        states[name]?.moved = sent.rawValue
      }
    }
    moved = [:]
    return outcome
  }

  /// Reports the queue of every destination that is no longer configured.
  mutating func reportRemoved(_ log: LogStatus) -> Outcome {
    guard !unreported.isEmpty else { return Outcome() }
    var outcome = Outcome(isChanged: true)
    for destination in log.destinations where unreported.contains(destination.name) {
      guard destination.queued > 0 else { continue }
      let count = "\(destination.queued) \(destination.queued == 1 ? "record" : "records")"
      outcome.warnings.append(
        "upload \(destination.name): no longer configured; its queue (\(count)) stays in the log until "
          + "storage.retention deletes it; a destination of this name would continue with the rest")
    }
    removed.formUnion(unreported)
    unreported = []
    return outcome
  }

  /// Handles an acknowledgement up to a record: a new destination may have received the older records. Returns true if that
  /// is to be saved.
  mutating func acknowledged(_ through: RecordID, by name: String) -> Bool {
    guard let last = firstQueues[name], through.rawValue >= last else { return false }
    return endFirstQueue(of: name)
  }

  /// Ends the report of a new destination. Returns true if that is to be saved.
  mutating func endFirstQueue(of name: String) -> Bool { firstQueues.removeValue(forKey: name) != nil }

  /// Begins to remove a destination that is not configured.
  mutating func forget(_ name: String) {
    unreported.remove(name)
    forgotten.insert(name)
  }

  /// Ends the removal of a destination from the log. Returns true if it was being removed, which is to be saved.
  mutating func endForgetting(_ name: String) -> Bool {
    guard forgotten.remove(name) != nil else { return false }
    removed.remove(name)
    states[name] = nil
    return true
  }
}
