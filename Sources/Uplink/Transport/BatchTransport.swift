import Formats
import Quantities
import Records

/// What carries batches to one destination, in the form that it takes. Belongs to the loop's thread.
public protocol BatchTransport: AnyObject {
  /// What the records are cut to before they are rendered.
  var cut: BatchCut { get }

  /// True for a batch that may have been sent before the destination was configured as it is: it keeps its end, and form.
  func holds(_ through: RecordID) -> Bool

  /// Renders what can be sent of the records, once: the bytes stay the same at every attempt. `through` is the last record
  /// that the batch covers, by which it is known again.
  func rendered(_ records: [StoredRecord], endingAt through: RecordID) -> RenderedBatch

  /// Starts an attempt. `completion` is called once, at once or later, unless the attempt is abandoned; `answer` is what
  /// the other side said, empty where it says nothing.
  func send(_ batch: OutgoingBatch, completion: @escaping (Verdict, _ answer: [UInt8]) -> Void)

  /// Nobody waits for the running attempt any more.
  func abandon()

  /// The destination is not needed any more; nothing is called afterwards.
  func stop()
}

/// How the records of a batch are chosen from what the log hands out.
public struct BatchCut: Equatable, Sendable {
  /// Of all locations that wait only the newest is wanted.
  public var isNewestOnly = false
  /// Records of one span of the clock only, and none of the span in progress.
  public var bucket: Duration?

  public init(isNewestOnly: Bool = false, bucket: Duration? = nil) {
    self.isNewestOnly = isNewestOnly
    self.bucket = bucket
  }
}

/// A batch as it goes out.
public struct RenderedBatch: Sendable {
  /// How many records can be sent; with none there is no request.
  public var count: Int
  public var bytes: [UInt8]
  /// The records themselves, for transports that write more than one piece.
  public var records: [LogRecord]

  public init(count: Int, bytes: [UInt8], records: [LogRecord] = []) {
    self.count = count
    self.bytes = bytes
    self.records = records
  }
}

/// One attempt: the batch, and what is true at the moment of sending.
public struct OutgoingBatch {
  public var batch: RenderedBatch
  /// The newest kept fix, where it goes along with the batch.
  public var current: OverlandFeature?
  /// The newest kept fix, for the markers of a URL.
  public var newest: OverlandFeature?
  /// The rendered object of a running trip.
  public var trip: [UInt8]?
  /// When an answer is of no use any more.
  public var deadline: Moment
  /// Another attempt follows soon.
  public var keepsConnection: Bool
}
