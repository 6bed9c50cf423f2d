import Quantities
import Records
import Settings
import Store

/// Which batches a destination may have been sent without having confirmed them on disk: at most two, each with an end
/// that the log finds again (see ``Uplink/DeliveryMachine``).
struct SentBatches: Equatable {
  private(set) var ends: [RecordID] = []

  /// Takes what the log hands out next; answers behind what to look further, nil when all are found.
  mutating func take(_ batch: LogBatch?) -> BatchPosition? {
    // Without an end on disk no byte of it has gone.
    guard let batch, !batch.needsBorder else { return nil }
    ends.append(batch.through)
    return ends.count < 2 ? BatchPosition(through: batch.through, isLate: batch.isLate) : nil
  }
}

// What has changed about a destination since it was last served.
extension Logger {
  /// The form in which batches to the destination may have been sent, where that is another than today's and the place is
  /// the same.
  func formBefore(_ destination: DestinationSettings) -> RecordForm? {
    guard let before = book.standings[destination.name], let form = before.form else { return nil }
    let now = standing(of: destination)
    return now.form == nil || now.form == form || now.isElsewhere(than: before) ? nil : form
  }

  /// Those batches keep their form until they are confirmed, also after a restart.
  func hold(_ ends: [RecordID], in form: RecordForm, for destination: DestinationSettings) {
    var now = standing(of: destination)
    let before = book.standings[destination.name]
    now.held = ends.compactMap { end in
      let held = before?.heldForm(through: end.rawValue) ?? form
      return held == now.form ? nil : .init(through: end.rawValue, form: held)
    }
    book.standings[destination.name] = now
    keepSettings(now: loop.now, atOnce: true)
  }

  /// The destination is served as it is configured. Another address is told together with what waits.
  func noteServed(_ destination: DestinationSettings) {
    var now = standing(of: destination)
    if let before = book.standings[destination.name] {
      guard before.isElsewhere(than: now) else {
        book.moved[destination.name] = nil
        // What is not in a form that stays for now may be again.
        (now.form, now.held) = (now.form ?? before.form, before.held)
        guard now != before else { return }
        book.standings[destination.name] = now
        return keepSettings(now: loop.now, atOnce: true)
      }
      book.moved[destination.name] = now
      // Another server has seen none of the batches.
      book.standings[destination.name]?.held = []
      return post(.status)
    }
    book.standings[destination.name] = now
    keepSettings(now: loop.now, atOnce: true)
  }

  /// Says once for each destination with another address what becomes of its queue.
  func tellOfMoves(_ log: LogStatus) {
    guard !book.moved.isEmpty else { return }
    for (name, now) in book.moved.sorted(by: { $0.key < $1.key }) {
      let waiting = log.destinations.first { $0.name == name }?.queued ?? 0
      if waiting > 0, let before = book.standings[name] {
        let way =
          before.place == now.place
          ? "another path or query at \(now.place)" : "\(now.place) instead of \(before.place)"
        journal.say(
          .warning,
          "destination \(name): \(way); what waits goes to the new address, \(waiting) "
            + "\(waiting == 1 ? "record" : "records"); outrider drop \(Shown.argument(name)) gives it up")
      }
      book.standings[name] = now
    }
    book.moved = [:]
    keepSettings(now: loop.now, atOnce: true)
  }

  /// Says of destinations that are new to the log, once, what waits for them: another name is another destination.
  func noteRegistered(_ report: RegistrationReport) {
    let (newcomers, departed) = (book.newcomers, book.departed)
    let served = Set(
      configuration.effectiveDestinations(duringTrip: tripRuns).filter(\.isNewestOnly).map(\.name))
    for destination in report.new where destination.queued > 0 {
      book.newcomers[destination.name] = report.through.rawValue
      let count = "\(destination.queued) \(destination.queued == 1 ? "record" : "records")"
      let way =
        served.contains(destination.name)
        ? "of the locations recorded before only the newest goes to it (logging_mode), of \(count)"
        : "what was recorded before goes to it from the oldest on, \(count)"
      journal.say(
        .warning,
        "destination \(destination.name) is new to this log: \(way); outrider drop "
          + "\(Shown.argument(destination.name)) gives that up"
      )
    }
    let unserved = Set(report.unserved)
    for name in newcomers.keys where unserved.contains(name) { book.newcomers[name] = nil }
    book.departed.formIntersection(unserved)
    book.departing = unserved.subtracting(book.departed)
    if !book.departing.isEmpty { post(.status) }
    if book.newcomers != newcomers || book.departed != departed { keepSettings(now: loop.now, atOnce: true) }
  }

  /// Says once of each destination that is configured no more what becomes of its queue.
  func tellOfDepartures(_ log: LogStatus) {
    guard !book.departing.isEmpty else { return }
    for destination in log.destinations where book.departing.contains(destination.name) {
      guard destination.queued > 0 else { continue }
      let count = "\(destination.queued) \(destination.queued == 1 ? "record" : "records")"
      journal.say(
        .warning,
        "destination \(destination.name) is not configured any more: \(count) that waited for it stay in the log until "
          + "storage.retention takes them, and are not kept for it; under this name it would go on with what is left"
      )
    }
    book.departed.formUnion(book.departing)
    book.departing = []
    keepSettings(now: loop.now, atOnce: true)
  }

  /// The destination has what was recorded before it came, or is not to have it.
  func noteCaughtUp(_ destination: String) {
    guard book.newcomers.removeValue(forKey: destination) != nil else { return }
    keepSettings(now: loop.now, atOnce: true)
  }

  /// The log is open: what was kept of records that it does not hold is not about this log.
  func forgetForeignBatches() {
    book.newcomers = book.newcomers.filter { $0.value <= storeState.lastID.rawValue }
    for name in book.standings.keys {
      book.standings[name]?.held.removeAll { $0.through > storeState.lastID.rawValue }
    }
  }

  private func standing(of destination: DestinationSettings) -> DestinationStanding {
    DestinationStanding(destination, form: RecordForm(destination, under: configuration))
  }
}
