import Database
import Quantities
import Records

/// What the local API can ask of a logger. Called on the loop's thread; no answer may take long.
public protocol LoggerControls: AnyObject {
  var status: StatusReport { get }
  /// Every setting, as `GET /settings` answers it: one JSON object.
  var settings: String { get }
  /// Sets what the JSON object of a `PATCH /settings` says, or takes it back: all of it or nothing.
  /// `queue` says what becomes of what waits for a destination whose address changes; without it such a change is refused.
  func changeSettings(_ body: [UInt8], queue: QueueWish?) -> ControlOutcome
  /// Sends what waits now, to all destinations or to one, and a fresh position where the last one is old.
  func send(to destination: String?) -> ControlOutcome
  /// Gives up what waits for a destination; it stays in the log.
  func dropQueue(of destination: String) -> ControlOutcome
  func trip(_ request: TripRequest) -> ControlOutcome
  /// Asks the receiver once which satellites it receives; the status has the answer, later.
  func askForSatellites() -> ControlOutcome
  /// What the box drew from the day of `since` on; nil: all that is known.
  func energy(since: Timestamp?) -> StatusReport.Energy
  /// What may be told today of records of the log, in their order: nothing of a place that is private by now.
  func disclosed(_ records: [StoredRecord]) -> [StoredRecord]
  /// Where the log is read.
  var logDirectory: String { get }
  /// A history cannot be read on; its answer breaks off. Damage is to be looked into.
  func historyFailed(_ error: DatabaseError)
  /// Somebody asks: called before each answer.
  func wasAsked()
}

/// What came of asking a logger for something.
public enum ControlOutcome: Equatable, Sendable {
  /// One JSON object.
  case done(String)
  case refused(Problem)
}

/// What an operator wants of trips.
public enum TripRequest: Equatable, Sendable {
  /// In the mode `trip_mode` where none is named.
  case start(mode: String?)
  case stop
  case mode(String)
  case status
}

/// Why the local API does not do what it was asked for (RFC 9457).
public struct Problem: Equatable, Sendable {
  public var status: Int
  /// One sentence with the remedy.
  public var detail: String
  /// Each fault, where there may be several.
  public var errors: [String]

  public init(_ status: Int, _ detail: String, errors: [String] = []) {
    self.status = status
    self.detail = detail
    self.errors = errors
  }

  /// What the status code stands for (RFC 9110, section 15).
  var title: String {
    switch status {
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 409: "Conflict"
    case 408: "Request Timeout"
    case 413: "Content Too Large"
    case 414: "URI Too Long"
    case 415: "Unsupported Media Type"
    case 422: "Unprocessable Content"
    case 431: "Request Header Fields Too Large"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 503: "Service Unavailable"
    default: "Error"
    }
  }
}
