import Quantities

/// Detects idling: the ignition is on and the vehicle does not move.
struct IdlingWatch: Equatable, Sendable {
  /// A start or end of idling.
  enum Outcome: Equatable, Sendable {
    case began(after: Duration)
    case ended(DrivingEpisode, after: Duration)
  }

  /// Distance in metres, beyond the uncertainty of the fixes, that counts as displacement.
  static let reach = 30.0
  /// Time without a fix after which the displacement is unknown. A receiver with periodic fixes provides them more
  /// often.
  static let longestFixGap = Duration.seconds(300)

  var delay: Duration
  /// Time in motion that ends idling.
  var end: Duration
  private(set) var episode: DrivingEpisode?
  private var isOn = false
  /// Position and start of the stop with ignition on.
  private var anchor: Observation?
  private var since: Moment?
  private var movingSince: Moment?
  private var lastFixAt: Moment?

  init(delay: Duration, end: Duration) {
    self.delay = delay
    self.end = end
  }

  /// Processes the ignition line; nil if it cannot be read: then nothing is detected.
  mutating func ignition(_ isOn: Bool?, at time: Timestamp?, now: Moment) -> [Outcome] {
    guard (isOn ?? false) != self.isOn || isOn == false else { return [] }
    self.isOn = isOn ?? false
    since = self.isOn ? now : nil
    movingSince = nil
    return self.isOn ? [] : finish(at: now, time: time)
  }

  mutating func take(_ observation: Observation, now: Moment) -> [Outcome] {
    if let lastFixAt, now - lastFixAt >= Self.longestFixGap, episode == nil { since = nil }
    lastFixAt = now
    guard isOn else {
      if !observation.isVague { anchor = observation }
      return []
    }
    guard moves(observation) else {
      movingSince = nil
      anchor = anchor ?? (observation.isVague ? nil : observation)
      since = since ?? now
      return reportIdling(now: now, time: observation.timestamp)
    }
    let began = movingSince ?? now
    movingSince = began
    guard episode == nil || now - began >= end else { return [] }
    anchor = nil
    since = nil
    return finish(at: began, time: observation.timestamp)
  }

  private func moves(_ observation: Observation) -> Bool {
    if Odometer.isMoving(observation) { return true }
    guard let anchor else { return false }
    return observation.distance(to: anchor) > max(Self.reach, 3 * observation.uncertainty(with: anchor))
  }

  private mutating func reportIdling(now: Moment, time: Timestamp?) -> [Outcome] {
    guard episode == nil, let since, now - since >= delay else { return [] }
    episode = DrivingEpisode(begin: since, time: time.map { $0 + (since - now) })
    return [.began(after: now - since)]
  }

  private mutating func finish(at moment: Moment, time: Timestamp?) -> [Outcome] {
    guard let over = episode else { return [] }
    episode = nil
    return [.ended(over, after: over.lasted(to: moment, at: time))]
  }

  /// The next deadline. A receiver that sleeps between two fixes shows no motion either.
  var nextTimeout: Moment? {
    guard isOn, episode == nil, movingSince == nil, let since, let lastFixAt,
      since + delay < lastFixAt + Self.longestFixGap
    else { return nil }
    return since + delay
  }

  mutating func handleTimeout(at time: Timestamp?, now: Moment) -> [Outcome] {
    guard let due = nextTimeout, now >= due else { return [] }
    return reportIdling(now: now, time: time)
  }

  /// Continues an episode of an earlier run.
  mutating func resume(_ episode: DrivingEpisode) { if self.episode == nil { self.episode = episode } }
}
