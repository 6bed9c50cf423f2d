import FleetRecords
import Quantities

/// Knows if the database accepts writes, for the health check of a load balancer: by the uploads that were committed, and by
/// a test write every 5 s.
public struct WriteHealth: Equatable, Sendable {
  /// The age of the last successful write at which the database counts as unable to write.
  public static let limit = Duration.seconds(10)
  /// The time between two test writes.
  public static let testInterval = Duration.seconds(5)
  /// The time after which a test that failed is repeated.
  public static let retryInterval = Duration.seconds(1)
  /// The time for which a failed upload counts. A load balancer sends no further ones, so nobody would know when they
  /// succeed again.
  public static let failureTime = Duration.seconds(60)

  private var lastWrite: Moment?
  private var lastStored: Moment?
  private var lastFailure: Moment?
  private var nextTest = Moment.zero
  private var testStart: Moment?
  /// The reason why the last test write failed.
  public private(set) var fault: WriteFault?

  /// The state of a new connection: nothing was written yet.
  public init() {}

  // MARK: Uploads

  public mutating func uploadStored(now: Moment) {
    (lastWrite, lastStored, lastFailure) = (now, now, nil)
  }

  /// The database rejected an upload that is not to blame.
  public mutating func uploadFailed(now: Moment) { lastFailure = now }

  // MARK: Test writes

  /// False while a test is in progress.
  public func isTestDue(now: Moment) -> Bool { testStart == nil && now >= nextTest }

  public mutating func testBegan(now: Moment) {
    testStart = now
    nextTest = now + Self.testInterval
  }

  /// Ends the test with its fault; nil if it succeeded.
  public mutating func testEnded(_ fault: WriteFault?, now: Moment) {
    testStart = nil
    self.fault = fault
    if fault == nil { lastWrite = now } else { nextTest = now + Self.retryInterval }
  }

  /// Makes it the fault that a test is not confirmed in time.
  public mutating func noteSlowTest(now: Moment) {
    if let testStart, now - testStart > Self.limit { fault = .unconfirmed }
  }

  // MARK: Result

  /// `waiting` is the age of the oldest upload that is not committed.
  public func isHealthy(waiting: Duration?, now: Moment) -> Bool {
    guard let lastWrite, now - lastWrite <= Self.limit, fault?.isOfTables != true else { return false }
    if let lastStored, now - lastStored <= Self.limit { return true }
    let isFailing = lastFailure.map { now - $0 <= Self.failureTime } ?? false
    return !isFailing && (waiting ?? .zero) <= Self.limit
  }
}
