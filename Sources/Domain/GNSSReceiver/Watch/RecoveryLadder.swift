import Quantities

/// Selects the next recovery step. Each step gets time to work; after the last one comes a growing back-off.
///
/// There is one ladder for the receiver, not one for each fault. If one fault turns into another, it
/// continues upwards; only a long time without a fault resets it.
struct RecoveryLadder: Equatable, Sendable {
  static let firstBackOff = Duration.seconds(600)
  static let longestBackOff = Duration.seconds(6 * 3600)
  /// Time that a receiver gets after a wake-up before recovery steps continue.
  static let graceAfterWaking = Duration.seconds(30)
  /// Time without a recoverable fault after which the ladder starts at the mildest step again.
  static let lastingHealth = Duration.seconds(1800)

  let mayWrite: Bool
  let canCyclePower: Bool
  private var tried: [RecoveryStep] = []
  private var backoff = Backoff(from: Self.firstBackOff, upTo: Self.longestBackOff)
  private var fault: ReceiverFault?
  /// The earliest time of the next recovery step.
  private var notBefore: Moment?
  private var healthySince: Moment?
  private var isBackingOff = false
  /// Remaining time of the current step; nil unless the receiver is asleep on request.
  private var pausedWith: Duration?

  init(mayWrite: Bool, canCyclePower: Bool) {
    self.mayWrite = mayWrite
    self.canCyclePower = canCyclePower
  }

  /// Sets the gravest fault that a recovery step may clear; nil if there is none.
  mutating func setFault(_ fault: ReceiverFault?, now: Moment) {
    guard fault != self.fault else { return }
    if let fault {
      if let healthySince, now - healthySince >= Self.lastingHealth {
        tried = []
        backoff.reset()
      }
      healthySince = nil
      let earliest = now + Self.initialDelay(fault)
      notBefore = max(notBefore ?? earliest, earliest)
    } else {
      healthySince = now
    }
    self.fault = fault
  }

  /// Stops the time of the current step while the receiver is asleep on request; a back-off continues.
  mutating func pause(now: Moment) {
    pausedWith = isBackingOff ? .zero : notBefore.map { max($0 - now, .zero) } ?? .zero
  }

  mutating func resume(now: Moment) {
    let earliest = now + max(pausedWith ?? .zero, Self.graceAfterWaking)
    pausedWith = nil
    notBefore = max(notBefore ?? earliest, earliest)
  }

  var nextTimeout: Moment? { fault == nil || pausedWith != nil ? nil : notBefore }

  mutating func climb(now: Moment) -> WatchAction? {
    guard let nextTimeout, now >= nextTimeout, let fault else { return nil }
    let highest = tried.last?.rawValue ?? -1
    if let remedy = recoverySteps(fault).first(where: { $0.rawValue > highest }) {
      tried.append(remedy)
      isBackingOff = false
      notBefore = now + Self.time(remedy, against: fault)
      return .remedy(remedy, against: fault)
    }
    isBackingOff = true
    let until = now + backoff.next()
    defer { tried = [] }
    notBefore = until
    return .backOff(fault, tried: tried, until: until)
  }

  private func recoverySteps(_ fault: ReceiverFault) -> [RecoveryStep] {
    Self.ladder(fault).filter { remedy in
      switch remedy {
      case .reopen, .findAgain: true
      case .warmStart: mayWrite
      case .powerCycle: canCyclePower
      }
    }
  }

  /// The recovery steps for a fault, mildest first; empty if no step on this side of the antenna can help.
  static func ladder(_ fault: ReceiverFault) -> [RecoveryStep] {
    switch fault {
    case .silent: [.reopen, .findAgain, .warmStart, .powerCycle]
    case .unreadable: [.findAgain, .powerCycle]
    case .frozen: [.reopen, .warmStart, .powerCycle]
    case .impossibleTime, .withoutFix: [.warmStart, .powerCycle]
    case .antennaOpen, .antennaShort, .jammed, .spoofed: []
    }
  }

  /// Time between the start of a fault and the first recovery step.
  private static func initialDelay(_ fault: ReceiverFault) -> Duration {
    switch fault {
    // A single time step is over before that.
    case .impossibleTime: .seconds(60)
    case .silent, .unreadable, .frozen, .withoutFix, .antennaOpen, .antennaShort, .jammed, .spoofed: .zero
    }
  }

  /// Time that a recovery step has to work.
  private static func time(_ remedy: RecoveryStep, against fault: ReceiverFault) -> Duration {
    // A start without an almanac, with margin.
    if fault == .withoutFix { return .seconds(15 * 60) }
    return switch remedy {
    case .reopen: .seconds(45)
    // Nine baud rates of 2 to 3 s each, and wake bytes.
    case .findAgain: .seconds(75)
    case .warmStart: .seconds(90)
    case .powerCycle: .seconds(120)
    }
  }
}
