/// A source of gauge readings: a driver on a bus, or a file of the kernel.
public protocol GaugeInput {
  associatedtype Failure: Error & Equatable & Sendable

  /// Performs one burst of transactions without blocking; configures the gauge first if necessary.
  mutating func read() throws(Failure) -> GaugeStep

  /// Releases a lost gauge. It may return without its settings or at another address, so the next call probes for it.
  mutating func release()
}
