import Quantities
import Records
import Settings
import Store
import SystemLoop

/// What the logger knows of the log.
struct StoreState {
  var grouping = CommitGrouping(interval: .zero)
  var isOpen = false
  var lastID = RecordID.zero
  /// Records that the worker holds in memory because it cannot write.
  var waiting = 0
  /// Why the log cannot be written; nil while it can.
  var trouble: String?
  /// The watchdog's token that is under way.
  var tokenAsked: UInt64?
  /// Jobs that found the worker's queue full, oldest first.
  var refusedJobs: [StoreJob] = []
  /// Batches that were asked for by lanes that are stopped, by destination.
  var staleBatches: [String: Int] = [:]
  /// Records handed to the worker and not yet durable.
  var underWay: Int64 = 0
}

extension Logger {
  /// A group goes to the worker a little before it is due, so that it is durable by then.
  func armCommit() {
    let grouping = storeState.grouping
    guard storeState.isOpen, let due = grouping.nextTimeout else {
      commitTimer?.arm(at: nil)
      return
    }
    commitTimer?.arm(at: due, slack: grouping.slack)
  }

  /// Hands the group over. Without an open log it waits here, unless the worker is to have it all the same.
  func commit(now: Moment, evenUnopened: Bool = false) {
    guard storeState.isOpen || evenUnopened, !storeState.grouping.records.isEmpty else { return }
    var group = storeState.grouping.take()
    let dropped = storeState.grouping.takeDropped()
    if dropped > 0 {
      let event = EventRecord(.recordsDropped, detail: "the log could not keep up", value: dropped)
      group.append(
        LogRecord(
          moment: now, time: tracker.clock.timestamp(at: now), timeQuality: tracker.clock.quality,
          body: .event(event)))
    }
    if store.post(.append(group, urgent: isAnyoneWaitingForRecords(now: now))) {
      storeState.underWay += Int64(group.count)
    } else {
      // The worker is stuck behind slow flash: nothing is thrown away, the group is offered again.
      storeState.grouping.putBack(group, until: now + .seconds(1))
    }
    armCommit()
  }

  func takeAnswers(now: Moment) {
    for answer in store.takeAnswers() { handle(answer, now: now) }
  }

  private func handle(_ answer: StoreAnswer, now: Moment) {
    switch answer {
    case .opened(let report): opened(report, now: now)
    case .refused(let error): onFailure("\(error)")
    case .committed(let ids):
      let count = ids.upperBound.rawValue - ids.lowerBound.rawValue + 1
      storeState.lastID = ids.upperBound
      storeState.underWay = max(0, storeState.underWay - count)
      for lane in deliveries.values { lane.delivery?.recordsDurable(count: Int(clamping: count)) }
    case .batch(let destination, let batch): deliver(batch, to: destination)
    case .borderCommitted(let destination, let through, _):
      deliveries[destination]?.delivery?.borderCommitted(through: through)
    case .acknowledged(let destination, let through, _):
      deliveries[destination]?.acknowledged(through)
    case .dated(let count):
      guard count > 0 else { return }
      for lane in deliveries.values { lane.delivery?.recordsDurable(count: count) }
    case .registered, .status, .newestLocation, .closed: break
    case .token(let token, _): workerAnswered(token, now: now)
    case .expired(let report):
      if report.hasMore { expiryTimer?.arm(at: now + .seconds(1), slack: .seconds(1)) }
    case .damaged(let ids):
      journal.say(.warning, "\(ids.count) records of the log fail their checksum and are left out")
    case .failing(let reason, let waiting, let retryAfter):
      if storeState.trouble == nil {
        journal.say(
          .error,
          "\(reason); check the space and the medium of storage.directory; it is tried again all the time, "
            + "records wait in memory and nothing durable is lost")
      }
      storeState.trouble = reason
      storeState.waiting = waiting
      retryTimer?.arm(at: now + retryAfter, slack: .zero)
    case .recovered:
      journal.say(.notice, "the log can be written again")
      storeState.trouble = nil
      storeState.waiting = 0
      retryTimer?.arm(at: nil)
    }
  }

  /// Counts what could not be written, by what the worker said while the logger was leaving.
  func sayWhatIsLost(lastAnswers: [StoreAnswer]) {
    var lost = 0
    var reason = "the store is stuck"
    for answer in lastAnswers {
      if case .failing(let cause, let waiting, _) = answer { (reason, lost) = (cause, waiting) }
      if case .committed = answer { lost = 0 }
    }
    lost += storeState.grouping.records.count
    guard lost > 0 else { return }
    journal.say(.error, "\(reason); \(lost) records could not be written before the end")
  }

  private func opened(_ report: OpeningReport, now: Moment) {
    let isFirst = !storeState.isOpen
    storeState.isOpen = true
    storeState.lastID = report.lastID
    switch report.condition {
    case .created: journal.say(.notice, "a new log in \(configuration.storage.directory)")
    case .clean: break
    case .unclean: journal.say(.notice, "the log was not closed in good order; it is checked and whole")
    case .salvaged(let salvage):
      journal.say(
        .error,
        "the log was damaged (\(salvage.cause)): \(salvage.records) records are carried over, "
          + "\(salvage.missing) are missing; the damaged file is kept as \(salvage.setAside)")
    }
    guard isFirst else {
      // The writer still does every job that was under way, so the lanes go on where they are. A salvaged log may
      // hold more for them than they know of.
      for lane in deliveries.values { lane.delivery?.recordsDurable(count: 1) }
      return
    }
    tell(.started(lastLocation: report.newestLocation?.record), now: now)
    startDeliveries()
    startReceiver()
    expire(now: now)
    notification.ready(status: "logging")
    rearm()
  }

  func expire(now: Moment) {
    _ = store.post(.expire(now: tracker.clock.timestamp(at: now)))
    expiryTimer?.arm(at: now + Self.expiryInterval, slack: Self.expiryInterval / 2)
  }
}
