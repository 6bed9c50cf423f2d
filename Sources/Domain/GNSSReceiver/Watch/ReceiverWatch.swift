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
  private var faultTable = FaultTable()
  private var ladder: RecoveryLadder
  private var timeValidator = TimeValidator()
  private var freezeDetector = FreezeDetector()
  private var silence: LineSilence
  private var framing: FramingCheck
  private var lastEpoch: Moment?
  private var fixless: FixlessTime

  /// Creates a monitor. If `mayWrite` is false, recovery steps that write to the receiver are omitted;
  /// `canCyclePower` is true if a host pin switches its supply.
  public init(mayWrite: Bool, canCyclePower: Bool, now: Moment) {
    ladder = RecoveryLadder(mayWrite: mayWrite, canCyclePower: canCyclePower)
    clock = now
    silence = LineSilence(now: now)
    framing = FramingCheck(now: now)
    fixless = FixlessTime(now: now)
    nextTimeout = now + Self.silence
  }

  /// The faults that have begun and not ended, the gravest first.
  public var faults: [ReceiverFault] { faultTable.reported }

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
    case .quiet(let until): silence.expectQuiet(until: until)
    case .asleep: fallAsleep()
    case .awake: wake()
    }
    return settle()
  }

  private var timeout: Moment? {
    guard !isAsleep else { return nil }
    guard !faultTable.isFaultFree else { return silence.begins }
    var next = ladder.nextTimeout
    if !faultTable.isReported(.silent) || silence.begins > clock {
      next = min(next ?? .init(nanoseconds: .max), silence.begins)
    }
    if let timeout = faultTable.nextTimeout { next = min(next ?? timeout, timeout) }
    return next
  }

  public mutating func handleTimeout(now: Moment) -> [WatchAction] {
    clock = max(clock, now)
    return settle()
  }

  private mutating func take(bytes count: Int) {
    guard count > 0 else { return }
    if clock >= silence.begins {
      observe(.silent, silence.evidence)
      // Silence is no evidence about reception or the clock.
      fixless.resume(now: clock)
      if lastEpoch != nil { lastEpoch = clock }
    }
    silence.end(now: clock)
    observe(.silent, nil)
    if let evidence = framing.take(bytes: count, now: clock) { observe(.unreadable, evidence) }
  }

  private mutating func take(frames count: Int) {
    guard count > 0 else { return }
    if framing.take(frames: count) { observe(.unreadable, nil) }
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
      let waitedForEpoch = if case .noEpoch? = faultTable.evidence(of: .frozen) { true } else { false }
      if fix.kind != .none || waitedForEpoch { observe(.frozen, freeze) }
    }
    if fix.kind != .none {
      fixless.restart(now: clock)
      observe(.withoutFix, nil)
    } else {
      evaluateFix()
    }
  }

  private mutating func evaluateFix() {
    let time = fixless.time(now: clock)
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
    faultTable.observe(fault, found, now: clock)
  }

  private mutating func startOver() {
    timeValidator.restart()
    freezeDetector.restart()
    framing.restart()
    lastEpoch = nil
    if !faultTable.isReported(.silent) { silence.end(now: clock) }
  }

  private mutating func fallAsleep() {
    guard !isAsleep else { return }
    isAsleep = true
    fixless.pause(now: clock)
    faultTable.discardObservations()
    ladder.pause(now: clock)
  }

  private mutating func wake() {
    guard isAsleep else { return }
    isAsleep = false
    startOver()
    silence.end(now: clock)
    fixless.resume(now: clock)
    ladder.resume(now: clock)
  }

  private mutating func settle() -> [WatchAction] {
    if !isAsleep, clock >= silence.begins { observe(.silent, silence.evidence) }
    let actions = isAsleep || faultTable.isFaultFree ? [] : settleFaults()
    nextTimeout = timeout
    return actions
  }

  private mutating func settleFaults() -> [WatchAction] {
    defer { faultTable.updateFaultFree() }
    ladder.setFault(faultTable.recoverable, now: clock)
    guard let timeout, clock >= timeout else { return [] }
    var actions = faultTable.settle(now: clock)
    ladder.setFault(faultTable.recoverable, now: clock)
    if let action = ladder.climb(now: clock) { actions.append(action) }
    return actions
  }
}

/// The debounced faults of a receiver, with the last evidence of each.
private struct FaultTable: Equatable, Sendable {
  /// True if there is no fault and no sign of one.
  private(set) var isFaultFree = true
  private var symptoms: [Symptom] = ReceiverFault.allCases.map { Symptom($0) }
  private var evidence: [WatchEvidence?] = ReceiverFault.allCases.map { _ in nil }

