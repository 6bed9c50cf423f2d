import Quantities

/// Decides when the host goes down, for how long, and when it is not worth it.
///
/// It performs nothing: show it what keeps the host up and what it is needed for, carry out what it answers, and call
/// ``handleTimeout(now:)`` no earlier than ``nextTimeout``. Being told the same twice costs nothing.
public struct HostPlan: Sendable {
  public enum Action: Equatable, Sendable {
    /// Say that it goes down and make everything durable, then call ``HostPlan/durable(_:now:)``.
    case prepare(HostSleep)
    /// Set the alarm and run the command, then call ``HostPlan/commanded(failure:now:)``.
    case goDown(HostSleep)
    /// It stays up, or is up still: no alarm is needed, and a command that runs is ended.
    case stayUp(reason: String, retry: Duration? = nil)
    /// It is up again: no alarm is needed.
    case woke(HostWaking)
  }

  /// Why it is up, or that it goes.
  public enum Verdict: Equatable, Sendable {
    case held(HostHold)
    case pausing(Pause, until: Moment)
    /// It draws no less while it is down.
    case noGain
    /// It is needed too soon.
    case tooSoon(HostNeed, shortest: Duration)
    case goes(HostSleep)

    /// For people.
    public func words(now: Moment) -> String {
      switch self {
      case .held(let hold): hold.words
      case .pausing(let pause, let until):
        "\(pause.rawValue), awake for another \((until - now).wholeSeconds) s"
      case .noGain: "the board's currents show no saving while the host is asleep"
      case .tooSoon(let need, let shortest):
        "next task in \((need.at - now).wholeSeconds) s (\(need.purpose.words)); sleep is worthwhile from "
          + "\(shortest.wholeSeconds) s"
      case .goes(let sleep): sleep.words
      }
    }
  }

  /// What is waited for although nothing keeps it up.
  public enum Pause: String, Sendable {
    case start = "after a start without alarm"
    case alarm = "after the alarm"
    case failure = "after a failure"
    case quiet = "after the last activity"
  }

  enum Phase: Equatable, Sendable {
    case up
    case preparing(HostSleep, isDurable: Bool, until: Moment)
    case falling(HostSleep, until: Moment)
  }

  public let rules: HostRules
  private(set) var phase = Phase.up
  private var pause: (sort: Pause, until: Moment)
  private var situation = HostSituation(hold: .storage)
  private var quietSince: Moment?
  private var nextLook: Moment?
  private var hasToldOfMotion = false
  /// On end.
  private var failuresOnEnd = 0
  /// How often it was put down and came back.
  public private(set) var sleeps: Int64 = 0
  /// How often it was to go down and did not.
  public private(set) var failures: Int64 = 0
  /// For how long it was down.
  public private(set) var slept = Duration.zero

  public init(_ rules: HostRules, now: Moment) {
    self.rules = rules
    pause = (.start, now + rules.afterStart)
  }

  /// The command was given, or is about to be.
  public var isFalling: Bool { if case .falling = phase { true } else { false } }
  /// It is on its way down.
  public var isGoing: Bool { phase != .up }

  public var nextTimeout: Moment? {
    switch phase {
    case .up: nextLook
    case .preparing(_, _, let until), .falling(_, let until): until
    }
  }

  public func verdict(now: Moment) -> Verdict {
    if let hold = situation.hold { return .held(hold) }
    guard let shortest = rules.shortest else { return .noGain }
    if now < pause.until { return .pausing(pause.sort, until: pause.until) }
    let quietUntil = (quietSince ?? now) + rules.quiet
    if now < quietUntil { return .pausing(.quiet, until: quietUntil) }
    let latest = HostNeed(.longest, at: now + rules.longest + rules.lead)
    let need = situation.earliest.flatMap { $0.at < latest.at ? $0 : nil } ?? latest
    let wake = need.at - rules.lead
    guard wake - now >= shortest else { return .tooSoon(need, shortest: shortest) }
    return .goes(HostSleep(rules.depth, since: now, wake: wake, need: need))
  }

