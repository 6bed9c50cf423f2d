import Quantities

/// The schedule of the host: decides when it sleeps, for how long, and if sleep saves charge.
///
/// It performs nothing itself. The owner reports sleep inhibitors and tasks, carries out the actions and calls
/// ``handleTimeout(now:)`` no earlier than ``nextTimeout``. Repeating a report has no effect.
public struct HostSchedule: Sendable {
  /// An action that the schedule requests from its owner.
  public enum Action: Equatable, Sendable {
    /// Record the coming sleep and make everything durable, then call ``HostSchedule/durable(_:now:)``.
    case prepare(HostSleep)
    /// Set the alarm and run the command, then call ``HostSchedule/commanded(failure:now:)``.
    case goDown(HostSleep)
    /// The host stays awake: cancel the alarm and end a running command.
    case stayAwake(reason: String, retry: Duration? = nil)
    /// The host is awake again: cancel the alarm.
    case woke(HostWaking)
    /// The alarm of the power manager did not start the host: report it.
    case alarmMissed(HostWaking)
  }

  /// The reason why the host is awake, or the sleep that it can begin.
  public enum Verdict: Equatable, Sendable {
    case inhibited(HostSleepInhibitor)
    case pausing(Pause, until: Moment)
    /// Sleep would draw as much current as being awake.
    case noGain
    /// The next task is too soon.
    case tooSoon(HostNeed, shortest: Duration)
    case maySleep(HostSleep)

    /// The decision as a clause for people.
    public func text(now: Moment) -> String {
      switch self {
      case .inhibited(let inhibitor): inhibitor.text
      case .pausing(let pause, let until):
        "\(pause.rawValue), awake for another \((until - now).wholeSeconds) s"
      case .noGain: "the board's currents show no saving while the host is asleep"
      case .tooSoon(let need, let shortest):
        "next task in \(max(need.at - now, .zero).wholeSeconds) s (\(need.purpose.text)); sleep is worthwhile from "
          + "\(shortest.wholeSeconds) s"
      case .maySleep(let sleep): sleep.text
      }
    }
  }

  /// A delay before the host may sleep, without any sleep inhibitor.
  public enum Pause: String, Sendable {
    case start = "after a start without alarm"
    case alarm = "after the alarm"
    case unattended = "after a start by motion or the dead-man timer"
    case failure = "after a failure"
    case quiet = "after the last activity"
  }

  /// The present phase of a sleep.
  enum Phase: Equatable, Sendable {
    case up
    case preparing(HostSleep, isDurable: Bool, until: Moment)
    case falling(HostSleep, until: Moment)
  }

  public let rules: HostRules
  private(set) var phase = Phase.up
  private var pause: (sort: Pause, until: Moment)
  private var situation = HostSituation(inhibitor: .storage)
  private var quietSince: Moment?
  private var nextReview: Moment?
  private var hasReportedWiring = false
  /// The delay after a failure.
  private var backoff: Backoff
  /// Number of sleeps that the host woke from.
  public private(set) var sleeps: Int64 = 0
  /// Number of sleeps that failed.
  public private(set) var failures: Int64 = 0
  /// Total time asleep.
  public private(set) var slept = Duration.zero
  /// The alarms of the power manager; those of earlier runs are set before the first report.
  public var alarms = AlarmRecord()

  public init(_ rules: HostRules, now: Moment) {
    self.rules = rules
    pause = (.start, now + rules.afterStart)
    backoff = Backoff(from: rules.firstPause, upTo: rules.longestPause)
  }

  /// True from the sleep command to the wake-up.
  public var isFalling: Bool { if case .falling = phase { true } else { false } }
  /// The sleep that is prepared or commanded; nil if none is.
  public var nextSleep: HostSleep? {
    switch phase {
    case .up: nil
    case .preparing(let sleep, _, _), .falling(let sleep, _): sleep
    }
  }
  /// True while a sleep is prepared or commanded.
  public var isGoingToSleep: Bool { phase != .up }

  /// The next deadline; nil if only a report can change anything.
  public var nextTimeout: Moment? {
    switch phase {
    case .up: nextReview
    case .preparing(_, _, let until), .falling(_, let until): until
    }
  }

  /// The present decision, for status and actions.
  public func verdict(now: Moment) -> Verdict {
    if let inhibitor = situation.inhibitor { return .inhibited(inhibitor) }
    guard rules.shortest != nil else { return .noGain }
    if now < pause.until { return .pausing(pause.sort, until: pause.until) }
    let quietUntil = (quietSince ?? now) + rules.quiet
    if now < quietUntil { return .pausing(.quiet, until: quietUntil) }
    let latest = HostNeed(.longest, at: now + longest + rules.lead)
    let need = situation.earliest.flatMap { $0.at < latest.at ? $0 : nil } ?? latest
    let wake = need.at - rules.lead
    guard let shortest = rules.shortest(before: need.purpose) else { return .noGain }
    guard wake - now >= shortest else { return .tooSoon(need, shortest: shortest) }
    return .maySleep(HostSleep(rules.depth, since: now, wake: wake, need: need))
  }

