import GNSSProtocol
import Quantities

/// The session with a receiver on a serial line: finds the baud rate, identifies and configures the receiver,
/// puts it to sleep and wakes it.
///
/// A state machine without input or output. The owner passes events, carries out the returned
/// actions in their order, and calls ``handleTimeout(now:)`` no earlier than ``nextTimeout``. With `control`
/// `none` it never returns an action that writes a byte or sets a pin.
public struct ReceiverDialogue: Sendable {
  public let settings: DialogueSettings
  /// The current state, as status shows it.
  public private(set) var state = State.closed
  /// True if bytes must be read as they arrive, because the dialogue waits for a reply or for silence.
  /// Otherwise the line may be left unread between two epochs.
  public private(set) var listensClosely = false
  public private(set) var nextTimeout: Moment?
  /// True if the receiver stores its epochs, or is about to begin or end that.
  public private(set) var isBatching = false

  var phase = DialoguePhase.closed(wakesAt: nil)
  var line: LineState
  /// The receiver that was last saved.
  var known: KnownReceiver?
  /// The known part of the identity. `isConfirmed` becomes true when the receiver answers a query or
  /// accepts a command.
  var identity: ReceiverIdentity?
  var isConfirmed = false
  var desiredState = DesiredState.awake
  /// The configuration that the receiver should have, and the one that was last sent.
  var desired = ReceiverConfiguration()
  var applied = ReceiverConfiguration()
  /// True if the desired `setUp` changed after the last configuration began.
  var isDesiredSetUpNew = false
  /// True if the receiver may have lost its settings; they are sent again when it is awake.
  var mayHaveLostSettings = false
  /// A baud rate that failed and is not tried again.
  var failedSpeed: UInt32?
  /// State of the enable line; nil before it was set.
  var enabled: Bool?
  /// True if the requested sleep cuts the supply.
  var shouldCutSupply = false
  /// True if the receiver cannot be put to sleep; it keeps running until the next request.
  var isKeptAwake = false
  var setUpBackOff = Backoff.repeatedSetUp
  var nextSetUp = Moment.zero
  var sleepBackOff = Backoff.search
  /// Number of silences since the last request; each one lengthens the tolerated silence.
  var silences = 0
  /// Rounds of queries without an answer.
  var unansweredRounds = 0
  /// Number of answers that contradicted the identity.
  var contradictions = 0
  var lastRestart: Moment?
  var lastUptime: UInt32?
  var reportedFault: DialogueNotice?
  var gate = FixGate()
  var aidingSchedule = AidingSchedule()
  var savedState = SavedState()
  /// True if a person requested the satellites once and the family has no poll: the receiver reports them
  /// until it has done so.
  var isAskedForSatellites = false
  var isCyclicModeRefused = false
  /// Longest time that epochs may stay in the receiver's memory.
  var desiredLatencyBudget = Duration.zero
  var isBatchingRefused = false
  /// Earliest time at which batching may start again.
  var batchingBackOffUntil = Moment.zero
  /// Start of the batch that was not retrieved yet; nil while the receiver reports every epoch.
  var keepsSince: Moment?
  /// Epochs that the receiver reported by itself during batching.
  var unsolicitedEpochs = 0
  /// Back-off between attempts to return to continuous mode.
  var powerBackOff = Backoff.search
  /// Earliest time of the next poll of antenna and jamming.
  var nextHealth = Moment.zero

  /// The requested power state.
  enum DesiredState: Equatable, Sendable {
    case awake
    /// Asleep until a time; without `until`, until `awake` is requested.
    case asleep(until: Moment?)
  }

  /// Creates a dialogue; `known` is the receiver that was last saved.
  public init(settings: DialogueSettings, known: KnownReceiver?, now: Moment) {
    self.settings = settings
    self.known = known
    desired.setUp = settings.setUp
    nextSetUp = now
    switch settings.speed {
    case .fixed(let speed): line = LineState(speed: speed)
    case .automatic: line = LineState(speed: known?.speed ?? Finding.usualSpeeds[0])
    }
  }

  /// True if the enable line has cut the supply.
  public var isWithoutSupply: Bool { enabled == false }

  // MARK: State

  /// The state of a dialogue, as status shows it.
  public enum State: String, Sendable {
    case closed, finding, identifying, configuring, running
    case fallingAsleep = "falling asleep"
    case asleep, waking
  }

  /// The host's baud rate in bit/s, for opening the port.
  public var speed: UInt32 { line.speed }

  /// The baud rate that two frames have confirmed; nil during the search and on a port without a baud rate.
  public var provenSpeed: UInt32? {
    switch phase {
    case .closed, .finding, .changingSpeed, .waking: nil
    case .identifying, .settingUp, .running, .fallingAsleep, .asleep: line.effectiveSpeed
    }
  }

  /// The identity that the receiver reported; nil before that.
  public var receiver: ReceiverIdentity? { isConfirmed ? identity : nil }

  // MARK: Events

  public mutating func handle(_ event: DialogueEvent, now: Moment) -> [DialogueAction] {
    var actions: [DialogueAction] = []
    switch event {
    case .opened(let hasSpeed): opened(hasSpeed: hasSpeed, now: now, &actions)
    case .received(let bytes, let frames): received(bytes: bytes, frames: frames, now: now, &actions)
    case .answer(let answer): take(answer, now: now, &actions)
    case .drained: drained(now: now)
    case .lost: lost(now: now, &actions)
    case .request(let desiredState): request(desiredState, now: now, &actions)
    }
    return concluded(actions, now: now)
  }

  /// Processes deadlines. It does nothing before ``nextTimeout``.
  public mutating func handleTimeout(now: Moment) -> [DialogueAction] {
    guard let nextTimeout, now >= nextTimeout else { return [] }
    var actions: [DialogueAction] = []
    timeOut(now: now, &actions)
    return concluded(actions, now: now)
  }

  /// True if a fix is to be kept. After a wake-up or a restart, the incomplete first epoch and repeated old
  /// data are rejected. Call it once for each epoch, in order; at most three are rejected.
  public mutating func admits(_ fix: Fix, now: Moment) -> Bool {
    guard gate.admits(fix, now: now) else { return false }
    if fix.kind != .none { aidingSchedule.fixed() }
    if !fix.isStored, keepsSince != nil {
      unsolicitedEpochs = min(unsolicitedEpochs + 1, Self.mostUnsolicitedEpochs)
    }
    return true
  }

  /// The only exit for actions: without receiver control nothing reaches the receiver.
  private mutating func concluded(_ requested: [DialogueAction], now: Moment) -> [DialogueAction] {
    var actions = requested
    settleBatching(now: now, &actions)
    let status = phase.status
    state = status.state
    listensClosely = status.listensClosely
    nextTimeout = status.deadline
    isBatching = status.isBatching
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
