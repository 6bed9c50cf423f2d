import Quantities

/// The clocks that an event loop and its components read, from any thread.
public protocol LoopClock: Sendable {
  /// Time since the kernel started, including suspended time.
  func moment() -> Moment
  /// UTC of the operating system.
  func timestamp() -> Timestamp
  /// The maximum error of ``timestamp()`` according to the program that disciplines the clock; nil if there is none.
  func error() -> Duration?
  /// Total suspended time since the kernel started.
  func suspended() -> Duration
  /// The identity of the boot that ``moment()`` counts from; empty if it is unknown.
  var boot: String { get }
}

extension LoopClock {
  public var boot: String { ProcessEnvironment.bootIdentity }
}

extension LoopClock {
  /// True if a time service disciplines ``timestamp()``, with an error of 5 s at most.
  public var isSynchronised: Bool { error().map { $0 <= .seconds(5) } ?? false }
}
