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
    case received
    /// gpsd released the followed receiver.
    case deviceGone(path: String)
  }

  /// An action that the link requests from its owner.
  enum Action: Equatable, Sendable {
    /// Start an attempt to connect; none is in progress.
    case open
    case close
    case report(GPSDSource.Notice)
  }

  /// The present phase of the connection.
  enum Phase: Equatable, Sendable {
    case idle
    /// An attempt is in progress, without a time limit. The value is the time for the notice about its
    /// duration; nil once reported.
    case opening(noticeAt: Moment?)
    /// Connected; a receiver must report before `until`.
    case connected(until: Moment)
    case pausing(until: Moment)
  }

  /// Timeout for data; longer than the slowest usual output interval (10 s).
  static let defaultTimeout = Duration.seconds(30)

  private(set) var phase = Phase.idle
  private let timeout: Duration
  private var schedule = ReopenSchedule()
  private var lastReceived = Moment.zero
  private var hasReceived = false
  private var hasReportedLoss = false
  private var hasReportedSilence = false

  init(timeout: Duration = Self.defaultTimeout) { self.timeout = timeout }

  var nextTimeout: Moment? {
    switch phase {
    case .idle: nil
    case .opening(let noticeAt): noticeAt
    case .connected(let until), .pausing(let until): until
    }
  }

  mutating func start(now: Moment) -> [Action] {
    switch phase {
    case .idle:
      lastReceived = now
      return open(now: now)
    case .opening, .connected, .pausing: return []
    }
  }

  mutating func handle(_ event: Event, now: Moment) -> [Action] {
    switch (event, phase) {
    case (.opened, .opening):
      phase = .connected(until: now + timeout)
      return []
    case (.failed(let failure), .opening): return lose(failure, now: now)
    case (.failed(let failure), .connected): return [.close] + lose(failure, now: now)
    case (.deviceGone(let path), .connected): return [.close] + lose(.deviceGone(path: path), now: now)
    case (.received, .connected): return receiveData(now: now)
    case (.opened, .idle), (.opened, .connected), (.opened, .pausing), (.failed, .idle), (.failed, .pausing),
      (.received, .idle), (.received, .opening), (.received, .pausing), (.deviceGone, .idle),
      (.deviceGone, .opening),
      (.deviceGone, .pausing):
      return []
    }
  }

  mutating func handleTimeout(now: Moment) -> [Action] {
    guard let nextTimeout, now >= nextTimeout else { return [] }
    switch phase {
    case .idle: return []
    case .opening:
      phase = .opening(noticeAt: nil)
      return reportLoss(.noAnswer)
    case .connected: return giveUpSilence(now: now)
    case .pausing: return open(now: now)
    }
  }

  private mutating func open(now: Moment) -> [Action] {
    phase = .opening(noticeAt: now + timeout)
    return [.open]
  }

  private mutating func receiveData(now: Moment) -> [Action] {
    phase = .connected(until: now + timeout)
    lastReceived = now
    schedule.received(now: now)
    let isNews = !hasReceived || hasReportedLoss || hasReportedSilence
    defer { (hasReceived, hasReportedLoss, hasReportedSilence) = (true, false, false) }
    guard isNews else { return [] }
    return [.report(hasReceived ? .recovered : .found)]
  }

  private mutating func lose(_ failure: GPSDFailure, now: Moment) -> [Action] {
    phase = .pausing(until: now + schedule.next(now: now))
    return reportLoss(failure)
  }

  private mutating func reportLoss(_ failure: GPSDFailure) -> [Action] {
    guard !hasReportedLoss else { return [] }
    hasReportedLoss = true
    return [.report(.lost(failure))]
  }

  /// Replaces a silent connection, which may be dead without an error.
  private mutating func giveUpSilence(now: Moment) -> [Action] {
    phase = .pausing(until: now + schedule.next(now: now))
    guard !hasReportedSilence else { return [.close] }
    hasReportedSilence = true
    return [.close, .report(.silent(seconds: (now - lastReceived).components.seconds))]
  }
}