  /// The faults that have begun and not ended, the gravest first.
  var reported: [ReceiverFault] { ReceiverFault.allCases.filter { isReported($0) } }
  func isReported(_ fault: ReceiverFault) -> Bool { symptoms[fault.rawValue].isReported }
  func evidence(of fault: ReceiverFault) -> WatchEvidence? { evidence[fault.rawValue] }

  /// The time at which the next fault may begin or end.
  var nextTimeout: Moment? { symptoms.compactMap(\.nextTimeout).min() }

  /// The gravest present fault that has recovery steps. A missing fix has none if the antenna or jamming
  /// explains it.
  var recoverable: ReceiverFault? {
    for index in symptoms.indices where symptoms[index].needsRecovery {
      guard let fault = ReceiverFault(rawValue: index), !RecoveryLadder.ladder(fault).isEmpty else {
        continue
      }
      if fault == .withoutFix, isMissingFixExplained { continue }
      return fault
    }
    return nil
  }

  private var isMissingFixExplained: Bool {
    isReported(.antennaOpen) || isReported(.antennaShort) || isReported(.jammed)
  }

  /// Records that a fault was found; `found` is nil if it is absent.
  mutating func observe(_ fault: ReceiverFault, _ found: WatchEvidence?, now: Moment) {
    if isFaultFree, found == nil { return }
    isFaultFree = false
    symptoms[fault.rawValue].observe(found != nil, now: now)
    if let found { evidence[fault.rawValue] = found }
  }

  /// Discards unfinished observations; the reported state stays.
  mutating func discardObservations() {
    for index in symptoms.indices { symptoms[index].discardObservations() }
  }

  /// Begins and ends the faults that are due, and returns the events.
  mutating func settle(now: Moment) -> [WatchAction] {
    var events: [WatchAction] = []
    for fault in ReceiverFault.allCases {
      switch symptoms[fault.rawValue].settle(now: now) {
      case .began?: if let found = evidence(of: fault) { events.append(.event(.began(fault, found))) }
      case .ended(let lasted)?: events.append(.event(.ended(fault, lasted: lasted)))
      case nil: break
      }
    }
    return events
  }

  mutating func updateFaultFree() { isFaultFree = symptoms.allSatisfy(\.isFaultFree) }
}

/// The silence of a line.
private struct LineSilence: Equatable, Sendable {
  private var lastBytes: Moment
  private var quietUntil: Moment?

  init(now: Moment) { lastBytes = now }

  /// The moment from which a line without a byte counts as silent.
  var begins: Moment { max(lastBytes, quietUntil ?? lastBytes) + ReceiverWatch.silence }
  var evidence: WatchEvidence { .noBytes(since: lastBytes) }

  /// The receiver sends nothing on purpose until then; nil if it sends as usual.
  mutating func expectQuiet(until: Moment?) { quietUntil = until }
  mutating func end(now: Moment) { lastBytes = now }
}

/// Checks if the bytes of a line contain frames.
private struct FramingCheck: Equatable, Sendable {
  private static let mostBytes = 1 << 30

  private var bytes = 0
  private var since: Moment
  /// The number of frames since the line was last unreadable.
  private var frames = 0

  init(now: Moment) { since = now }

  mutating func restart() { bytes = 0 }

  /// Counts bytes, 1 or more. Returns evidence if the line is unreadable.
  mutating func take(bytes count: Int, now: Moment) -> WatchEvidence? {
    if bytes == 0 { since = now }
    bytes = min(bytes + min(count, Self.mostBytes), Self.mostBytes)
    guard bytes >= ReceiverWatch.unreadableBytes, now - since >= ReceiverWatch.unreadableTime else {
      return nil
    }
    frames = 0
    return .bytesWithoutFrame(bytes, since: since)
  }

  /// Counts frames, 1 or more. Returns true if the line is proven readable.
  mutating func take(frames count: Int) -> Bool {
    bytes = 0
    frames = min(frames + min(count, ReceiverWatch.provingFrames), ReceiverWatch.provingFrames)
    return frames >= ReceiverWatch.provingFrames
  }
}

/// The time that a receiver was awake since its last fix.
private struct FixlessTime: Equatable, Sendable {
  private var before = Duration.zero
  private var since: Moment

  init(now: Moment) { since = now }

  func time(now: Moment) -> Duration { before + (now - since) }

  mutating func restart(now: Moment) { (before, since) = (.zero, now) }
  /// Stops counting until ``resume(now:)``.
  mutating func pause(now: Moment) { before += now - since }
  /// Counts from now on; the time since the last call is not counted.
  mutating func resume(now: Moment) { since = now }
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
