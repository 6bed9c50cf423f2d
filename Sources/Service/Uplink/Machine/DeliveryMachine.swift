import Quantities
import Records

/// The state machine of one delivery pipeline: decides which records are sent when, and when they count as delivered.
///
/// The machine performs no input or output. Its owner, ``Delivery``, passes every ``Event`` to ``handle(_:now:)``,
/// performs the returned ``Action`` values in order, and calls ``handleTimeout(now:)`` at ``nextTimeout``.
///
/// **Phases.** The machine is `idle` until the send interval or a full batch is due. `loading` requests the
/// oldest batch from the log, which stores its boundary at the same time if the batch is due. If required, `shortening`
/// cuts the batch, and `committingBatchBoundary` stores a boundary that the log has not stored with the batch.
/// `posting` waits for the response. A success leads to the next batch or back to idle, a failure to `backingOff`. The
/// phase `awaitingAcknowledgement` delays a batch until the log has stored an earlier acknowledgement.
///
/// **Events.** The log reports that it is readable or was reopened, that records have become durable, and the
/// completion of loading, shortening and committing. The transport reports a ``Verdict``. The daemon reports a request
/// to send now, the start of a movement, and changed settings.
///
/// **Actions.** Load or shorten a batch, commit a batch boundary, post a batch, acknowledge it and load the next, abandon
/// the running request, and report a ``DeliveryReport`` to the journal and the log.
///
/// **Durability.** Only durable records are sent. The log can reproduce a full batch by counting; the boundary of any
/// other batch is committed before its first byte is sent. After a crash the same batch is therefore sent again, byte
/// for byte. A batch is acknowledged once the server has confirmed it, or if nothing in it can be sent. The cursor
/// moves when the log has committed the acknowledgement, which `acknowledged` reports. Batch n+1 may be posted while
/// the acknowledgement of batch n is being committed; batch n+2 must wait for it. Except during a search for a rejected
/// record, a crash therefore repeats at most two confirmed batches.
///
/// **Rules.**
///
/// - One request at a time, oldest records first. The same batch is posted until it is accepted.
/// - Full batches follow each other immediately. Otherwise there is one attempt per send interval.
/// - After a failure the same batch is retried after a ``RetryDelay``.
/// - A batch whose content the server rejects repeatedly is halved until one record remains. That record is set aside once
///   the server has accepted another (see ``Isolation``).
public struct DeliveryMachine: Sendable {
  /// The rule that starts an attempt.
  public enum Pacing: Equatable, Sendable {
    /// Full batches immediately, an incomplete batch every send interval.
    case fullBatches
    /// The whole queue every send interval.
    case whenDue
  }

  /// The settings of the destination that affect the machine.
  public struct Settings: Equatable, Sendable {
    /// The maximum number of records in one request, 1 or more.
    public var batchSize = 200
    /// The time from one attempt to the next; nil if records are sent on request only.
    public var sendInterval: Duration? = .seconds(300)
    /// The time limit of one attempt, including redirects.
    public var timeout: Duration = .seconds(60)
    public var pacing = Pacing.fullBatches
    /// The maximum number of records that the format can carry in one request; nil for no limit.
    public var largestRequest: Int?
    /// True if only the newest record is sent. A failed batch is then replaced by newer records.
    public var isNewestOnly = false
    /// True on battery: after ``quickRetries`` retries the next attempt waits for the send interval or for a movement.
    public var savesEnergy = false
    public init() {}
  }

  /// The input of the machine.
  public enum Event: Equatable, Sendable {
    /// The log can be read.
    case started
    /// Further records can be sent, because they are durable and dated. `count` is their number; events do not count.
    case recordsDurable(count: Int)
    /// The log was reopened and may hold more records than were counted.
    case logReopened
    /// The response to ``Action/loadBatch(_:)``; nil if there is nothing to send.
    case batchLoaded(LoadedBatch?)
    /// The response to ``Action/commitBatchBoundary(at:)``: the batch boundary is on disk.
    case batchBoundaryCommitted(through: RecordID)
    /// The response to ``Action/shorten(_:to:)``.
    case shortened(LoadedBatch)
    /// The response to ``Action/post(_:attachCurrent:)``.
    case answered(Verdict)
    /// The response to ``Action/acknowledge(at:next:)``: the cursor is on disk.
    case acknowledged(through: RecordID)
    /// A request to send the whole queue now, or a network came up: interval and back-off are skipped.
    case sendNow
    /// The device was stationary and starts to move.
    case startedMoving
    case settingsChanged(Settings)
  }

