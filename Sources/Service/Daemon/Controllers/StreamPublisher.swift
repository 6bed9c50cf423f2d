import GNSSProtocol
import History
import LocalAPI
import Quantities
import Records
import Store
import Tracking

/// Decides what the clients of the event stream get, and when. Without a client it does nothing, and it never causes a
/// wake-up: everything is published at the end of a wake-up that has another cause.
final class StreamPublisher {
  /// Handlers, set before the first client.
  struct Outputs {
    var publish: (StreamEvent) -> Void = { _ in }
    var status: () -> StatusReport? = { nil }
    var tracker: (Moment) -> TrackerMessage? = { _ in nil }
    /// Returns what the message about the tracker depends on, except for its numbers and its evidence.
    var trackerMark: () -> TrackerMark? = { nil }
    var destinations: (Moment) -> [StatusReport.Destination] = { _ in [] }
    /// Returns the response to `GET /trips`.
    var trip: () -> [UInt8] = { [] }
    /// Requests an inspection of the log, which counts the queues.
    var inspectLog: () -> Void = {}
  }

  /// The shortest time between two messages about a destination, and between two statuses.
  private static let pause = Duration.seconds(1)
  /// The longest time until a change shows that no mark announces, such as a reason with other evidence.
  fileprivate static let longestDelay = Duration.seconds(30)
  /// The longest time until the figures of new epochs and records follow in a status.
  private static let statusInterval = Duration.seconds(120)
  /// The interval of the messages about a running trip.
  private static let tripInterval = Duration.seconds(30)

  var outputs = Outputs()
  /// True while the stream has a client.
  private(set) var isWatched = false
  /// True while the clients know that the host sleeps.
  private(set) var isHostAsleep = false
  private var epochs = EpochMessages()
  private var events = PendingEvents()
  private var raw = RawMessages()
  private var tracker = PublishedTracker()
  private var queues = PublishedQueues()
  private var trip: (isRunning: Bool, at: Moment)?
  private var status = PublishedStatus()
  private var inspection = LogInspection()
  private let rows = EventRows()

  /// Follows the clients of the stream. The first one gets the status from the stream itself.
  func follow(hasClients: Bool, now: Moment) {
    guard hasClients != isWatched else { return }
    isWatched = hasClients
    (epochs, events, raw, tracker) = (EpochMessages(), PendingEvents(), RawMessages(), PublishedTracker())
    (queues, trip, inspection, status) = (PublishedQueues(), nil, LogInspection(), PublishedStatus(at: now))
    guard hasClients else { return }
    requestInspection(now: now)
    _ = tracker.isNew(outputs.tracker(now))
    for destination in outputs.destinations(now) {
      queues.last[destination.name] = PublishedQueue(destination, now)
    }
  }

  // MARK: What happened

  /// An epoch was processed. `totals` are the rejections so far; `isPrivate` is true in a privacy zone.
  func epoch(_ fix: Fix, totals: [Rejection: RejectionLedger.Entry], isPrivate: Bool) {
    guard isWatched else { return }
    status.hasNews = true
    epochs.add(fix, totals, isPrivate: isPrivate)
  }

  /// A location is kept, of the epoch that is being processed.
  func kept(_ reasons: KeepReasons) {
    guard isWatched else { return }
    epochs.keep(reasons)
  }

  /// Records were passed to the log, which has `before` of earlier groups that are not durable.
  func posted(_ records: [LogRecord], after before: Int64) {
    guard isWatched else { return }
    status.hasNews = true
    events.add(records, after: before)
  }

  /// Records are durable and have these IDs.
  func committed(_ ids: ClosedRange<RecordID>) {
    guard isWatched else { return }
    for stored in events.committed(ids) {
      guard let json = rows.json(of: stored) else { continue }
      outputs.publish(.event(id: stored.id.rawValue, json))
    }
  }

  /// The receiver reported its satellites.
  func satellites(_ sky: [UInt8]) {
    guard isWatched else { return }
    outputs.publish(.sky(sky))
  }

  /// The receiver sent a message.
  func line(_ line: String, now: Moment) {
    guard isWatched else { return }
    raw.add(line, now: now)
  }

  /// The log was inspected: the lengths of the queues are known.
  func logInspected() {
    guard isWatched else { return }
    inspection.answered()
    queueChanged()
  }

  /// A destination has sent or refused something, or its queue has changed.
  func queueChanged() { queues.isDue = isWatched }

  /// Something changed that no other message covers.
  func statusChanged() { status.isDue = isWatched }

  /// The clients know that the host sleeps: nothing follows until ``hostIsAwake()``.
  func hostSleeps() { isHostAsleep = true }

  /// The host is awake again, or stays awake after all: a status follows.
  func hostIsAwake() {
    guard isHostAsleep else { return }
    isHostAsleep = false
    statusChanged()
  }

  // MARK: The end of a wake-up

  /// Publishes what the wake-up has changed. In a privacy zone the receiver's lines are discarded: they were read
  /// before their position was known to be in it.
  func turn(isTripRunning: Bool, isPrivate: Bool, now: Moment) {
    guard isWatched, !isHostAsleep else { return }
    if let lines = raw.take(), !isPrivate { outputs.publish(.raw(lines)) }
    if let fixes = epochs.take() { outputs.publish(.fix(fixes)) }
    if tracker.isDue(outputs.trackerMark(), now: now), let message = tracker.changed(outputs.tracker(now)),
      let json = message.json
    {
      outputs.publish(.tracker(json))
    }
    publishTrip(isRunning: isTripRunning, now: now)
    if queues.take(now: now) { publishQueues(now: now) }
    publishStatus(now: now)
  }

