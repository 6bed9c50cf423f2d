/// Pauses that grow from try to try, so that trouble without end costs little.
struct Rests: Equatable, Sendable {
  private let durations: [Duration]
  private var index = 0

  /// Between rounds through all speeds, and between tries to put a receiver to sleep that wakes by itself.
  static let search = Rests([.zero, .seconds(30), .seconds(120), .seconds(600), .seconds(1800)])
  /// Between two times of sending all settings to a receiver that starts again and again.
  static let repeatedSetUp = Rests([.zero, .seconds(30), .seconds(120), .seconds(600), .seconds(3600)])

  private init(_ durations: [Duration]) { self.durations = durations }

  /// The next rest; the last one is repeated.
  mutating func next() -> Duration {
    defer { index = min(index + 1, durations.count - 1) }
    return durations[index]
  }

  mutating func reset() { index = 0 }
}
