import Quantities

/// Which remedy comes when: each gets time to work, and after the last one comes a rest that grows.
///
/// There is one ladder for the receiver, not one for each trouble: where one trouble turns into another it goes
/// on upwards, and only lasting health brings it down.
struct RemedyLadder: Equatable, Sendable {
  static let firstRest = Duration.seconds(600)
  static let longestRest = Duration.seconds(6 * 3600)
  /// A receiver that was just woken gets so long to be itself.
  static let graceAfterWaking = Duration.seconds(30)
  /// So long without a trouble that has remedies, and it begins at the bottom again.
  static let lastingHealth = Duration.seconds(1800)

  let mayWrite: Bool
  let canCyclePower: Bool
  private var tried: [Remedy] = []
  private var rest = RemedyLadder.firstRest
  private var trouble: Trouble?
  /// No remedy before this.
  private var notBefore: Moment?
  private var healthySince: Moment?
  private var isResting = false
  /// Asleep by plan: what was left of the time that a remedy was given.
  private var pausedWith: Duration?

  init(mayWrite: Bool, canCyclePower: Bool) {
    self.mayWrite = mayWrite
    self.canCyclePower = canCyclePower
  }

  /// The gravest trouble that a remedy may help against; nil when all is well.
  mutating func face(_ trouble: Trouble?, now: Moment) {
    guard trouble != self.trouble else { return }
    if let trouble {
      if let healthySince, now - healthySince >= Self.lastingHealth {
        tried = []
        rest = Self.firstRest
      }
      healthySince = nil
      let earliest = now + Self.patience(trouble)
      notBefore = max(notBefore ?? earliest, earliest)
    } else {
      healthySince = now
    }
    self.trouble = trouble
  }

  /// Asleep by plan: the time that a remedy has to work stands still, a rest goes on.
  mutating func pause(now: Moment) {
    pausedWith = isResting ? .zero : notBefore.map { max($0 - now, .zero) } ?? .zero
  }

  mutating func resume(now: Moment) {
    let earliest = now + max(pausedWith ?? .zero, Self.graceAfterWaking)
    pausedWith = nil
    notBefore = max(notBefore ?? earliest, earliest)
  }

  var nextTimeout: Moment? { trouble == nil || pausedWith != nil ? nil : notBefore }

  mutating func climb(now: Moment) -> WatchAction? {
    guard let nextTimeout, now >= nextTimeout, let trouble else { return nil }
    let highest = tried.last?.rawValue ?? -1
    if let remedy = remedies(trouble).first(where: { $0.rawValue > highest }) {
      tried.append(remedy)
      isResting = false
      notBefore = now + Self.time(remedy, against: trouble)
      return .remedy(remedy, against: trouble)
    }
    isResting = true
    let until = now + rest
    defer { tried = [] }
    rest = min(rest + rest, Self.longestRest)
    notBefore = until
    return .rest(trouble, tried: tried, until: until)
  }

  private func remedies(_ trouble: Trouble) -> [Remedy] {
    Self.ladder(trouble).filter { remedy in
      switch remedy {
      case .reopen, .findAgain: true
      case .warmStart: mayWrite
      case .powerCycle: canCyclePower
      }
    }
  }

  /// Mildest first; empty where nothing on this side of the antenna helps.
  static func ladder(_ trouble: Trouble) -> [Remedy] {
    switch trouble {
    case .silent: [.reopen, .findAgain, .warmStart, .powerCycle]
    case .unreadable: [.findAgain, .powerCycle]
    case .frozen: [.reopen, .warmStart, .powerCycle]
    case .impossibleTime, .withoutFix: [.warmStart, .powerCycle]
    case .antennaOpen, .antennaShort, .jammed, .spoofed: []
    }
  }

  /// What passes between the beginning of a trouble and the first remedy.
  private static func patience(_ trouble: Trouble) -> Duration {
    switch trouble {
    // A single step of the time is over before that.
    case .impossibleTime: .seconds(60)
    case .silent, .unreadable, .frozen, .withoutFix, .antennaOpen, .antennaShort, .jammed, .spoofed: .zero
    }
  }

  /// How long a remedy has to work.
  private static func time(_ remedy: Remedy, against trouble: Trouble) -> Duration {
    // A start that needs the almanac, with some margin.
    if trouble == .withoutFix { return .seconds(15 * 60) }
    return switch remedy {
    case .reopen: .seconds(45)
    // Nine speeds of 2 to 3 s each, and wake bytes.
    case .findAgain: .seconds(75)
    case .warmStart: .seconds(90)
    case .powerCycle: .seconds(120)
    }
  }
}
