import GNSSProtocol
import Quantities

/// Monitors a receiver that should be running. Reports every fault when it starts and when it ends, and requests
/// recovery steps with growing back-off.
///
/// Nothing is monitored while the receiver is asleep on request. A reported fault stays reported until its
/// end is observed. The owner passes inputs and carries out the returned actions.
public struct ReceiverWatch: Equatable, Sendable {
  /// Time without a byte that counts as silence; longer than the slowest usual output interval (10 s).
  public static let silence = Duration.seconds(30)
  /// Number of bytes without a frame that counts as unreadable.
  public static let unreadableBytes = 512
  /// Shortest time over which these bytes must arrive.
  public static let unreadableTime = Duration.seconds(10)
  /// Time with frames but without an epoch that counts as a stopped clock, if epochs were received before. A
  /// receiver that lost its time sends no epochs either; the limit leaves it the time to load an almanac.
  public static let withoutEpoch = Duration.seconds(15 * 60)
  /// Time awake without a fix that counts as a fault: twice the time to load an almanac, with margin.
  public static let withoutFix = Duration.seconds(30 * 60)
  /// Number of frames that proves a line readable again.
  public static let provingFrames = 2

  /// Time of the next deadline; nil while the receiver is asleep.
  public private(set) var nextTimeout: Moment?

  private var clock: Moment
  private var isAsleep = false
  /// True if there is no fault and no sign of one.
  private var isFaultFree = true
  private var symptoms: [Symptom] = ReceiverFault.allCases.map { Symptom($0) }
  private var evidence: [WatchEvidence?] = ReceiverFault.allCases.map { _ in nil }
  private var ladder: RecoveryLadder
  private var timeValidator = TimeValidator()
  private var freezeDetector = FreezeDetector()
  private var lastBytes: Moment
  private var quietUntil: Moment?
  private var unframedBytes = 0
  private var unframedSince: Moment
  private var framesSinceUnframed = 0
  private var lastEpoch: Moment?
  private var awakeWithoutFix = Duration.zero
  private var withoutFixSince: Moment

  /// Creates a monitor. If `mayWrite` is false, recovery steps that write to the receiver are omitted;
  /// `canCyclePower` is true if a host pin switches its supply.
  public init(mayWrite: Bool, canCyclePower: Bool, now: Moment) {
    ladder = RecoveryLadder(mayWrite: mayWrite, canCyclePower: canCyclePower)
    clock = now
    lastBytes = now
    unframedSince = now
    withoutFixSince = now
    nextTimeout = now + Self.silence
  }

  /// The faults that have begun and not ended, the gravest first.
  public var faults: [ReceiverFault] { ReceiverFault.allCases.filter { symptoms[$0.rawValue].isReported } }

  /// Handles an input. A `now` before that of the previous input counts as the latter. For an epoch, `now` is
  /// the time of that epoch; epochs come in order.
  public mutating func handle(_ input: WatchInput, now: Moment) -> [WatchAction] {
    clock = max(clock, now)
    switch input {
    case .opened: startOver()
    case .received(let bytes, let frames):
      if !isAsleep {
        take(bytes: bytes)
        take(frames: frames)
      }
    case .epoch(let fix): if !isAsleep { take(fix, at: now) }
    case .answer(let answer): if !isAsleep { take(answer) }
    case .quiet(let until): quietUntil = until
    case .asleep: fallAsleep()
    case .awake: wake()
    }
    return settle()
  }

  /// The moment from which a line without a byte counts as silent.
  private var silentFrom: Moment { max(lastBytes, quietUntil ?? lastBytes) + Self.silence }

  private var timeout: Moment? {
    guard !isAsleep else { return nil }
    guard !isFaultFree else { return silentFrom }
    var next = ladder.nextTimeout
    if !symptoms[ReceiverFault.silent.rawValue].isReported || silentFrom > clock {
      next = min(next ?? .init(nanoseconds: .max), silentFrom)
    }
    for symptom in symptoms {
      if let timeout = symptom.nextTimeout { next = min(next ?? timeout, timeout) }
    }
    return next
  }

  public mutating func handleTimeout(now: Moment) -> [WatchAction] {
    clock = max(clock, now)
    return settle()
  }

  private mutating func take(bytes count: Int) {
    guard count > 0 else { return }
    if clock >= silentFrom {
      observe(.silent, .noBytes(since: lastBytes))
      // Silence is no evidence about reception or the clock.
      withoutFixSince = clock
      if lastEpoch != nil { lastEpoch = clock }
    }
    lastBytes = clock
    observe(.silent, nil)
    if unframedBytes == 0 { unframedSince = clock }
    unframedBytes = min(unframedBytes + min(count, 1 << 30), 1 << 30)
    guard unframedBytes >= Self.unreadableBytes, clock - unframedSince >= Self.unreadableTime else { return }
    framesSinceUnframed = 0
    observe(.unreadable, .bytesWithoutFrame(unframedBytes, since: unframedSince))
  }

  private mutating func take(frames count: Int) {
    guard count > 0 else { return }
    unframedBytes = 0
    framesSinceUnframed = min(framesSinceUnframed + min(count, Self.provingFrames), Self.provingFrames)
    if framesSinceUnframed >= Self.provingFrames { observe(.unreadable, nil) }
    if let lastEpoch, clock - lastEpoch >= Self.withoutEpoch { observe(.frozen, .noEpoch(since: lastEpoch)) }
    evaluateFix()
  }

