import Quantities

/// Decides when to connect, when an attempt or a request has taken too long, and when to try again.
struct ConnectionSchedule: Equatable, Sendable {
  enum Phase: Equatable, Sendable {
    case connecting(until: Moment)
    case idle
    /// A request is in progress; nil if it may take any time.
    case busy(until: Moment?)
    case waiting(until: Moment)
    case closed
  }

  enum Action: Equatable, Sendable {
    case connect
    /// The server has not responded in time.
    case abandon(reason: String)
  }

  /// An attempt to connect includes name resolution, TLS and authentication, at several hosts one after the other.
  static let connectionLimit = Duration.seconds(30)
  /// The time after which a host that sends nothing is given up, and libpq goes on to the next one of the address:
  /// the TCP_USER_TIMEOUT of tcp(7), because libpq itself observes `connect_timeout` in blocking calls only.
  static let hostLimit = Duration.seconds(8)

  private(set) var phase = Phase.closed
  private var backoff = Backoff(from: .milliseconds(100), upTo: .seconds(10))

  var nextTimeout: Moment? {
    switch phase {
    case .connecting(let until), .waiting(let until): until
    case .busy(let until): until
    case .idle, .closed: nil
    }
  }

  mutating func attemptStarted(now: Moment) { phase = .connecting(until: now + Self.connectionLimit) }

  mutating func connected() {
    backoff.reset()
    phase = .idle
  }

  mutating func requestStarted(limit: Duration?, now: Moment) { phase = .busy(until: limit.map { now + $0 }) }

  mutating func requestEnded() { phase = .idle }

  mutating func lost(now: Moment) {
    guard phase != .closed else { return }
    phase = .waiting(until: now + backoff.next())
  }

  mutating func closed() { phase = .closed }

  mutating func handleTimeout(now: Moment) -> Action? {
    guard let due = nextTimeout, now >= due else { return nil }
    switch phase {
    case .connecting: return .abandon(reason: "no connection within \(Self.connectionLimit.wholeSeconds) s")
    case .busy: return .abandon(reason: "no answer in time")
    case .waiting: return .connect
    case .idle, .closed: return nil
    }
  }
}
