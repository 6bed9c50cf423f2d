import Quantities

/// One entry of the log, before it has a number.
public struct LogRecord: Equatable, Sendable {
  public enum Body: Equatable, Sendable {
    // The large ones stand apart: a record is handed on a dozen times before it is written.
    indirect case location(LocationRecord)
    case event(EventRecord)
    indirect case visit(VisitRecord)
    indirect case trip(TripRecord)
    indirect case action(ActionRecord)

    /// True for what destinations are sent; events stay on the device.
    public var isSent: Bool {
      switch self {
      case .location, .visit, .trip, .action: true
      case .event: false
      }
    }
  }

  /// When it happened, on the clock of the boot that wrote it.
  public var moment: Moment
  /// When it happened in UTC; nil until the time is known.
  public var time: Timestamp?
  /// What stands behind `time`; `none` while it is nil.
  public var timeQuality: ClockQuality
  public var body: Body

  public init(moment: Moment, time: Timestamp?, timeQuality: ClockQuality, body: Body) {
    self.moment = moment
    self.time = time
    self.timeQuality = time == nil ? .none : timeQuality
    self.body = body
  }
}

/// An entry as the log holds it.
public struct StoredRecord: Equatable, Sendable {
  public var id: RecordID
  /// Which boot wrote it: a number that grows with each boot the log has seen.
  public var boot: Int64
  public var record: LogRecord

  public init(id: RecordID, boot: Int64, record: LogRecord) {
    self.id = id
    self.boot = boot
    self.record = record
  }
}
