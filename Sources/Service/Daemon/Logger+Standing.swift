import LoggerConfiguration
import Quantities
import Records
import Settings
import Store

/// The batches that may have been sent to a destination and are not acknowledged in the log.
///
/// There are at most two, each with a batch boundary that the log has stored (see ``Uplink/DeliveryMachine``).
struct SentBatches: Equatable {
  private(set) var ends: [RecordID] = []

  /// Handles the next batch of the log; returns the position after which to search on, nil if all are found.
  mutating func take(_ batch: LogBatch?) -> BatchPosition? {
    // Without a stored boundary no byte of the batch was sent.
    guard let batch, !batch.needsBatchBoundary else { return nil }
    ends.append(batch.through)
    return ends.count < 2 ? BatchPosition(through: batch.through, isLate: batch.isLate) : nil
  }
}

// Changes of a destination since it was last served.
extension Logger {
  /// The form in which batches may have been sent to the destination, if it differs from the present one and the address
  /// is the same.
  func formBefore(_ destination: DestinationSettings) -> RecordForm? {
    guard let before = settingsState.destinationStates[destination.name], let form = before.form else {
      return nil
    }
    let now = state(of: destination)
    return now.form == nil || now.form == form || now.isElsewhere(than: before) ? nil : form
  }

  /// Keeps the format of these batches until they are acknowledged, also after a restart.
  func keepForm(_ ends: [RecordID], in form: RecordForm, for destination: DestinationSettings) {
    var now = state(of: destination)
    let before = settingsState.destinationStates[destination.name]
    now.held = ends.compactMap { end in
      let held = before?.retainedForm(through: end.rawValue) ?? form
      return held == now.form ? nil : .init(through: end.rawValue, form: held)
    }
    settingsState.destinationStates[destination.name] = now
    keepSettings(now: loop.now, atOnce: true)
  }

  /// Records that the destination is served as configured. A changed address is reported together with the queue.
  func recordServed(_ destination: DestinationSettings) {
    var now = state(of: destination)
    if let before = settingsState.destinationStates[destination.name] {
      guard before.isElsewhere(than: now) else {
        settingsState.moved[destination.name] = nil
        // A destination without a record form keeps the old one, which may apply again.
        (now.form, now.held) = (now.form ?? before.form, before.held)
        guard now != before else { return }
        settingsState.destinationStates[destination.name] = now
        return keepSettings(now: loop.now, atOnce: true)
      }
      settingsState.moved[destination.name] = now
      // The new server has received none of the batches.
      settingsState.destinationStates[destination.name]?.held = []
      return post(.status)
    }
    settingsState.destinationStates[destination.name] = now
    keepSettings(now: loop.now, atOnce: true)
  }

  /// Reports the queue of every destination with a changed address, once.
  func reportMovedDestinations(_ log: LogStatus) {
    guard !settingsState.moved.isEmpty else { return }
    for (name, now) in settingsState.moved.sorted(by: { $0.key < $1.key }) {
      let waiting = log.destinations.first { $0.name == name }?.queued ?? 0
      if waiting > 0, let before = settingsState.destinationStates[name] {
        let detail =
          before.place == now.place
          ? "path or query of the url at \(now.place) changed"
          : "url changed from \(before.place) to \(now.place)"
        journal.log(
          .warning,
          "upload \(name): \(detail); the queue (\(waiting) \(waiting == 1 ? "record" : "records")) goes to the new "
            + "address; outrider drop \(Shown.argument(name)) discards it")
      }
      settingsState.destinationStates[name] = now
    }
    settingsState.moved = [:]
    keepSettings(now: loop.now, atOnce: true)
  }

  /// Reports the queue of every destination that is new to the log, once. Another name is another destination.
  func reportNewDestinations(_ report: RegistrationReport) {
    let (newcomers, departed) = (settingsState.newcomers, settingsState.departed)
    let served = Set(
      configuration.effectiveDestinations(duringTrip: tripRuns).filter(\.isNewestOnly).map(\.name))
    for destination in report.new where destination.queued > 0 {
      settingsState.newcomers[destination.name] = report.through.rawValue
      let count = "\(destination.queued) \(destination.queued == 1 ? "record" : "records")"
      let detail =
        served.contains(destination.name)
        ? "of locations only the newest is sent (logging_mode)" : "sent oldest first"
      journal.log(
        .warning,
        "upload \(destination.name): new destination with \(count) of the log queued, \(detail); outrider drop "
          + "\(Shown.argument(destination.name)) discards the queue"
      )
    }
    let unserved = Set(report.unserved)
    for name in newcomers.keys where unserved.contains(name) { settingsState.newcomers[name] = nil }
    settingsState.departed.formIntersection(unserved)
    settingsState.departing = unserved.subtracting(settingsState.departed)
    if !settingsState.departing.isEmpty { post(.status) }
    if settingsState.newcomers != newcomers || settingsState.departed != departed {
      keepSettings(now: loop.now, atOnce: true)
    }
  }

  /// Reports the queue of every destination that is no longer configured, once.
  func reportRemovedDestinations(_ log: LogStatus) {
    guard !settingsState.departing.isEmpty else { return }
    for destination in log.destinations where settingsState.departing.contains(destination.name) {
      guard destination.queued > 0 else { continue }
      let count = "\(destination.queued) \(destination.queued == 1 ? "record" : "records")"
      journal.log(
        .warning,
        "upload \(destination.name): no longer configured; its queue (\(count)) stays in the log until "
          + "storage.retention deletes it; a destination of this name would continue with the rest"
      )
    }
    settingsState.departed.formUnion(settingsState.departing)
    settingsState.departing = []
    keepSettings(now: loop.now, atOnce: true)
  }

  /// Ends the report of a new destination: it received the older records, or its queue was discarded.
  func removeNewDestination(_ destination: String) {
    guard settingsState.newcomers.removeValue(forKey: destination) != nil else { return }
    keepSettings(now: loop.now, atOnce: true)
  }

  /// Removes stored state about records that the opened log does not contain: it belongs to another log.
  func forgetForeignBatches() {
    settingsState.newcomers = settingsState.newcomers.filter { $0.value <= storeState.lastID.rawValue }
    for name in settingsState.destinationStates.keys {
      settingsState.destinationStates[name]?.held.removeAll { $0.through > storeState.lastID.rawValue }
    }
  }

  private func state(of destination: DestinationSettings) -> DestinationState {
    DestinationState(destination, form: RecordForm(destination, under: configuration))
  }
}