  /// The output of the machine. Actions are performed in order.
  public enum Action: Equatable, Sendable {
    /// Load a batch.
    case loadBatch(BatchRequest)
    /// Store the boundary of a batch on disk that was loaded without one.
    case commitBatchBoundary(at: BatchPosition)
    /// Cut the batch to its first records.
    case shorten(LoadedBatch, to: Int)
    /// Send the batch, optionally with the newest fix as `current`.
    case post(LoadedBatch, attachCurrent: Bool)
    /// Cancel the running request. Its result is ignored.
    case abandonPost
    /// Store on disk that all records up to a position are delivered, and then load the batch `next`.
    case acknowledge(at: BatchPosition, next: BatchRequest?)
    /// Report a change of the delivery to the journal and the log.
    case report(DeliveryReport)
  }

  /// The state of the batch in progress.
  public enum Phase: Equatable, Sendable {
    /// Idle without a batch. The next attempt is not before `until`; nil if only on request.
    case idle(until: Moment?)
    /// Waiting for a batch from the log.
    case loading
    /// Waiting for the log to cut the batch to its first records.
    case shortening(LoadedBatch)
    /// Waiting for the batch boundary to be stored.
    case committingBatchBoundary(LoadedBatch)
    /// Ready to post, but two acknowledgements are not on disk yet.
    case awaitingAcknowledgement(LoadedBatch)
    /// Waiting for the response. The request is cancelled at `until`.
    case posting(LoadedBatch, until: Moment)
    /// The request failed. It is retried at `until`; nil if only on request.
    case backingOff(LoadedBatch, until: Moment?)
  }

  /// The batch after the one in progress, loaded in advance.
  enum Ahead: Equatable, Sendable {
    case none, loading
    case ready(LoadedBatch)
  }

  /// The boundaries of the batches whose content is still needed.
  public var batchesInProgress: [RecordID] {
    var ends: [RecordID] = []
    switch phase {
    case .shortening(let batch), .committingBatchBoundary(let batch), .awaitingAcknowledgement(let batch),
      .posting(let batch, _), .backingOff(let batch, _):
      ends.append(batch.through)
    case .idle, .loading: break
    }
    if case .ready(let batch) = ahead { ends.append(batch.through) }
    if let isolation {
      ends += (isolation.suspects.map(\.batch) + [isolation.probe].compactMap { $0 }).map(\.through)
    }
    return ends
  }

  public internal(set) var settings: Settings
  public internal(set) var phase = Phase.idle(until: nil)
  /// The number of failed attempts since the last success.
  public internal(set) var failures = 0
  /// The reason of the last failure; nil after a success.
  public internal(set) var lastRefusal: Refusal?

  /// The number of responses that were accepted without a confirmation in the body.
  public internal(set) var unconfirmedResponses = 0

  var ahead = Ahead.none
  /// True if the running load follows a batch that has been cut since: its result is discarded.
  var isAheadStale = false
  /// The number of consecutive rejections of the content of the batch in progress.
  var contentRefusals = 0
  /// The search for a record that the server rejects; nil while there is none.
  var isolation: Isolation?
  /// The maximum number of records per request that follows from a status 413 of the server.
  var sizeLimit: Int?
  /// The number of queued records after the batches in progress, or 1 if it is unknown.
  var waiting = 0
  /// The number of records since the last load completed: they are in no batch in progress.
  var arrived = 0
  /// True if the whole queue is sent regardless of the send interval.
  var sendsAll = false
  /// The start of the last attempt; nil before the first.
  public internal(set) var lastAttempt: Moment?
  /// The end of a `Retry-After` that an earlier machine received; nil once a batch was posted.
  var retryAfterEnd: Moment?
  /// The ends of the accepted batches whose acknowledgement is not on disk yet.
  var uncommitted: [BatchPosition] = []
  var backOff: RetryDelay

  /// Creates a machine that waits for ``Event/started``.
  ///
  /// `seed` spreads the retries of several devices. `past` is the state of the previous machine for the same server.
  public init(settings: Settings, seed: UInt64, past: Past? = nil) {
    self.settings = settings
    backOff = past?.backOff ?? RetryDelay(seed: seed)
    guard let past else { return }
    (failures, lastRefusal, unconfirmedResponses) = (
      past.failures, past.lastRefusal, past.unconfirmedResponses
    )
    retryAfterEnd = past.retryAfterEnd
  }

