import Quantities

/// Detects overspeed: the vehicle exceeds its limit for some time.
struct OverspeedWatch: Equatable, Sendable {
  /// A start or end of overspeed.
  enum Outcome: Equatable, Sendable {
    case began(speed: Double)
    case ended(DrivingEpisode, after: Duration)
  }

  /// Factor by which the limit must be exceeded, because of the error of speedometers.
  static let tolerance = 1.03
  /// Time below the limit that ends the episode, because a single slow fix proves nothing.
  static let relief = Duration.seconds(3)
  /// Time without a fix after which the speed is unknown.
  static let longestFixGap = Duration.seconds(120)

  /// Speed limit in m/s.
  var limit: Double
  var duration: Duration
  private(set) var episode: DrivingEpisode?
  /// The beginning of a possible episode.
  private var candidate: DrivingEpisode?
  /// Start of the time below the limit.
  private var slowSince: Moment?
  private var lastFixAt: Moment?

  init(limit: Double, duration: Duration) {
    self.limit = limit
    self.duration = duration
  }

  mutating func take(_ observation: Observation, now: Moment) -> [Outcome] {
    var outcomes: [Outcome] = []
    if let lastFixAt, now - lastFixAt >= Self.longestFixGap { outcomes = endWithoutFix(at: lastFixAt) }
    lastFixAt = now
    guard let speed = observation.speed else { return outcomes }
    return outcomes
      + (episode == nil ? begin(observation, speed, now: now) : follow(observation, speed, now: now))
  }

  private mutating func begin(_ observation: Observation, _ speed: Double, now: Moment) -> [Outcome] {
    guard speed - observation.speedRadius > limit * Self.tolerance else {
      candidate = nil
      return []
    }
    var begun = candidate ?? DrivingEpisode(begin: now, time: observation.timestamp)
    begun.peak = max(begun.peak, speed)
    candidate = begun
    guard begun.lasted(to: now, at: observation.timestamp) >= duration else { return [] }
    episode = begun
    candidate = nil
    return [.began(speed: begun.peak)]
  }

  private mutating func follow(_ observation: Observation, _ speed: Double, now: Moment) -> [Outcome] {
    guard speed <= limit else {
      slowSince = nil
      if let peak = episode?.peak, speed > peak { episode?.peak = speed }
      return []
    }
    let since = slowSince ?? now
    slowSince = since
    guard now - since >= Self.relief else { return [] }
    return end(at: since, time: observation.timestamp)
  }

  private mutating func end(at moment: Moment, time: Timestamp?) -> [Outcome] {
    guard let over = episode else { return [] }
    episode = nil
    slowSince = nil
    return [.ended(over, after: over.lasted(to: moment, at: time))]
  }

  private mutating func endWithoutFix(at moment: Moment) -> [Outcome] {
    candidate = nil
    return end(at: moment, time: nil)
  }

  var nextTimeout: Moment? { episode == nil ? nil : lastFixAt.map { $0 + Self.longestFixGap } }

  mutating func handleTimeout(now: Moment) -> [Outcome] {
    guard let due = nextTimeout, now >= due, let lastFixAt else { return [] }
    return endWithoutFix(at: lastFixAt)
  }

  /// Continues an episode of an earlier run.
  mutating func resume(_ episode: DrivingEpisode) { if self.episode == nil { self.episode = episode } }
}