  /// The longest sleep, which a power manager and its alarms so far may limit.
  private var longest: Duration {
    guard let cut = rules.cut else { return rules.longest }
    return min(rules.longest, cut.longestWake, alarms.longestSleep(deadMan: cut.deadMan) ?? rules.longest)
  }

  // MARK: Inputs

  /// Handles the reason of a start that no logger planned, as a power manager states it. Somebody may have come, unless the
  /// dead-man timer started the host after a run without an orderly end. A restart leaves the reason of the start before.
  public mutating func started(by reason: StartReason, afterOrderlyStop: Bool, now: Moment) -> [Action] {
    switch reason {
    case .alarm, .delayedAlarm: return []
    case .deadMan where afterOrderlyStop: return []
    case .deadMan: pause = (.unattended, now + rules.afterAlarm)
    case .button, .supply, .lowVoltage, .temperature, .armedCut, .reboot, .other: break
    }
    return [.woke(HostWaking(slept: nil, planned: nil, reason: reason))]
  }

  /// Handles the wake-up from a sleep that a logger in another boot commanded.
  public mutating func restored(_ waking: HostWaking, now: Moment) -> [Action] { wake(waking, now: now) }

  /// Processes the situation. Called whenever it may have changed.
  public mutating func look(_ situation: HostSituation, now: Moment) -> [Action] {
    self.situation = situation
    switch phase {
    case .falling: return []
    case .preparing: return proceed(now: now)
    case .up:
      nextReview = nil
      guard situation.inhibitor == nil else {
        quietSince = nil
        return reportWiring()
      }
      quietSince = quietSince ?? now
      switch verdict(now: now) {
      case .maySleep(let sleep):
        phase = .preparing(sleep, isDurable: false, until: now + rules.timeout)
        return [.prepare(sleep)]
      case .pausing(_, let until):
        nextReview = until
        return []
      case .inhibited, .noGain, .tooSoon: return []
      }
    }
  }

  /// Handles a change of the tasks that ends the preparation of a sleep: the next report decides again.
  public mutating func reconsider(because reason: String, now: Moment) -> [Action] {
    guard case .preparing = phase else { return [] }
    phase = .up
    (quietSince, nextReview) = (nil, now)
    return [.stayAwake(reason: reason)]
  }

  /// Handles the result of writing: true if all records are durable, false if the log cannot be written.
  public mutating func durable(_ isDurable: Bool, now: Moment) -> [Action] {
    guard case .preparing(let sleep, _, let until) = phase else { return [] }
    guard isDurable else { return fail("the log cannot be written", now: now) }
    phase = .preparing(sleep, isDurable: true, until: until)
    return proceed(now: now)
  }

  /// Handles the end of the command, or a failure to set the alarm; `failure` is the reason, nil for success.
  public mutating func commanded(failure: String?, now: Moment) -> [Action] {
    guard isFalling, let failure else { return [] }
    return fail(failure, now: now)
  }

  /// Handles the end of a suspension of the system, whichever program caused it.
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
      return fail(situation.inhibitor?.text ?? "the log was not written in time", now: now)
    case .falling:
      return fail(
        "still awake \(rules.timeout.wholeSeconds) s after the command for \(rules.depth.rawValue)",
        now: now)
    }
  }

  // MARK: Transitions

  private mutating func proceed(now: Moment) -> [Action] {
    guard case .preparing(let sleep, let isDurable, _) = phase else { return [] }
    if let inhibitor = situation.inhibitor {
      guard !inhibitor.isPassing else { return [] }
      phase = .up
      quietSince = nil
      return [.stayAwake(reason: inhibitor.text)]
    }
    guard isDurable else { return [] }
    let least = sleep.need.purpose == .storedEpochs ? rules.leastWhileStoring : rules.least
    guard sleep.wake - now >= min(least, rules.least) / 2 else {
      return fail("preparations took too long", now: now)
    }
    phase = .falling(sleep, until: now + rules.timeout)
    return [.goDown(sleep)]
  }

  private mutating func fail(_ reason: String, now: Moment) -> [Action] {
    failures += 1
    let pause = backoff.next()
    phase = .up
    self.pause = (.failure, now + pause)
    return [.stayAwake(reason: reason, retry: pause)]
  }

  private mutating func wake(_ waking: HostWaking, now: Moment) -> [Action] {
    phase = .up
    quietSince = nil
    backoff.reset()
    sleeps += 1
    slept += waking.slept ?? .zero
    pause = pauseAfter(waking, now: now)
    return alarms.note(waking) || rules.cut == nil ? [.woke(waking)] : [.woke(waking), .alarmMissed(waking)]
  }

  private func pauseAfter(_ waking: HostWaking, now: Moment) -> (sort: Pause, until: Moment) {
    waking.isUnattended(wakesOnMotion: rules.wakesOnMotion)
      ? (waking.isAsPlanned ? .alarm : .unattended, now + rules.afterAlarm) : (.start, now + rules.afterStart)
  }

  /// Reports once that the wiring prevents every sleep.
  private mutating func reportWiring() -> [Action] {
    guard situation.inhibitor == .motionCannotWake, !hasReportedWiring else { return [] }
    hasReportedWiring = true
    return [.stayAwake(reason: HostSleepInhibitor.motionCannotWake.text)]
  }
}
