import Quantities

/// Talks with the receiver on a serial line: finds its speed, asks who it is, configures it, puts it to sleep and
/// wakes it.
///
/// It performs nothing: feed it what happened, carry out the actions it answers in their order, and call
/// ``handleTimeout(now:)`` no earlier than ``nextTimeout``. With `control` none it never asks for a byte to be
/// written nor for a pin to be set.
public struct ReceiverDialogue: Sendable {
  public let settings: DialogueSettings
  /// What it is at.
  public private(set) var state = State.closed
  /// The bytes must be read as they arrive, because it waits for a reply or for silence. Otherwise the line may be
  /// left alone between two epochs.
  public private(set) var listensClosely = false
  public private(set) var nextTimeout: Moment?
  /// It keeps its epochs, or is at the way there or back.
  public private(set) var isBatching = false

  var phase = DialoguePhase.closed(wakesAt: nil)
  var line: LineState
  /// What was last remembered.
  var known: KnownReceiver?
  /// Who it is, as far as is known; `isConfirmed` once it said so or took a command.
  var identity: ReceiverIdentity?
  var isConfirmed = false
  var demand = Demand.awake
  var wish: SetUp?
  /// What it was told last.
  var given: SetUp?
  /// `wish` came after the last set-up had begun.
  var isWishNew = false
  /// It may have lost what it was told; it is told again once it is awake.
  var isForgetful = false
  /// It did not come to this speed; that is not tried again.
  var failedSpeed: UInt32?
  /// The state of the enable line; nil before it was set.
  var enabled: Bool?
  /// Its sleep is to be without supply.
  var isCutWanted = false
  /// It cannot be put to sleep and is left to talk until the next demand.
  var isExcusedFromSleep = false
  var setUpRests = Rests.repeatedSetUp
  var nextSetUp = Moment.zero
  var sleepRests = Rests.search
  /// How often it fell silent since the last demand; each time longer silence is borne.
  var silences = 0
  /// Rounds of queries without an answer.
  var unansweredRounds = 0
  /// How often answers spoke against its identity.
  var doubts = 0
  var lastRestart: Moment?
  var lastUptime: UInt32?
  var saidTrouble: DialogueNotice?
  var gate = FixGate()
  var aidPlan = AidPlan()
  var savedState = SavedState()
  /// Somebody wants to know which satellites it hears.
  var wantsSatellites = false
  /// A person asked for them once, and the receiver has no question for that: it names them until it has.
  var isAskedForSatellites = false
  /// It was told to name them.
  var namesSatellites = false
  /// How it is to save charge while it runs, and what it was told of that.
  var wantedPower = SetUp.Power.continuous
  var toldPower = SetUp.Power.continuous
  var isCyclicModeRefused = false
  /// For so long may epochs wait in the receiver's memory.
  var wantedPatience = Duration.zero
  var isBatchingRefused = false
  /// Before it keeping is not begun again.
  var batchingRestsUntil = Moment.zero
  /// Since then it keeps epochs that were not told; nil while it says each by itself.
  var keepsSince: Moment?
  /// Epochs that it said by itself while it was to keep them.
  var strayEpochs = 0
  /// Between two tries to bring it back to full power.
  var powerRests = Rests.search
  /// Before it the receiver is not asked how it fares.
  var nextHealth = Moment.zero

  /// What is wanted of its power state.
  enum Demand: Equatable, Sendable {
    case awake
    /// `until` nil: until it is wanted awake.
    case asleep(until: Moment?)
  }

  /// `known` is what was remembered at the last start.
  public init(settings: DialogueSettings, known: KnownReceiver?, now: Moment) {
    self.settings = settings
    self.known = known
    wish = settings.setUp
    nextSetUp = now
    switch settings.speed {
    case .fixed(let speed): line = LineState(speed: speed)
    case .automatic: line = LineState(speed: known?.speed ?? Finding.usualSpeeds[0])
    }
  }

  /// The enable line has cut its supply.
  public var isWithoutSupply: Bool { enabled == false }

  // MARK: What it is at

  public enum State: String, Sendable {
    case closed, finding, identifying, configuring, running
    case fallingAsleep = "falling asleep"
    case asleep, waking
  }

  /// The host's side of the line in bit/s: what to open the port with.
  public var speed: UInt32 { line.speed }

  /// The speed that two frames have proven; nil while it is searched for and on a port without a speed.
  public var provenSpeed: UInt32? {
    switch phase {
    case .closed, .finding, .changingSpeed, .waking: nil
    case .identifying, .settingUp, .running, .fallingAsleep, .asleep: line.namedSpeed
    }
  }

  /// Who the receiver says it is; nil before it was asked.
  public var receiver: ReceiverIdentity? { isConfirmed ? identity : nil }

  // MARK: What happens

  public mutating func handle(_ event: DialogueEvent, now: Moment) -> [DialogueAction] {
    var actions: [DialogueAction] = []
    switch event {
    case .opened(let hasSpeed): opened(hasSpeed: hasSpeed, now: now, &actions)
    case .heard(let bytes, let frames): heard(bytes: bytes, frames: frames, now: now, &actions)
    case .answer(let answer): take(answer, now: now, &actions)
    case .drained: drained(now: now)
    case .lost: lost(now: now, &actions)
    case .want(let demand): want(demand, now: now, &actions)
    }
    return concluded(actions, now: now)
  }

  /// Does nothing before ``nextTimeout``.
  public mutating func handleTimeout(now: Moment) -> [DialogueAction] {
    guard let nextTimeout, now >= nextTimeout else { return [] }
    var actions: [DialogueAction] = []
    timeOut(now: now, &actions)
    return concluded(actions, now: now)
  }

  /// Whether a fix is worth keeping: after a wake or a restart the torn first epoch and what the receiver repeats
  /// from before are not. Ask once for each epoch, in their order; at most three are turned away.
  public mutating func admits(_ fix: Fix, now: Moment) -> Bool {
    guard gate.admits(fix, now: now) else { return false }
    if fix.kind != .none { aidPlan.fixed() }
    if !fix.isStored, keepsSince != nil { strayEpochs = min(strayEpochs + 1, Self.mostStrays) }
    return true
  }

  /// The one place through which every action leaves: without control nothing reaches the receiver.
  private mutating func concluded(_ wanted: [DialogueAction], now: Moment) -> [DialogueAction] {
    var actions = wanted
    settleBatching(now: now, &actions)
    let standing = phase.standing
    state = standing.state
    listensClosely = standing.listensClosely
    nextTimeout = standing.deadline
    isBatching = standing.isBatching
    guard !actions.isEmpty else { return actions }
    return switch settings.control {
    case .full: actions
    case .none:
      actions.filter { action in
        switch action {
        case .write, .awaitDrain, .enableLine: false
        case .setSpeed, .reopen, .report, .remember: true
        }
      }
    }
  }

  private mutating func drained(now: Moment) {
    switch phase {
    case .changingSpeed(var change, let settingUp):
      change.drained(now: now)
      phase = .changingSpeed(change, settingUp)
    case .fallingAsleep(var falling):
      falling.drained(now: now)
      phase = .fallingAsleep(falling)
    case .closed, .finding, .identifying, .settingUp, .running, .asleep, .waking: break
    }
  }
}