  private func publishStatus(now: Moment) {
    let age = now - status.at
    guard status.isDue ? age >= Self.pause : status.hasNews && age >= Self.statusInterval,
      let json = outputs.status()?.json
    else { return }
    status = PublishedStatus(at: now)
    outputs.publish(.status(json))
    if inspection.age(now: now).map({ $0 >= Self.statusInterval }) ?? true { requestInspection(now: now) }
  }

  private func publishTrip(isRunning: Bool, now: Moment) {
    let isChanged = trip.map { $0.isRunning != isRunning } ?? isRunning
    let isDue = isRunning && trip.map { now - $0.at >= Self.tripInterval } ?? true
    if trip == nil { trip = (isRunning, now) }
    guard isChanged || isDue else { return }
    trip = (isRunning, now)
    outputs.publish(.trip(outputs.trip()))
  }

  private func publishQueues(now: Moment) {
    defer { inspection.isNew = false }
    let changed = outputs.destinations(now).filter { queues.last[$0.name]?.covers($0) != true }
    // The message follows with the length of the queue, unless the log does not answer.
    if !changed.isEmpty, !inspection.isNew, !inspection.isAwaited, requestInspection(now: now) { return }
    for destination in changed {
      let last = queues.last[destination.name]
      guard inspection.isNew || last.map({ now - $0.at >= Self.pause }) ?? true, let json = destination.json
      else {
        // It is looked at again when the pause is over.
        queues.isDue = true
        continue
      }
      queues.last[destination.name] = PublishedQueue(destination, now)
      outputs.publish(.queue(json))
      if !inspection.isNew { inspection.isRequired = true }
    }
    if inspection.isRequired, !requestInspection(now: now) { queues.isDue = true }
  }

  /// Requests an inspection of the log, unless the last one was short ago.
  @discardableResult private func requestInspection(now: Moment) -> Bool {
    guard inspection.request(now: now) else { return false }
    outputs.inspectLog()
    return true
  }
}

/// When the log is inspected for the lengths of the queues.
private struct LogInspection {
  /// The shortest time between two.
  private static let pause = Duration.seconds(10)

  private var requestedAt: Moment?
  /// True if the log has not answered the last request.
  private(set) var isAwaited = false
  /// True if it has answered since the last message about a queue.
  var isNew = false
  /// True if a message about a queue followed without an inspection since the last request.
  var isRequired = false

  /// The time since the last request; nil before the first.
  func age(now: Moment) -> Duration? { requestedAt.map { now - $0 } }

  /// Returns true if the log is to be inspected now.
  mutating func request(now: Moment) -> Bool {
    guard age(now: now).map({ $0 >= Self.pause }) ?? true else { return false }
    (requestedAt, isAwaited, isRequired) = (now, true, false)
    return true
  }

  mutating func answered() { (isAwaited, isNew) = (false, true) }
}

/// What announces another message about the tracker; cheap to compare.
struct TrackerMark: Equatable {
  var state: ReportedReceiverState
  var since: Moment?
  var motionSince: Moment?
  var motion: MotionStates?
  var isPrivate: Bool
  var hasFault: Bool
}

/// The last message about the receiver, without what changes all the time.
private struct PublishedTracker {
  private var last: TrackerMessage?
  private var mark: TrackerMark?
  private var lookedAt: Moment?

  /// True if a message is to be compared with the last one; it then counts as compared.
  mutating func isDue(_ mark: TrackerMark?, now: Moment) -> Bool {
    guard mark != self.mark || lookedAt.map({ now - $0 >= StreamPublisher.longestDelay }) ?? true else {
      return false
    }
    (self.mark, lookedAt) = (mark, now)
    return true
  }

  /// Returns true and keeps the message if it differs from the last one.
  mutating func isNew(_ message: TrackerMessage?) -> Bool {
    guard var next = message else { return false }
    next.tracker.since_s = nil
    next.tracker.next_check_in_s = nil
    next.tracker.acquisition_ends_in_s = nil
    next.tracker.signal_dBHz = nil
    next.tracker.reason.removeAll { $0.isNumber || $0 == "." }
    next.motion?.since_s = nil
    next.motion?.steps = nil
    guard next != last else { return false }
    last = next
    return true
  }

  /// The message if it differs from the last one.
  mutating func changed(_ message: TrackerMessage?) -> TrackerMessage? { isNew(message) ? message : nil }
}

/// The last status.
private struct PublishedStatus {
  var at = Moment.zero
  /// True if something changed that no other message covers.
  var isDue = false
  /// True if an epoch or a record followed, whose figures are in no other message.
  var hasNews = false
}

/// The last messages about the destinations.
private struct PublishedQueues {
  var last: [String: PublishedQueue] = [:]
  /// True if the destinations are to be compared at the end of the wake-up.
  var isDue = false
  private var lookedAt: Moment?

  /// True if the destinations are to be compared with the last messages; they then count as compared.
  mutating func take(now: Moment) -> Bool {
    guard isDue || lookedAt.map({ now - $0 >= StreamPublisher.longestDelay }) ?? true else { return false }
    (isDue, lookedAt) = (false, now)
    return true
  }
}

/// The last message about a destination, without its ages.
private struct PublishedQueue {
  private let last: StatusReport.Destination
  let at: Moment

  init(_ destination: StatusReport.Destination, _ now: Moment) {
    (last, at) = (Self.withoutAges(destination), now)
  }

  func covers(_ destination: StatusReport.Destination) -> Bool { Self.withoutAges(destination) == last }

  private static func withoutAges(_ destination: StatusReport.Destination) -> StatusReport.Destination {
    var bare = destination
    bare.last_success_age_s = nil
    bare.last_sent_age_s = nil
    bare.last_attempt_age_s = nil
    bare.last_answer_age_s = nil
    bare.next_send_in_s = nil
    bare.next_in_s = nil
    return bare
  }
}
