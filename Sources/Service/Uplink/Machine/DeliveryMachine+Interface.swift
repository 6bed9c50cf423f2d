import Quantities
import Records

extension DeliveryMachine {
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
    /// True if a requested attempt is repeated after a failure although records are sent on request only.
    public var retriesRequests = false
    /// True on battery: after ``quickRetries`` retries the next attempt waits for the send interval or for a movement.
    public var savesEnergy = false
    /// True if the next batch is loaded during a request, and sent before the response is evaluated any further.
    public var looksAhead = true
    /// The longest time without a contact: then a request without records is sent. Nil for none.
    public var checkIn: Duration?

    /// The longest time from a contact to the next one, also without records; nil if there may be none.
    public var longestSilence: Duration? {
      guard let checkIn, let sendInterval else { return nil }
      return max(checkIn, sendInterval)
    }

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
    /// The server has confirmed the first records of the batch in progress, which is sent as several messages. `rest` is
    /// the other part of it.
    case partlyAccepted(front: LoadedBatch, rest: LoadedBatch)
    /// The response to ``Action/acknowledge(at:next:)``: the cursor is on disk.
    case acknowledged(through: RecordID)
    /// The records that the log holds for the destination, or that are sent once more before they are deleted.
    case held([HeldRecord], isLastChance: Bool)
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
    /// Cut the batch to its first records, or remove its locations if ``LoadedBatch/omitsLocations`` is set.
    case shorten(LoadedBatch, to: Int)
    /// Send the batch, optionally with the newest fix as `current`.
    case post(LoadedBatch, attachCurrent: Bool)
    /// Cancel the running request. Its result is ignored.
    case abandonPost
    /// Store on disk that all records up to a position are delivered, and then load the batch `next`. The position may
    /// contain a change of a held record.
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
    /// Waiting for the batch to be cut to its first records, or to lose its locations.
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
}
