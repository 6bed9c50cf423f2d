/// The back-off after a failure of the log: doubles from 1 s to 300 s.
struct RetryBackOff {
  private static let shortest = Duration.seconds(1)
  private static let longest = Duration.seconds(300)
  private var next = shortest

  mutating func grow() -> Duration {
    defer { next = min(next * 2, Self.longest) }
    return next
  }

  mutating func reset() { next = Self.shortest }
}
