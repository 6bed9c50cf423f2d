import Quantities

/// The schedule of the radio: switches it on for the time that something is sent, and a little longer.
///
/// It performs nothing itself. The owner reports requests for the network and results of switching, carries out the
/// actions and calls ``handleTimeout(now:)`` no earlier than ``nextTimeout``. A switch that fails or hangs delays
/// nobody: pending requests continue, because the network may work nevertheless.
public struct RadioSchedule: Sendable {
  /// The times of a session, from the settings.
  public struct Rules: Equatable, Sendable {
    /// Timeout of switching.
    public var timeout = Duration.seconds(60)
    /// Time from the end of switching on until the network is usable.
    public var settling = Duration.zero
    /// Time that the network stays on after the last request.
    public var linger = Duration.seconds(5)
    /// Longest session; then it ends, even with pending requests.
    public var longest = Duration.seconds(900)
    /// Time that the network stays on after the start, so that an operator can log in.
    public var afterStart = Duration.seconds(300)

    /// Longest wait of a request: a switch-off in progress is completed before the switch-on.
    public var longestRise: Duration { timeout * 2 + settling }

    public init() {}
  }

  /// An action that the schedule requests from its owner.
  public enum Action: Equatable, Sendable {
    case switchOn
    case switchOff
    /// Stop a switch that exceeds its timeout.
    case abandonSwitching
    /// Allow pending requests to send.
    case admitRequests
    /// Report that switching fails, once until it works again.
    case failing(reason: String, isOn: Bool)
    case recovered
    /// Send tasks now that are due soon.
    case sendDueTasks
  }

  /// The present phase of a session.
  enum Phase: Equatable, Sendable {
    case down
    case rising(until: Moment)
    case settling(until: Moment)
    case up(since: Moment)
    case falling(until: Moment)
  }

  public let rules: Rules
  private(set) var phase: Phase
  private var requests: Set<UInt64> = []
  /// Time at which the radio is switched off unless a request comes.
  private var idleUntil: Moment?
  private var isFailing = false
  /// Number of sessions.
  public private(set) var sessions: Int64 = 0
  /// Number of failed switches.
  public private(set) var failures: Int64 = 0

  /// Creates a schedule. The network is assumed to be on at the start.
  public init(_ rules: Rules, now: Moment) {
    self.rules = rules
    phase = .up(since: now)
    idleUntil = now + rules.afterStart
  }

  /// True if the radio draws current.
  public var isOn: Bool { phase != .down }
  /// True if the network is probably usable.
  public var isUp: Bool { if case .up = phase { true } else { false } }

  /// The next deadline; nil if only a request can change anything.
  public var nextTimeout: Moment? {
    switch phase {
    case .down: nil
    case .rising(let until), .settling(let until), .falling(let until): until
    case .up(let since): requests.isEmpty ? idleUntil : since + rules.longest
    }
  }

  /// Handles a request for the network; `token` identifies it.
  public mutating func requested(by token: UInt64, now: Moment) -> [Action] {
    requests.insert(token)
    switch phase {
    case .down: return rise(now: now)
    case .rising, .settling, .falling: return []
    case .up:
      idleUntil = nil
      return [.admitRequests]
    }
  }

  /// Ends a request, served or abandoned.
  public mutating func done(_ token: UInt64, now: Moment) {
    guard requests.remove(token) != nil, requests.isEmpty, isUp else { return }
    idleUntil = now + rules.linger
  }

  /// Handles the end of switching; `failure` is the reason, nil for success.
  public mutating func switched(failure: String?, now: Moment) -> [Action] {
    switch phase {
    case .down, .settling, .up: return []
    case .rising:
      guard failure == nil, rules.settling > .zero else {
        return evaluate(failure, isOn: true) + begin(now: now)
      }
      phase = .settling(until: now + rules.settling)
      return evaluate(nil, isOn: true)
    case .falling:
      phase = .down
      return evaluate(failure, isOn: false) + (requests.isEmpty ? [] : rise(now: now))
    }
  }

  public mutating func handleTimeout(now: Moment) -> [Action] {
    guard let due = nextTimeout, now >= due else { return [] }
    switch phase {
    case .down: return []
    case .rising, .falling:
      return [.abandonSwitching]
        + switched(failure: "not completed within \(Int64(rules.timeout.inSeconds)) s", now: now)
    case .settling: return begin(now: now)
    case .up:
      // Requests that are still pending are dropped.
      requests.removeAll()
      return fall(now: now)
    }
  }

  /// Leaves the network switched on at the end of the program, as it was found.
  public mutating func stop() -> [Action] {
    switch phase {
    case .down, .falling:
      phase = .up(since: .zero)
      return [.switchOn]
    case .rising, .settling, .up: return []
    }
  }

  private mutating func rise(now: Moment) -> [Action] {
    phase = .rising(until: now + rules.timeout)
    sessions += 1
    return [.switchOn]
  }

  private mutating func begin(now: Moment) -> [Action] {
    phase = .up(since: now)
    idleUntil = requests.isEmpty ? now + rules.linger : nil
    return [.admitRequests, .sendDueTasks]
  }

  private mutating func fall(now: Moment) -> [Action] {
    phase = .falling(until: now + rules.timeout)
    idleUntil = nil
    return [.switchOff]
  }

  private mutating func evaluate(_ failure: String?, isOn: Bool) -> [Action] {
    guard let failure else {
      defer { isFailing = false }
      return isFailing ? [.recovered] : []
    }
    failures += 1
    defer { isFailing = true }
    return isFailing ? [] : [.failing(reason: failure, isOn: isOn)]
  }
}
