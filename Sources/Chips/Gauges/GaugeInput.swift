/// What a gauge is read through: its driver on a bus, or a file of the kernel.
public protocol GaugeInput {
  associatedtype Failure: Error & Equatable & Sendable

  /// One burst of transactions that never waits; a gauge that is not set up is set up first.
  mutating func read() throws(Failure) -> GaugeStep

  /// The gauge is lost. It may come back without its settings, or elsewhere: the next call begins with looking for it.
  mutating func letGo()
}
