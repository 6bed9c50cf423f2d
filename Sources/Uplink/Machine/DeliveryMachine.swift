import Quantities
import Records

/// Decides when which records go to one destination, and when they count as delivered.
///
/// It performs nothing: feed it what happened, carry out the actions in their order, and call
/// ``handleTimeout(now:)`` at ``nextTimeout``. What it keeps to:
///
/// - One request at a time, oldest records first. The same batch is posted until it is accepted.
/// - A batch that the log could not load again by itself (one that is not full) has its end committed before
///   its first byte is sent.
/// - Batch n+1 may be posted while the acknowledgement of n is being committed, n+2 only after that.
/// - While full batches wait, one follows the other at once; otherwise one attempt each send interval.
/// - After a failure the same batch is tried again by ``BackOff``.
/// - A batch whose content the server refuses again and again is cut until the refused record stands alone; that one
///   is set aside once the server has taken another (see ``Isolation``).
public struct DeliveryMachine: Sendable {
  /// When records go.
  public enum Pacing: Equatable, Sendable {
    /// Full batches at once, the rest each send interval.
    case fullBatches
    /// Everything that waits, each send interval.
    case whenDue
  }

  public struct Settings: Equatable, Sendable {
    /// Most records in one request, 1 or more.
    public var batchSize = 200
    /// From one attempt to the next; nil: nothing is sent but on request.
    public var sendInterval: Duration? = .seconds(300)
    /// For one attempt, redirects included.
    public var timeout: Duration = .seconds(60)
    public var pacing = Pacing.fullBatches
    /// Most records that one request can hold; nil: as many as the log hands out.
    public var largestRequest: Int?
    /// A batch that failed makes way for newer records: only the newest is wanted.
    public var isNewestOnly = false
    /// After a few quick retries the next attempt waits for the interval or for the box to move off: for a battery.
    public var savesEnergy = false
    public init() {}
  }

  public enum Event: Equatable, Sendable {
    /// The log can be read.
    case started
    /// So many more records can be sent: they are durable and have a time. Events of the log are none.
    case recordsDurable(count: Int)
    /// The log was opened again and may hold more than was counted.
    case logReopened
    /// The answer to ``Action/loadBatch(after:size:)``; nil: nothing waits.
    case batchLoaded(LoadedBatch?)
    case borderCommitted(through: RecordID)
    /// The answer to ``Action/shorten(_:to:)``.
    case shortened(LoadedBatch)
    /// The answer to ``Action/post(_:attachCurrent:)``.
    case answered(Verdict)
    case acknowledged(through: RecordID)
    /// Somebody wants everything sent now, or a network came up: no interval, no waiting after a failure.
    case sendNow
    /// The box, which rested, moves off.
    case movedOff
    case settingsChanged(Settings)
  }

  public enum Action: Equatable, Sendable {
    /// Load the oldest records behind `after` (nil: behind what the log holds for acknowledged), up to the
    /// committed border if one lies ahead.
    case loadBatch(after: RecordID?, size: Int)
    /// Put on disk that a batch ends here.
    case commitBorder(through: RecordID)
    /// Keep only the first so many records of the batch.
    case shorten(LoadedBatch, to: Int)
    case post(LoadedBatch, attachCurrent: Bool)
    /// Nobody waits for the running request any more.
    case abandonPost
    /// Put on disk that everything up to here is delivered.
    case acknowledge(through: RecordID)
    case report(DeliveryReport)
  }

  public enum Phase: Equatable, Sendable {
    /// Nothing in hand. The next attempt is not before `until`; nil: only on request.
    case resting(until: Moment?)
    case loading
    /// Being cut to its first records.
    case shortening(LoadedBatch)
    case committingBorder(LoadedBatch)
    /// Ready, but two acknowledgements are not on disk yet.
    case awaitingAcknowledgement(LoadedBatch)
    case posting(LoadedBatch, until: Moment)
    /// Failed; tried again at `until`; nil: only on request.
    case backingOff(LoadedBatch, until: Moment?)
  }

  /// The batch behind the one in hand.
  enum Ahead: Equatable, Sendable {
    case none, loading
    case ready(LoadedBatch)
  }

  /// The ends of the batches whose content is still needed.
  public var batchesInHand: [RecordID] {
    var ends: [RecordID] = []
    switch phase {
    case .shortening(let batch), .committingBorder(let batch), .awaitingAcknowledgement(let batch),
      .posting(let batch, _), .backingOff(let batch, _):
      ends.append(batch.through)
    case .resting, .loading: break
    }
    if case .ready(let batch) = ahead { ends.append(batch.through) }
    if let isolation {
      ends += (isolation.suspects.map(\.batch) + [isolation.probe].compactMap { $0 }).map(\.through)
    }
    return ends
  }