  /// The time at which to call ``handleTimeout(now:)``; nil while the machine waits for an event.
  public var nextTimeout: Moment? {
    switch phase {
    case .idle(let until): waiting > 0 ? until : nil
    case .posting(_, let until): until
    case .backingOff(_, let until): until
    case .loading, .shortening, .committingBatchBoundary, .awaitingAcknowledgement: nil
    }
  }

  /// The time of the next attempt; nil if the queue is empty or if records are sent on request only. Zero during an
  /// attempt.
  public var nextSend: Moment? {
    switch phase {
    case .idle(let until): waiting > 0 ? until : nil
    case .backingOff(_, let until): until
    case .loading, .shortening, .committingBatchBoundary, .awaitingAcknowledgement, .posting: .zero
    }
  }

  /// The maximum delay of a regular attempt or a retry, to share another wake-up.
  static let longestRoom = Duration.seconds(60)
  /// The delay is at most the waiting time divided by this number.
  private static let roomDivisor = 5

  /// The window of ``nextTimeout`` with its permitted delay, to share another wake-up. An attempt is never early:
  /// `Retry-After` and back-off are not shortened.
  public var nextWake: WakeWindow? {
    guard let due = nextTimeout else { return nil }
    switch phase {
    case .idle, .backingOff:
      let wait = lastAttempt.map { due - $0 } ?? .zero
      return WakeWindow(from: due, orLater: min(wait / Self.roomDivisor, Self.longestRoom))
    // Only a transport that exceeds its own timeout gets here.
    case .posting: return WakeWindow(from: due, orLater: Self.grace)
    case .loading, .shortening, .committingBatchBoundary, .awaitingAcknowledgement: return nil
    }
  }

  /// Processes an event and returns the actions to perform.
  public mutating func handle(_ event: Event, now: Moment) -> [Action] {
    Self.joined(react(to: event, now))
  }

  /// An acknowledgement and the request for the next batch are one action, and one job of the log.
  private static func joined(_ actions: [Action]) -> [Action] {
    guard case .loadBatch(let request)? = actions.last else { return actions }
    for (index, action) in actions.enumerated().reversed() {
      guard case .acknowledge(let position, next: nil) = action else { continue }
      var joined = actions.dropLast()
      joined[index] = .acknowledge(at: position, next: request)
      return Array(joined)
    }
    return actions
  }

  private mutating func react(to event: Event, _ now: Moment) -> [Action] {
    switch event {
    case .started: return start(now)
    case .recordsDurable(let count): return handleRecords(count, now)
    case .logReopened: return handleReopened(now)
    case .batchLoaded(let batch): return handleLoaded(batch, now)
    case .batchBoundaryCommitted(let through): return handleBatchBoundary(through, now)
    case .shortened(let batch): return handleShortened(batch, now)
    case .answered(let verdict): return handleVerdict(verdict, now)
    case .acknowledged(let through): return handleAcknowledged(through, now)
    case .sendNow: return sendNow(now)
    case .startedMoving: return retryEarly(now)
    case .settingsChanged(let settings): return change(settings, now)
    }
  }

  /// Processes the timeout that ``nextTimeout`` announced and returns the actions to perform.
  public mutating func handleTimeout(now: Moment) -> [Action] {
    Self.joined(endPhase(now))
  }

  private mutating func endPhase(_ now: Moment) -> [Action] {
    guard let due = nextTimeout, due <= now else { return [] }
    switch phase {
    case .idle: return load(now)
    case .posting(let batch, _):
      let refusal = Refusal(
        .outcomeUnknown,
        reason: "no response before the timeout; check the server's load or raise the timeout")
      return [.abandonPost] + fail(batch, refusal, now)
    case .backingOff(let batch, _): return retry(batch, now)
    case .loading, .shortening, .committingBatchBoundary, .awaitingAcknowledgement: return []
    }
  }

  /// True if a further batch must wait for an acknowledgement to be on disk.
  public var awaitsAcknowledgement: Bool { uncommitted.count > 1 }

  /// The maximum number of records in one request, considering settings and server.
  public var batchSize: Int { max(min(settings.batchSize, sizeLimit ?? .max), 1) }
}