  // MARK: What happens

  /// A logger of another boot had put it down.
  public mutating func restored(_ waking: HostWaking, now: Moment) -> [Action] { wake(waking, now: now) }

  /// How everything stands. Called whenever that may have changed.
  public mutating func look(_ situation: HostSituation, now: Moment) -> [Action] {
    self.situation = situation
    switch phase {
    case .falling: return []
    case .preparing: return proceed(now: now)
    case .up:
      nextLook = nil
      guard situation.hold == nil else {
        quietSince = nil
        return tellOfMotion()
      }
      quietSince = quietSince ?? now
      switch verdict(now: now) {
      case .goes(let sleep):
        phase = .preparing(sleep, isDurable: false, until: now + rules.patience)
        return [.prepare(sleep)]
      case .pausing(_, let until):
        nextLook = until
        return []
      case .held, .noGain, .tooSoon: return []
      }
    }
  }

  /// Everything that was said is on disk, or cannot be brought there.
  public mutating func durable(_ isDurable: Bool, now: Moment) -> [Action] {
    guard case .preparing(let sleep, _, let until) = phase else { return [] }
    guard isDurable else { return fail("the log cannot be written", now: now) }
    phase = .preparing(sleep, isDurable: true, until: until)
    return proceed(now: now)
  }

  /// The command has ended, or the alarm could not be set; `failure` says why it was in vain.
  public mutating func commanded(failure: String?, now: Moment) -> [Action] {
    guard isFalling, let failure else { return [] }
    return fail(failure, now: now)
  }

  /// The system was suspended for so long, whoever wanted that.
  public mutating func resumed(after slept: Duration, now: Moment) -> [Action] {
    switch phase {
    case .falling(let sleep, _): return wake(HostWaking(slept: slept, planned: sleep.planned), now: now)
    case .up, .preparing: return wake(HostWaking(slept: slept, planned: nil), now: now)
    }
  }

  public mutating func handleTimeout(now: Moment) -> [Action] {
    guard let due = nextTimeout, now >= due else { return [] }
    switch phase {
    case .up: return look(situation, now: now)
    case .preparing:
      return fail(situation.hold?.words ?? "the log was not written in time", now: now)
    case .falling:
      return fail(
        "still awake \(rules.patience.wholeSeconds) s after the command for \(rules.depth.rawValue)",
        now: now)
    }
  }

  // MARK: What comes of it

  private mutating func proceed(now: Moment) -> [Action] {
    guard case .preparing(let sleep, let isDurable, _) = phase else { return [] }
    if let hold = situation.hold {
      guard !hold.isPassing else { return [] }
      phase = .up
      quietSince = nil
      return [.stayUp(reason: hold.words)]
    }
    guard isDurable else { return [] }
    guard sleep.wake - now >= rules.least / 2 else {
      return fail("preparations took too long", now: now)
    }
    phase = .falling(sleep, until: now + rules.patience)
    return [.goDown(sleep)]
  }

  private mutating func fail(_ reason: String, now: Moment) -> [Action] {
    failures += 1
    let doublings = min(failuresOnEnd, 16)
    failuresOnEnd += 1
    let pause = min(rules.firstPause * (1 << doublings), rules.longestPause)
    phase = .up
    self.pause = (.failure, now + pause)
    return [.stayUp(reason: reason, retry: pause)]
  }

  private mutating func wake(_ waking: HostWaking, now: Moment) -> [Action] {
    phase = .up
    quietSince = nil
    failuresOnEnd = 0
    sleeps += 1
    slept += waking.slept ?? .zero
    pause = waking.isAsPlanned ? (.alarm, now + rules.afterAlarm) : (.start, now + rules.afterStart)
    return [.woke(waking)]
  }

  /// A wiring that keeps it up for ever is worth a word.
  private mutating func tellOfMotion() -> [Action] {
    guard situation.hold == .deafToMotion, !hasToldOfMotion else { return [] }
    hasToldOfMotion = true
    return [.stayUp(reason: HostHold.deafToMotion.words)]
  }
}