  public internal(set) var settings: Settings
  public internal(set) var phase = Phase.resting(until: nil)
  /// Failed attempts since the last success.
  public internal(set) var failures = 0
  /// Why the last attempt failed; nil after a success.
  public internal(set) var lastRefusal: Refusal?

  /// How many answers were odd and taken for success all the same.
  public internal(set) var oddAnswers = 0

  var ahead = Ahead.none
  /// The load under way was asked for behind a batch that has been cut since: its answer is not wanted.
  var isAheadStale = false
  /// How often in a row the server refused the content of the batch in hand.
  var contentRefusals = 0
  /// The search for a record that the server does not like; nil while there is none.
  var isolation: Isolation?
  /// Most records that the server takes at a time, as it showed by 413.
  var sizeLimit: Int?
  /// Records known to wait behind the batches in hand, or 1 if that is unknown.
  var waiting = 0
  /// Records that came since the last load was answered: surely not in any batch in hand.
  var arrived = 0
  /// Everything is to go, whatever the interval says.
  var sendsAll = false
  /// When the last attempt began; nil before the first.
  public internal(set) var lastAttempt: Moment?
  /// The server asked an earlier machine to be left alone until then; nil once something was posted.
  var heldUntil: Moment?
  var lastAccepted: RecordID?
  var uncommitted: [RecordID] = []
  var backOff: BackOff

  /// `seed` spreads the retries of several devices. `past` is of the machine that served the same server before.
  public init(settings: Settings, seed: UInt64, past: Past? = nil) {
    self.settings = settings
    backOff = past?.backOff ?? BackOff(seed: seed)
    guard let past else { return }
    (failures, lastRefusal, oddAnswers) = (past.failures, past.lastRefusal, past.oddAnswers)
    heldUntil = past.heldUntil
  }

  /// When ``handleTimeout(now:)`` is wanted; nil while only an event can change anything.
  public var nextTimeout: Moment? {
    switch phase {
    case .resting(let until): waiting > 0 ? until : nil
    case .posting(_, let until): until
    case .backingOff(_, let until): until
    case .loading, .shortening, .committingBorder, .awaitingAcknowledgement: nil
    }
  }

  /// When the next attempt is due; nil if nothing waits, or if only a command causes one. Now, or earlier, while one is
  /// under way.
  public var nextSend: Moment? {
    switch phase {
    case .resting(let until): waiting > 0 ? until : nil
    case .backingOff(_, let until): until
    case .loading, .shortening, .committingBorder, .awaitingAcknowledgement, .posting: .zero
    }
  }

  /// How much later than due a regular attempt or a retry may be, at most.
  static let longestRoom = Duration.seconds(60)
  /// That room is this part of the time waited for.
  private static let roomDivisor = 5

  /// ``nextTimeout`` with the room it has, to join another wake-up. Nothing is ever early: neither what the server asked
  /// to wait nor the drawn wait after a failure is cut.
  public var nextWake: WakeWindow? {
    guard let due = nextTimeout else { return nil }
    switch phase {
    case .resting, .backingOff:
      let wait = lastAttempt.map { due - $0 } ?? .zero
      return WakeWindow(from: due, orLater: min(wait / Self.roomDivisor, Self.longestRoom))
    // Only a transport that does not keep to its time comes here.
    case .posting: return WakeWindow(from: due, orLater: Self.grace)
    case .loading, .shortening, .committingBorder, .awaitingAcknowledgement: return nil
    }
  }

  public mutating func handle(_ event: Event, now: Moment) -> [Action] {
    switch event {
    case .started: return start(now)
    case .recordsDurable(let count): return noteRecords(count, now)
    case .logReopened: return noteReopened(now)
    case .batchLoaded(let batch): return noteLoaded(batch, now)
    case .borderCommitted(let through): return noteBorder(through, now)
    case .shortened(let batch): return noteShortened(batch, now)
    case .answered(let verdict): return noteAnswer(verdict, now)
    case .acknowledged(let through): return noteAcknowledged(through, now)
    case .sendNow: return sendNow(now)
    case .movedOff: return moveOff(now)
    case .settingsChanged(let settings): return change(settings, now)
    }
  }

  public mutating func handleTimeout(now: Moment) -> [Action] {
    guard let due = nextTimeout, due <= now else { return [] }
    switch phase {
    case .resting: return load()
    case .posting(let batch, _):
      let refusal = Refusal(
        .outcomeUnknown,
        reason: "no response before the timeout; check the server's load or raise the timeout")
      return [.abandonPost] + fail(batch, refusal, now)
    case .backingOff(let batch, _): return retry(batch, now)
    case .loading, .shortening, .committingBorder, .awaitingAcknowledgement: return []
    }
  }

  /// Most records in one request, as things are.
  public var batchSize: Int { max(min(settings.batchSize, sizeLimit ?? .max), 1) }
}
