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
    isConnected && !isSlow(waiting: waiting) && bytes <= memory && pending <= memory - bytes
  }

  /// True if the database counts as slow; `waiting` is the age of the oldest upload that is not committed.
  public func isSlow(waiting: Duration?) -> Bool { (waiting ?? .zero) >= slowAfter }
}
