import Quantities

/// A record before it is stored, without an id.
public struct LogRecord: Equatable, Sendable {
  /// The content of a record, by kind.
  public enum Body: Equatable, Sendable {
    // Large bodies are indirect, because a record is passed on a dozen times before it is written.
    indirect case location(LocationRecord)
    case event(EventRecord)
    indirect case visit(VisitRecord)
    indirect case trip(TripRecord)
    indirect case action(ActionRecord)

    /// True if records of this kind are sent to every destination; events are sent only to those that take them.
    public var isSent: Bool {
      switch self {
      case .location, .visit, .trip, .action: true
      case .event: false
      }
    }
  }

  /// Time on the boot clock of the boot that wrote the record.
  public var moment: Moment
  /// Time in UTC; nil while unknown.
  public var time: Timestamp?
  /// The origin of `time`; `none` while it is nil.
  public var timeQuality: ClockQuality
  public var body: Body

  public init(moment: Moment, time: Timestamp?, timeQuality: ClockQuality, body: Body) {
    self.moment = moment
    self.time = time
    self.timeQuality = time == nil ? .none : timeQuality
    self.body = body
  }
}

/// A record as it is stored in the log.
public struct StoredRecord: Equatable, Sendable {
  public var id: RecordID
  /// The number of the boot that wrote it; it increases with every boot in which the log is opened.
  public var boot: Int64
  public var record: LogRecord

  public init(id: RecordID, boot: Int64, record: LogRecord) {
    self.id = id
    self.boot = boot
    self.record = record
  }
}