  private mutating func take(_ fix: Fix, at moment: Moment) {
    lastEpoch = clock
    let freeze = freezeDetector.evaluate(fix, now: moment)
    if case .timeStopped? = freeze {
      observe(.impossibleTime, freeze)
      observe(.frozen, nil)
    } else {
      let wrong = timeValidator.evaluate(fix, now: moment)
      if wrong != nil {
        observe(.impossibleTime, wrong)
      } else if timeValidator.isSteady {
        observe(.impossibleTime, nil)
      }
      // An epoch without a fix does not show if the position changes.
      let waitedForEpoch = if case .noEpoch? = evidence[ReceiverFault.frozen.rawValue] { true } else { false }
      if fix.kind != .none || waitedForEpoch { observe(.frozen, freeze) }
    }
    if fix.kind != .none {
      awakeWithoutFix = .zero
      withoutFixSince = clock
      observe(.withoutFix, nil)
    } else {
      evaluateFix()
    }
  }

  private mutating func evaluateFix() {
    let time = awakeWithoutFix + (clock - withoutFixSince)
    if time >= Self.withoutFix { observe(.withoutFix, .noFix(for: time)) }
  }

  private mutating func take(_ answer: ReceiverAnswer) {
    switch answer {
    case .antenna(let state):
      guard state != .unknown else { return }
      observe(.antennaOpen, state == .open ? .antenna(state) : nil)
      observe(.antennaShort, state == .short ? .antenna(state) : nil)
    case .jamming(let state):
      guard state != .unknown else { return }
      observe(.jammed, state == .ok ? nil : .jamming(state))
    case .spoofing(let state):
      guard state != .unknown else { return }
      observe(.spoofed, state == .ok ? nil : .spoofing(state))
    case .started:
      timeValidator.restart()
      freezeDetector.restart()
    case .acknowledge, .pmtk, .pair, .pqtm, .casic, .version, .savedState, .aiding, .sinceStart, .batch,
      .storedEpoch, .errorText, .foreign:
      break
    }
  }

  private mutating func observe(_ fault: ReceiverFault, _ found: WatchEvidence?) {
    if isFaultFree, found == nil { return }
    isFaultFree = false
    symptoms[fault.rawValue].observe(found != nil, now: clock)
    if let found { evidence[fault.rawValue] = found }
  }

  private mutating func startOver() {
    timeValidator.restart()
    freezeDetector.restart()
    unframedBytes = 0
    lastEpoch = nil
    if !symptoms[ReceiverFault.silent.rawValue].isReported { lastBytes = clock }
  }

  private mutating func fallAsleep() {
    guard !isAsleep else { return }
    isAsleep = true
    awakeWithoutFix += clock - withoutFixSince
    for index in symptoms.indices { symptoms[index].discardObservations() }
    ladder.pause(now: clock)
  }

  private mutating func wake() {
    guard isAsleep else { return }
    isAsleep = false
    startOver()
    lastBytes = clock
    withoutFixSince = clock
    ladder.resume(now: clock)
  }

  private mutating func settle() -> [WatchAction] {
    if !isAsleep, clock >= silentFrom { observe(.silent, .noBytes(since: lastBytes)) }
    let actions = isAsleep || isFaultFree ? [] : settleSymptoms()
    nextTimeout = timeout
    return actions
  }

  private mutating func settleSymptoms() -> [WatchAction] {
    defer { isFaultFree = symptoms.allSatisfy(\.isFaultFree) }
    ladder.setFault(recoverableFault, now: clock)
    guard let timeout, clock >= timeout else { return [] }
    var actions: [WatchAction] = []
    for fault in ReceiverFault.allCases {
      switch symptoms[fault.rawValue].settle(now: clock) {
      case .began?:
        if let found = evidence[fault.rawValue] { actions.append(.event(.began(fault, found))) }
      case .ended(let lasted)?: actions.append(.event(.ended(fault, lasted: lasted)))
      case nil: break
      }
    }
    ladder.setFault(recoverableFault, now: clock)
    if let action = ladder.climb(now: clock) { actions.append(action) }
    return actions
  }

  /// The gravest present fault that has recovery steps. A missing fix has none if the antenna or jamming
  /// explains it.
  private var recoverableFault: ReceiverFault? {
    for index in symptoms.indices where symptoms[index].needsRecovery {
      guard let fault = ReceiverFault(rawValue: index), !RecoveryLadder.ladder(fault).isEmpty else {
        continue
      }
      if fault == .withoutFix, isExplained { continue }
      return fault
    }
    return nil
  }

  private var isExplained: Bool {
    symptoms[ReceiverFault.antennaOpen.rawValue].isReported
      || symptoms[ReceiverFault.antennaShort.rawValue].isReported
      || symptoms[ReceiverFault.jammed.rawValue].isReported
  }
}

extension Symptom {
  /// The debounce times of each fault.
  fileprivate init(_ fault: ReceiverFault) {
    switch fault {
    // Longer than it takes to detect again that the line is unreadable or the position frozen.
    case .unreadable, .frozen: self.init(onsetTime: .zero, proof: .seconds(30))
    case .silent, .impossibleTime: self.init(onsetTime: .zero, proof: .seconds(20))
    case .withoutFix: self.init(onsetTime: .zero, proof: .seconds(10))
    // These states flicker near their threshold.
    case .antennaOpen, .antennaShort, .jammed, .spoofed:
      self.init(onsetTime: .seconds(10), proof: .seconds(60))
    }
  }
}
