import Quantities
import Records

/// The description of a batch for ``DeliveryMachine``. Its records and bytes belong to ``Delivery``.
public struct LoadedBatch: Equatable, Sendable {
  /// The end of the batch. All records up to it are acknowledged together.
  public var position: BatchPosition
  /// The requested number of records.
  public var size: Int
  /// The number of records.
  public var records: Int
  /// The number of records that can be sent. If it is 0, the batch is acknowledged without a request.
  public var features: Int
  /// True if the queue continues after the batch.
  public var hasMore: Bool
  public var boundary: Batch.Boundary
  /// The time of the newest location that can be sent; nil without one, and if all locations are sent.
  public var newestLocation: Timestamp?
  /// True if the batch has nothing to send but its newest location. A newer one makes it obsolete.
  public var hasOnlyLocations = false
  /// True if its locations are not sent: a later batch has a newer one.
  public var omitsLocations = false
  /// True for a held record that is sent again on its own.
  public var isHeld = false
  /// The first number for which the batch accounts; nil for late records.
  public var from: RecordID?

  public init(
    position: BatchPosition, size: Int, records: Int, features: Int, hasMore: Bool, boundary: Batch.Boundary
  ) {
    self.position = position
    self.size = size
    self.records = records
    self.features = features
    self.hasMore = hasMore
    self.boundary = boundary
  }

  /// The last record that the batch covers.
  public var through: RecordID { position.through }

  public var isFull: Bool { records >= size }

  /// True if loading `size` records again yields the same batch.
  ///
  /// A log that still counts in another batch size until the next acknowledgement supplies another number of records
  /// than requested.
  func isReproducible(size: Int) -> Bool {
    switch boundary {
    case .stored: true
    case .counted: records == size && size == self.size
    case .missing: false
    }
  }

  /// The batch once its boundary is stored.
  var withBatchBoundary: LoadedBatch {
    var batch = self
    batch.boundary = .stored
    return batch
  }
}

/// The batch after the one in progress, loaded in advance.
enum LookAhead: Equatable {
  case none, loading
  /// Requested, but it no longer follows the batch in progress: it is discarded when it arrives.
  case stale
  case ready(LoadedBatch)

  /// True if it will follow the batch in progress.
  var isExpected: Bool {
    switch self {
    case .none, .stale: false
    case .loading, .ready: true
    }
  }

  var isReady: Bool { if case .ready = self { true } else { false } }

  /// Returns the state of the batch that is now in progress; nothing follows it yet.
  mutating func advance() -> LookAhead {
    guard self != .stale else { return .stale }
    defer { self = .none }
    return self
  }

  /// Discards the batch; returns it if it is loaded.
  mutating func drop() -> LoadedBatch? {
    switch self {
    case .none, .stale: return nil
    case .loading:
      self = .stale
      return nil
    case .ready(let batch):
      self = .none
      return batch
    }
  }
}
