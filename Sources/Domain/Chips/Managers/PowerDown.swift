import Quantities

/// Cuts the supply of the host in an order in which every failure leaves a way back: the dead-man timer before the alarm,
/// the alarm before the cut, and each of them read back.
///
/// It decides only: the owner performs each step with ``Step/perform(on:)`` and passes the result to ``take(_:now:)``, until
/// it gets ``Action/goDown(alarm:)`` or ``Action/stayUp(_:)``. After `goDown` nothing else may be sent to the board, unless
/// the shutdown fails: then the owner begins ``callOff()``.
public struct PowerDown: Equatable, Sendable {
  /// What is wanted.
  public struct Request: Equatable, Sendable {
    /// The planned time without supply.
    public var time: Duration
    /// The time from the shutdown's start to the cut.
    public var cutAfter: Duration
    /// The longest time until the dead-man timer starts the host; nil for a board without one.
    public var deadMan: Duration?
    /// True if the battery is nearly empty: the host goes down on the dead-man timer alone if the alarm fails.
    public var isCritical: Bool
    /// The alarms in a row that have started the host; a board without dead-man timer must prove itself.
    public var provenAlarms: Int

    public init(
      time: Duration, cutAfter: Duration, deadMan: Duration?, isCritical: Bool = false, provenAlarms: Int = 0
    ) {
      (self.time, self.cutAfter, self.deadMan) = (time, cutAfter, deadMan)
      (self.isCritical, self.provenAlarms) = (isCritical, provenAlarms)
    }
  }

  /// One call of the board.
  public enum Step: Equatable, Sendable {
    case identify
    case setDeadMan(Duration)
    case readClock
    case setWake(Duration)
    /// The board's time of the alarm.
    case verifyWake(at: Int64)
    case armCut(Duration)
    case disarm
    /// Clears what would restart a host that stays up: the alarm, and the dead-man timer if there is one.
    case release(deadMan: Bool)

    /// Performs the step.
    public func perform(on board: any PowerManager) -> Result<Outcome, ChipError> {
      do throws(ChipError) {
        switch self {
        case .identify: return .success(.identity(try board.identify()))
        case .setDeadMan(let time): return .success(.deadMan(try board.setDeadMan(time)))
        case .readClock: return .success(.clock(try board.seconds()))
        case .setWake(let time): return .success(.wake(at: try board.setWake(in: time)))
        case .verifyWake(let due): try board.verifyWake(at: due)
        case .armCut(let time): try board.armCut(after: time)
        case .disarm: try board.disarmCut()
        case .release(let hasDeadMan):
          try board.clearWake()
          if hasDeadMan { _ = try board.setDeadMan(nil) }
        }
        return .success(.done)
      } catch { return .failure(error) }
    }
  }

  public enum Action: Equatable, Sendable {
    case perform(Step)
    /// Call ``handleTimeout(now:)`` at this time.
    case wait(until: Moment)
    /// Everything is set: the host must shut down now. `alarm` is false if only the dead-man timer starts it again.
    case goDown(alarm: Bool)
    /// The supply stays on, for this reason.
    case stayUp(Refusal)
  }

  /// The reason why the supply stays on.
  public enum Refusal: Error, Equatable, Sendable {
    /// A call failed as often as it is tried.
    case failed(Step, ChipError)
    /// The firmware is known to be unreliable.
    case unreliable(String)
    /// The board's clock does not run; `first` and `second` were read a second apart.
    case clockStands(first: Int64, second: Int64)
    /// The owner called it off.
    case calledOff
    /// A call failed, and then the cut could not be disarmed: the supply may be cut soon.
    case mayBeCut(ChipError)
  }

  /// The result of a step.
  public enum Outcome: Equatable, Sendable {
    case identity(PowerManagerModel)
    case deadMan(Duration?)
    case clock(Int64)
    /// The board's time of the alarm.
    case wake(at: Int64)
    case done
  }

  private enum Phase: Equatable {
    case identifying
    case settingDeadMan
    case readingClock(first: Int64?)
    case ticking(first: Int64, until: Moment)
    case settingWake
    case settling(due: Int64, until: Moment)
    case verifyingWake
    /// False: the alarm failed, and the dead-man timer alone starts the host.
    case arming(alarm: Bool)
    case disarming(Refusal)
    case releasing(Refusal)
    case over
  }

  /// The tries of each step.
  static let tries = 3
  /// The longest sleep of a board without dead-man timer that has not proven itself.
  static let unproven = Duration.seconds(3600)
  /// The alarms in a row after which such a board is trusted.
  public static let provenAfter = 10

  private let request: Request
  private let retryPause: Duration
  private let settleTime: Duration
  private let restartsRunningHost: Bool
  private let cutNeedsClock: Bool
  private var phase = Phase.identifying
  private var step: Step?
  private var failures = 0
  private var retryAt: Moment?

  public init(_ request: Request, on board: any PowerManager) {
    self.request = request
    (retryPause, settleTime) = (board.retryPause, board.settleTime)
    restartsRunningHost = board.restartsRunningHost
    cutNeedsClock = board.cutNeedsClock
  }

