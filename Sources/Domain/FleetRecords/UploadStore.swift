/// The identity of a device in the database.
public struct DeviceNumber: Hashable, Sendable {
  public let value: Int32

  public init(_ value: Int32) { self.value = value }
}

/// What a bearer token permits.
public enum Access: Equatable, Sendable {
  /// The token of one device.
  case device(DeviceNumber)
  /// The token on a card image: creates devices of a cohort. `token` is its hash.
  case enrol(cohort: String, token: [UInt8] = [])
  /// Reads what `GET` serves.
  case read
  /// Reads, and changes devices and settings.
  case operate
  /// The token of a device that an operator disabled.
  case disabled
  /// No such token, or an expired one.
  case unknown
}

/// What became of an upload.
public enum UploadOutcome: Equatable, Sendable {
  /// All its rows are committed.
  case stored(Receipt)
  /// The upload can never be stored; `record` is the number of the faulty record, if known. The device sets it aside.
  case rejected(reason: String, record: Int64?)
  /// The enrolment was refused; the reason tells what an operator can do.
  case refused(reason: String)
  /// The enrolment token has made too many devices; it may be used again after the delay.
  case limited(delay: Duration)
  /// The database is away or slow; the device keeps the upload and repeats it.
  case unavailable
}

/// A question to a device.
public struct Question: Equatable, Sendable {
  public var id: Int64
  /// `position`, `report`, `why` or `doctor`.
  public var what: String

  public init(id: Int64, what: String) { (self.id, self.what) = (id, what) }
}

/// The answer to a committed upload.
public struct Receipt: Equatable, Sendable {
  /// Rows that are stored now.
  public var saved: Int
  /// Rows that were stored before.
  public var known: Int
  /// Rows older than the retention, which are acknowledged and not stored.
  public var expired: Int
  /// The highest record number up to which the log is accounted for, 0 if there is none; nil without record numbers.
  public var have: Int64?
  /// What the device shall set, as a JSON object in the form of remote settings; nil if nothing.
  public var settings: String?
  /// The settings whose values of this server the device shall take back.
  public var unset: [String]
  /// The hash that the device's settings will have afterwards; nil if nothing changes.
  public var settingsHash: String?
  /// The new token of the device, shown once, if the upload enrolled it.
  public var token: String?
  /// What the device shall answer; nil if nothing.
  public var question: Question?

  public init(
    saved: Int = 0, known: Int = 0, expired: Int = 0, have: Int64? = nil, settings: String? = nil,
    unset: [String] = [], settingsHash: String? = nil, token: String? = nil
  ) {
    self.saved = saved
    self.known = known
    self.expired = expired
    self.have = have
    self.settings = settings
    self.unset = unset
    self.settingsHash = settingsHash
    self.token = token
  }
}

/// The store behind the ingest server. Every completion is called exactly once, on the loop's thread, never within the
/// call.
public protocol UploadStore: AnyObject {
  /// Finds what a token permits; nil if the database is away.
  func access(forTokenHash hash: [UInt8], completion: @escaping (Access?) -> Void)

  /// Adds an upload to the open group of a connection. `access` is `device` or `enrol`. The completion is called after
  /// COMMIT. `.unavailable` at once if the store is full.
  func store(_ upload: Upload, access: Access, completion: @escaping (UploadOutcome) -> Void)

  /// Bytes of uploads that are not committed yet.
  var pendingBytes: Int { get }

  /// True if an upload has waited for the database for too long; other work of the loop does not count.
  var isSlow: Bool { get }

  /// True if a write succeeded within the last 10 s.
  var isHealthy: Bool { get }

  /// The reason why the database accepts no writes; nil if it does, or if the reason is unknown.
  var writeFault: WriteFault? { get }
}
