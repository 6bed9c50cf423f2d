import Formats
import Quantities
import Records

/// Renders batches in the format of one destination and sends them. Used on the loop's thread only.
public protocol BatchTransport: AnyObject {
  /// True if only the newest location of the queue is sent.
  var isNewestOnly: Bool { get }

  /// True if events are sent, too.
  var takesEvents: Bool { get }

  /// The rules by which batches end. Batches that may have been sent before the destination's present configuration are
  /// exempt: they keep their boundary and their format.
  var cut: BatchCut { get }

  /// Renders the records that can be sent, once: every attempt sends the same bytes.
  ///
  /// `range` is the part of the log that the batch covers; its end identifies the batch.
  func rendered(_ records: [StoredRecord], of range: BatchRange) -> RenderedBatch

  /// Starts an attempt. `completion` is called once, immediately or later, unless the attempt is abandoned. `answer` is
  /// the body of the response; it may be empty.
  func send(_ batch: OutgoingBatch, completion: @escaping (Verdict, _ answer: [UInt8]) -> Void)

  /// The HTTP status of the last response; nil without one, and for other protocols.
  var lastStatus: Int? { get }

  /// Cancels the running attempt; its completion is not called.
  func abandon()

  /// Ends the transport; no completion is called afterwards.
  func stop()
}

extension BatchTransport {
  public var lastStatus: Int? { nil }
}

/// A batch in the format of a destination.
public struct RenderedBatch: Sendable {
  /// The number of records that can be sent. If it is 0, there is no request.
  public var count: Int
  public var bytes: [UInt8]
  /// The records, for transports that need more than the bytes.
  public var records: [LogRecord]

  public init(count: Int, bytes: [UInt8], records: [LogRecord] = []) {
    self.count = count
    self.bytes = bytes
    self.records = records
  }
}

/// The input of one attempt: the batch and the data of the moment.
public struct OutgoingBatch {
  public var batch: RenderedBatch
  /// The newest stored fix if it is sent with the batch.
  public var current: OverlandFeature?
  /// The newest stored fix, for the markers of a URL.
  public var newest: OverlandFeature?
  /// The rendered object of a running trip.
  public var trip: [UInt8]?
  /// The rendered report of the device's health; nil if none is due.
  public var report: [UInt8]?
  /// The time limit of the attempt.
  public var deadline: Moment
  /// True if another attempt follows soon.
  public var keepsConnection: Bool
}