  /// The planned time without supply, limited for a board that must prove itself.
  public var time: Duration {
    request.deadMan == nil && request.provenAlarms < Self.provenAfter
      ? min(request.time, Self.unproven) : request.time
  }

  /// The first action.
  public mutating func begin() -> Action { perform(.identify, .identifying) }

  /// True after the host was to go down or to stay up.
  public var isOver: Bool { phase == .over }

  /// Keeps the supply on, whatever was done before.
  public mutating func callOff() -> Action {
    (retryAt, failures) = (nil, 0)
    return perform(.disarm, .disarming(.calledOff))
  }

  /// Continues after a wait; nil if none is over.
  public mutating func handleTimeout(now: Moment) -> Action? {
    if let retryAt, let step {
      guard now >= retryAt else { return nil }
      self.retryAt = nil
      return .perform(step)
    }
    if case .ticking(let first, let until) = phase, now >= until {
      return perform(.readClock, .readingClock(first: first))
    }
    if case .settling(let due, let until) = phase, now >= until {
      return perform(.verifyWake(at: due), .verifyingWake)
    }
    return nil
  }

  /// Takes the result of the step that was to be performed; nil if none was.
  public mutating func take(_ result: Result<Outcome, ChipError>, now: Moment) -> Action? {
    guard let step else { return nil }
    switch result {
    case .success(let outcome):
      // An alarm that does not read back counts against its setting.
      if phase != .settingWake { failures = 0 }
      return proceed(after: outcome, now: now)
    case .failure(let error):
      failures += 1
      guard failures >= Self.tries else {
        if phase == .verifyingWake { (self.step, phase) = (.setWake(time), .settingWake) }
        retryAt = now + retryPause
        return .wait(until: now + retryPause)
      }
      failures = 0
      return giveUp(step, error)
    }
  }

  private mutating func proceed(after outcome: Outcome, now: Moment) -> Action? {
    switch (phase, outcome) {
    case (.identifying, .identity(let model)):
      if let objection = model.objection { return end(.stayUp(.unreliable(objection))) }
      guard let longest = request.deadMan else { return perform(.readClock, .readingClock(first: nil)) }
      return perform(.setDeadMan(min(longest, time * 3 / 2 + .seconds(600))), .settingDeadMan)
    case (.settingDeadMan, .deadMan): return perform(.readClock, .readingClock(first: nil))
    case (.readingClock(nil), .clock(let first)):
      let until = now + .milliseconds(1100)
      (phase, step) = (.ticking(first: first, until: until), nil)
      return .wait(until: until)
    case (.readingClock(let first?), .clock(let second)):
      guard (first + 1...first + 10).contains(second) else {
        let refusal = Refusal.clockStands(first: first, second: second)
        return cutNeedsClock ? stayUp(refusal) : withoutAlarm(refusal)
      }
      return perform(.setWake(time), .settingWake)
    case (.settingWake, .wake(let due)):
      guard settleTime > .zero else { return perform(.verifyWake(at: due), .verifyingWake) }
      let until = now + settleTime
      (phase, step) = (.settling(due: due, until: until), nil)
      return .wait(until: until)
    case (.verifyingWake, .done): return perform(.armCut(request.cutAfter), .arming(alarm: true))
    case (.arming(let alarm), .done): return end(.goDown(alarm: alarm))
    case (.disarming(let refusal), .done): return stayUp(refusal)
    case (.releasing(let refusal), .done): return end(.stayUp(refusal))
    default: return nil
    }
  }

  private mutating func giveUp(_ step: Step, _ error: ChipError) -> Action {
    switch phase {
    case .readingClock where cutNeedsClock: stayUp(.failed(step, error))
    case .readingClock, .settingWake, .verifyingWake: withoutAlarm(.failed(step, error))
    // A write that failed may have armed the cut.
    case .arming: perform(.disarm, .disarming(.failed(step, error)))
    case .disarming: end(.stayUp(.mayBeCut(error)))
    case .releasing(let refusal): end(.stayUp(refusal))
    // A write that failed may have set the timer.
    case .settingDeadMan: stayUp(.failed(step, error))
    default: end(.stayUp(.failed(step, error)))
    }
  }

  private mutating func stayUp(_ refusal: Refusal) -> Action {
    guard restartsRunningHost else { return end(.stayUp(refusal)) }
    return perform(.release(deadMan: request.deadMan != nil), .releasing(refusal))
  }

  /// A nearly empty battery lasts longer without the host, and the dead-man timer is set.
  private mutating func withoutAlarm(_ refusal: Refusal) -> Action {
    guard request.isCritical, request.deadMan != nil else { return stayUp(refusal) }
    return perform(.armCut(request.cutAfter), .arming(alarm: false))
  }

  private mutating func perform(_ step: Step, _ phase: Phase) -> Action {
    (self.step, self.phase) = (step, phase)
    return .perform(step)
  }

  private mutating func end(_ action: Action) -> Action {
    (step, phase) = (nil, .over)
    return action
  }
}
