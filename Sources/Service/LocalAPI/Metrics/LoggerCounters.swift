import Quantities
import Records
import Tracking

/// The figures of the metrics that the status does not have. Absent values are unknown.
public struct LoggerCounters: Equatable, Sendable {
  /// The class of a response to an attempt to send.
  public enum Response: String, Sendable, CaseIterable {
    case success = "2xx"
    case redirected = "3xx"
    case clientError = "4xx"
    case serverError = "5xx"
    /// There was no HTTP response, or the destination is a broker or a directory.
    case none

    public init(status: Int?) {
      switch status {
      case .some(200...299): self = .success
      case .some(300...399): self = .redirected
      case .some(400...499): self = .clientError
      case .some(500...599): self = .serverError
      case .some, nil: self = .none
      }
    }
  }

  /// The causes of writes to storage.
  public enum WriteCause: String, Sendable, CaseIterable {
    case log, files, other
  }

  /// The process of the logger.
  public struct Process: Equatable, Sendable {
    /// The built-in board, or `file` for a file of the operator.
    public var board = ""
    /// The start of the logger and of its process; nil while the date is unknown.
    public var start: Timestamp?
    public var processStart: Timestamp?
    public var openFiles: Int?

    public init() {}
  }

  /// The receiver.
  public struct Receiver: Equatable, Sendable {
    /// True without a fault; nil while tracking is off.
    public var isUp: Bool?
    public var frames: Int64?
    public var checksumErrors: Int64?
    public var starts: Int64?
    public var failedAcquisitions: Int64?
    public var timeToFirstFix: Duration?
    /// The time since the last epoch with a fix; nil before the first of this run.
    public var fixAge: Duration?

    public init() {}
  }

  /// The log.
  public struct Log: Equatable, Sendable {
    public var commits: Int64?
    /// The longest commit since the last time that the figures were read.
    public var slowestCommit: Duration?
    /// The bytes that the process has written.
    public var written: [WriteCause: Int64]?

    public init() {}
  }

  /// A destination.
  public struct Destination: Equatable, Sendable {
    /// The queue as of the last inspection of the log, and the time of its oldest record.
    public var queued: Int?
    public var oldestQueued: Timestamp?
    public var lastSuccess: Timestamp?
    /// The attempts to send by response, and the bytes of their records before compression.
    public var attempts: [Response: Int64] = [:]
    public var bytes: Int64 = 0
    /// The number of records that were set aside.
    public var setAside: Int64 = 0

    public init() {}
  }

  public var process = Process()
  public var receiver = Receiver()
  public var log = Log()
  public var destinations: [String: Destination] = [:]
  /// The events of this run by kind.
  public var events: [EventKind: Int64] = [:]
  public var rejections: [Rejection: Int64] = [:]
  /// The distance travelled, in metres, over all runs.
  public var odometer: Double?
  /// The periods of this run without a location.
  public var gaps: Int64?
  public var clockQuality: ClockQuality?
  /// The time of the receiver less that of the system clock.
  public var clockOffset: Duration?

  public init() {}
}
