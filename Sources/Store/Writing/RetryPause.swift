/// The pause before a log that failed is tried again: doubles from one second to five minutes.
struct RetryPause {
  private static let shortest = Duration.seconds(1)
  private static let longest = Duration.seconds(300)
  private var next = shortest

  mutating func grow() -> Duration {
    defer { next = min(next * 2, Self.longest) }
    return next
  }

  mutating func reset() { next = Self.shortest }
}
