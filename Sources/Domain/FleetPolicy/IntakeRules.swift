import Quantities

/// Decides if a new upload is accepted, or if the device shall keep it.
public struct IntakeRules: Equatable, Sendable {
  /// Bytes of uploads that are not committed.
  public var memory: Int
  /// The database counts as slow if an upload takes longer.
  public var slowAfter: Duration

  public init(memory: Int = 256_000_000, slowAfter: Duration = .seconds(5)) {
    self.memory = memory
    self.slowAfter = slowAfter
  }

  /// `waiting` is the age of the oldest upload that is not committed.
  public func admits(bytes: Int, pending: Int, waiting: Duration?, isConnected: Bool) -> Bool {
    isConnected && (waiting ?? .zero) < slowAfter && bytes <= memory && pending <= memory - bytes
  }
}

/// Knows if the last writes succeeded, for the health check of a load balancer.
public struct WriteHealth: Equatable, Sendable {
  /// The age of the last success at which a failure counts.
  public static let limit = Duration.seconds(10)

  private var lastSuccess: Moment
  private var hasFailed = false

  public init(now: Moment) { lastSuccess = now }

  /// A write succeeded, or the connection returned: without a new request, nobody would know.
  public mutating func succeeded(now: Moment) {
    lastSuccess = now
    hasFailed = false
  }

  public mutating func failed() { hasFailed = true }

  /// `waiting` is the age of the oldest upload that is not committed.
  public func isHealthy(waiting: Duration?, now: Moment) -> Bool {
    if now - lastSuccess <= Self.limit { return true }
    return !hasFailed && (waiting ?? .zero) <= Self.limit
  }
}
