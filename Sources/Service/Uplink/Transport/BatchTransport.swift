import Formats
import Quantities
import Records

/// Renders batches in the format of one destination and sends them. Used on the loop's thread only.
public protocol BatchTransport: AnyObject {
  /// True if only the newest location of the queue is sent.
  var isNewestOnly: Bool { get }

  /// The events that are sent, too.
  var events: EventSelection { get }

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
  /// The messages, one per record of `records`, if the batch is sent as several; empty if it is sent as one.
  public var messages: [Message] = []

  /// One message of a batch that is sent as several.
  public struct Message: Equatable, Sendable {
    /// The record in the message.
    public var id: RecordID
    /// The position of its bytes in ``RenderedBatch/bytes``.
    public var range: Range<Int>

    public init(id: RecordID, range: Range<Int>) {
      self.id = id
      self.range = range
    }
  }

  public init(count: Int, bytes: [UInt8], records: [LogRecord] = []) {
    self.count = count
    self.bytes = bytes
    self.records = records
  }

  /// A part of a batch that is sent as several messages.
  func part(_ part: Range<Int>) -> RenderedBatch {
    let part = part.clamped(to: messages.indices)
    let start = part.isEmpty ? 0 : messages[part.lowerBound].range.lowerBound
    let end = part.isEmpty ? 0 : messages[part.upperBound - 1].range.upperBound
    var rendered = RenderedBatch(
      count: part.count, bytes: Array(bytes[start..<end]), records: Array(records[part]))
    rendered.messages = messages[part].map {
      Message(id: $0.id, range: $0.range.lowerBound - start..<$0.range.upperBound - start)
    }
    return rendered
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
  /// Called with the length of the unbroken run of confirmed messages from the first on, while it grows. It never is
  /// for a batch that is sent as one message.
  public var onProgress: (_ confirmed: Int) -> Void = { _ in }
}
