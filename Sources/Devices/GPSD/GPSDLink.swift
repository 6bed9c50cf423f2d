import Quantities

/// Decides when to connect to gpsd, when to close the connection, and which notices to report.
///
/// Reconnecting is also the remedy if gpsd released the receiver: gpsd searches for its devices again for each
/// new client.
struct GPSDLink: Equatable, Sendable {
  /// An input of the link.
  enum Event: Equatable, Sendable {
    /// The attempt to connect succeeded.
    case opened
    /// The attempt to connect failed, or the connection ended.
    case failed(GPSDFailure)
    /// A report shows that a receiver sends data.
    case heard
    /// gpsd released the followed receiver.
    case deviceGone(path: String)
  }

  /// An action that the link requests from its owner.
  enum Action: Equatable, Sendable {
    /// Start an attempt to connect; none is in progress.
    case open
    case close
    case say(GPSDSource.Notice)
  }

  /// The present phase of the connection.
  enum Phase: Equatable, Sendable {
    case idle
    /// An attempt is in progress, without a time limit. The value is the time for the notice about its
    /// duration; nil once reported.
    case opening(worthAWord: Moment?)
    /// Connected; a receiver must report before `until`.
    case connected(until: Moment)
    case pausing(until: Moment)
  }

  /// Timeout for data; longer than the slowest usual output interval (10 s).
  static let usualPatience = Duration.seconds(30)

  private(set) var phase = Phase.idle
  private let patience: Duration
  private var schedule = ReopenSchedule()
  private var lastHeard = Moment.zero
  private var wasHeard = false
  private var saidLost = false
  private var saidSilent = false

  init(patience: Duration = Self.usualPatience) { self.patience = patience }

  var nextTimeout: Moment? {
    switch phase {
    case .idle: nil
    case .opening(let worthAWord): worthAWord
    case .connected(let until), .pausing(let until): until
    }
  }

  mutating func start(now: Moment) -> [Action] {
    switch phase {
    case .idle:
      lastHeard = now
      return open(now: now)
    case .opening, .connected, .pausing: return []
    }
  }

  mutating func handle(_ event: Event, now: Moment) -> [Action] {
    switch (event, phase) {
    case (.opened, .opening):
      phase = .connected(until: now + patience)
      return []
    case (.failed(let failure), .opening): return lose(failure, now: now)
    case (.failed(let failure), .connected): return [.close] + lose(failure, now: now)
    case (.deviceGone(let path), .connected): return [.close] + lose(.deviceGone(path: path), now: now)
    case (.heard, .connected): return hear(now: now)
    case (.opened, .idle), (.opened, .connected), (.opened, .pausing), (.failed, .idle), (.failed, .pausing),
      (.heard, .idle), (.heard, .opening), (.heard, .pausing), (.deviceGone, .idle), (.deviceGone, .opening),
      (.deviceGone, .pausing):
      return []
    }
  }

  mutating func handleTimeout(now: Moment) -> [Action] {
    guard let nextTimeout, now >= nextTimeout else { return [] }
    switch phase {
    case .idle: return []
    case .opening:
      phase = .opening(worthAWord: nil)
      return sayLost(.noAnswer)
    case .connected: return giveUpSilence(now: now)
    case .pausing: return open(now: now)
    }
  }

  private mutating func open(now: Moment) -> [Action] {
    phase = .opening(worthAWord: now + patience)
    return [.open]
  }

  private mutating func hear(now: Moment) -> [Action] {
    phase = .connected(until: now + patience)
    lastHeard = now
    schedule.heard(now: now)
    let isNews = !wasHeard || saidLost || saidSilent
    defer { (wasHeard, saidLost, saidSilent) = (true, false, false) }
    guard isNews else { return [] }
    return [.say(wasHeard ? .speaking : .found)]
  }

  private mutating func lose(_ failure: GPSDFailure, now: Moment) -> [Action] {
    phase = .pausing(until: now + schedule.next(now: now))
    return sayLost(failure)
  }

  private mutating func sayLost(_ failure: GPSDFailure) -> [Action] {
    guard !saidLost else { return [] }
    saidLost = true
    return [.say(.lost(failure))]
  }

  /// Replaces a silent connection, which may be dead without an error.
  private mutating func giveUpSilence(now: Moment) -> [Action] {
    phase = .pausing(until: now + schedule.next(now: now))
    guard !saidSilent else { return [.close] }
    saidSilent = true
    return [.close, .say(.silent(seconds: (now - lastHeard).components.seconds))]
  }
}
