import Quantities

/// Decides when the radio is up: while somebody has something to send, and a little longer.
///
/// It performs nothing: tell it who wants the network and how its switching came out, carry out what it answers, and call
/// ``handleTimeout(now:)`` no earlier than ``nextTimeout``. A switch that fails or hangs holds nobody up: those who wait
/// are let go on, for the network may be there all the same.
public struct RadioPlan: Sendable {
  public struct Rules: Equatable, Sendable {
    /// The longest that switching may take.
    public var patience = Duration.seconds(60)
    /// From the end of switching on until the network can be used.
    public var settling = Duration.zero
    /// How long the network stays up for whoever comes next.
    public var linger = Duration.seconds(5)
    /// A session that lasts longer is ended, whoever still wants it.
    public var longest = Duration.seconds(900)
    /// After the start the network stays up so long, for an operator to come in.
    public var afterStart = Duration.seconds(300)

    /// The longest wait of who wants the network: what falls is let fall before it is raised.
    public var longestRise: Duration { patience * 2 + settling }

    public init() {}
  }

  public enum Action: Equatable, Sendable {
    case switchOn
    case switchOff
    /// Switching hangs: it is not waited for any more.
    case abandonSwitching
    /// Those who wait may send.
    case letGo
    /// Told once until switching works again.
    case failing(reason: String, isOn: Bool)
    case recovered
    /// The radio is to send earlier what is due soon anyway.
    case callOthers
  }

  enum Phase: Equatable, Sendable {
    case down
    case rising(until: Moment)
    case settling(until: Moment)
    case up(since: Moment)
    case falling(until: Moment)
  }

  public let rules: Rules
  private(set) var phase: Phase
  private var wants: Set<UInt64> = []
  /// Until when nobody may want it before it is switched off.
  private var idleUntil: Moment?
  private var isFailing = false
  /// How often it was switched on.
  public private(set) var sessions: Int64 = 0
  /// Switchings that failed.
  public private(set) var failures: Int64 = 0

  /// At the start the network is taken for up.
  public init(_ rules: Rules, now: Moment) {
    self.rules = rules
    phase = .up(since: now)
    idleUntil = now + rules.afterStart
  }

  /// Whether the radio draws current.
  public var isOn: Bool { phase != .down }
  /// Whether the network can be used, as far as anyone knows.
  public var isUp: Bool { if case .up = phase { true } else { false } }

  public var nextTimeout: Moment? {
    switch phase {
    case .down: nil
    case .rising(let until), .settling(let until), .falling(let until): until
    case .up(let since): wants.isEmpty ? idleUntil : since + rules.longest
    }
  }

  public mutating func wanted(by token: UInt64, now: Moment) -> [Action] {
    wants.insert(token)
    switch phase {
    case .down: return rise(now: now)
    case .rising, .settling, .falling: return []
    case .up:
      idleUntil = nil
      return [.letGo]
    }
  }

  /// Served, or given up.
  public mutating func done(_ token: UInt64, now: Moment) {
    guard wants.remove(token) != nil, wants.isEmpty, isUp else { return }
    idleUntil = now + rules.linger
  }

  /// Switching came to its end; `failure` says why it was in vain.
  public mutating func switched(failure: String?, now: Moment) -> [Action] {
    switch phase {
    case .down, .settling, .up: return []
    case .rising:
      guard failure == nil, rules.settling > .zero else {
        return judge(failure, isOn: true) + begin(now: now)
      }
      phase = .settling(until: now + rules.settling)
      return judge(nil, isOn: true)
    case .falling:
      phase = .down
      return judge(failure, isOn: false) + (wants.isEmpty ? [] : rise(now: now))
    }
  }

  public mutating func handleTimeout(now: Moment) -> [Action] {
    guard let due = nextTimeout, now >= due else { return [] }
    switch phase {
    case .down: return []
    case .rising, .falling:
      return [.abandonSwitching]
        + switched(failure: "not completed within \(Int64(rules.patience.inSeconds)) s", now: now)
    case .settling: return begin(now: now)
    case .up:
      // Whoever has not come to an end by now is not waited for.
      wants.removeAll()
      return fall(now: now)
    }
  }

  /// The program leaves: the network is left as it was found.
  public mutating func stop() -> [Action] {
    switch phase {
    case .down, .falling:
      phase = .up(since: .zero)
      return [.switchOn]
    case .rising, .settling, .up: return []
    }
  }

  private mutating func rise(now: Moment) -> [Action] {
    phase = .rising(until: now + rules.patience)
    sessions += 1
    return [.switchOn]
  }

  private mutating func begin(now: Moment) -> [Action] {
    phase = .up(since: now)
    idleUntil = wants.isEmpty ? now + rules.linger : nil
    return [.letGo, .callOthers]
  }

  private mutating func fall(now: Moment) -> [Action] {
    phase = .falling(until: now + rules.patience)
    idleUntil = nil
    return [.switchOff]
  }

  private mutating func judge(_ failure: String?, isOn: Bool) -> [Action] {
    guard let failure else {
      defer { isFailing = false }
      return isFailing ? [.recovered] : []
    }
    failures += 1
    defer { isFailing = true }
    return isFailing ? [] : [.failing(reason: failure, isOn: isOn)]
  }
}
