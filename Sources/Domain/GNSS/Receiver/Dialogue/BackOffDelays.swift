/// Back-off delays, so that a lasting fault costs little energy.
struct BackOffDelays: Equatable, Sendable {
  private let durations: [Duration]
  private var index = 0

  /// Delays between rounds through all baud rates, and between attempts to put a receiver to sleep that wakes by
  /// itself.
  static let search = BackOffDelays([.zero, .seconds(30), .seconds(120), .seconds(600), .seconds(1800)])
  /// Delays between two complete configurations of a receiver that keeps restarting.
  static let repeatedSetUp = BackOffDelays([
    .zero, .seconds(30), .seconds(120), .seconds(600), .seconds(3600),
  ])

  private init(_ durations: [Duration]) { self.durations = durations }

  /// The next delay; the last one is repeated.
  mutating func next() -> Duration {
    defer { index = min(index + 1, durations.count - 1) }
    return durations[index]
  }

  mutating func reset() { index = 0 }
}
