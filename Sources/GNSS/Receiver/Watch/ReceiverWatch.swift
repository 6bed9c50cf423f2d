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
  private var isCalm = true
  private var symptoms: [Symptom] = Trouble.allCases.map { Symptom($0) }
  private var evidence: [WatchEvidence?] = Trouble.allCases.map { _ in nil }
  private var ladder: RemedyLadder
  private var timeJudge = TimeJudge()
  private var freezeJudge = FreezeJudge()
  private var lastBytes: Moment
  private var quietUntil: Moment?
  private var strangeBytes = 0
  private var strangeSince: Moment
  private var framesSinceStrange = 0
  private var lastEpoch: Moment?
  private var awakeWithoutFix = Duration.zero
  private var withoutFixSince: Moment

  /// Creates a monitor. If `mayWrite` is false, recovery steps that write to the receiver are omitted;
  /// `canCyclePower` is true if a host pin switches its supply.
  public init(mayWrite: Bool, canCyclePower: Bool, now: Moment) {
    ladder = RemedyLadder(mayWrite: mayWrite, canCyclePower: canCyclePower)
    clock = now
    lastBytes = now
    strangeSince = now
    withoutFixSince = now
    nextTimeout = now + Self.silence
  }

  /// The faults that have begun and not ended, the gravest first.
  public var troubles: [Trouble] { Trouble.allCases.filter { symptoms[$0.rawValue].isReported } }

  /// Handles an input. A `now` before that of the previous input counts as the latter. For an epoch, `now` is
  /// the time of that epoch; epochs come in order.
  public mutating func handle(_ input: WatchInput, now: Moment) -> [WatchAction] {
    clock = max(clock, now)
    switch input {
    case .opened: startOver()
    case .heard(let bytes, let frames):
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
    guard !isCalm else { return silentFrom }
    var next = ladder.nextTimeout
    if !symptoms[Trouble.silent.rawValue].isReported || silentFrom > clock {
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
      see(.silent, .noBytes(since: lastBytes))
      // Silence is no evidence about reception or the clock.
      withoutFixSince = clock
      if lastEpoch != nil { lastEpoch = clock }
    }
    lastBytes = clock
    see(.silent, nil)
    if strangeBytes == 0 { strangeSince = clock }
    strangeBytes = min(strangeBytes + min(count, 1 << 30), 1 << 30)
    guard strangeBytes >= Self.unreadableBytes, clock - strangeSince >= Self.unreadableTime else { return }
    framesSinceStrange = 0
    see(.unreadable, .bytesWithoutFrame(strangeBytes, since: strangeSince))
  }

  private mutating func take(frames count: Int) {
    guard count > 0 else { return }
    strangeBytes = 0
    framesSinceStrange = min(framesSinceStrange + min(count, Self.provingFrames), Self.provingFrames)
    if framesSinceStrange >= Self.provingFrames { see(.unreadable, nil) }
    if let lastEpoch, clock - lastEpoch >= Self.withoutEpoch { see(.frozen, .noEpoch(since: lastEpoch)) }
    judgeFix()
  }

  private mutating func take(_ fix: Fix, at moment: Moment) {
    lastEpoch = clock
    let freeze = freezeJudge.judge(fix, now: moment)
    if case .timeStopped? = freeze {
      see(.impossibleTime, freeze)
      see(.frozen, nil)
    } else {
      let wrong = timeJudge.judge(fix, now: moment)
      if wrong != nil {
        see(.impossibleTime, wrong)
      } else if timeJudge.isSteady {
        see(.impossibleTime, nil)
      }
      // An epoch without a fix does not show if the position changes.
      let waitedForEpoch = if case .noEpoch? = evidence[Trouble.frozen.rawValue] { true } else { false }
      if fix.kind != .none || waitedForEpoch { see(.frozen, freeze) }
    }
    if fix.kind != .none {
      awakeWithoutFix = .zero
      withoutFixSince = clock
      see(.withoutFix, nil)
    } else {
      judgeFix()
    }
  }

  private mutating func judgeFix() {
    let time = awakeWithoutFix + (clock - withoutFixSince)
    if time >= Self.withoutFix { see(.withoutFix, .noFix(for: time)) }
  }

  private mutating func take(_ answer: ReceiverAnswer) {
    switch answer {
    case .antenna(let state):
      guard state != .unknown else { return }
      see(.antennaOpen, state == .open ? .antenna(state) : nil)
      see(.antennaShort, state == .short ? .antenna(state) : nil)
    case .jamming(let state):
      guard state != .unknown else { return }
      see(.jammed, state == .ok ? nil : .jamming(state))
    case .spoofing(let state):
      guard state != .unknown else { return }
      see(.spoofed, state == .ok ? nil : .spoofing(state))
    case .started:
      timeJudge.restart()
      freezeJudge.restart()
    case .acknowledge, .pmtk, .pair, .pqtm, .casic, .version, .savedState, .aiding, .sinceStart, .batch,
      .storedEpoch, .complaint, .foreign:
      break
    }
  }

  private mutating func see(_ trouble: Trouble, _ found: WatchEvidence?) {
    if isCalm, found == nil { return }
    isCalm = false
    symptoms[trouble.rawValue].see(found != nil, now: clock)
    if let found { evidence[trouble.rawValue] = found }
  }

  private mutating func startOver() {
    timeJudge.restart()
    freezeJudge.restart()
    strangeBytes = 0
    lastEpoch = nil
    if !symptoms[Trouble.silent.rawValue].isReported { lastBytes = clock }
  }

  private mutating func fallAsleep() {
    guard !isAsleep else { return }
    isAsleep = true
    awakeWithoutFix += clock - withoutFixSince
    for index in symptoms.indices { symptoms[index].lookAway() }
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
    if !isAsleep, clock >= silentFrom { see(.silent, .noBytes(since: lastBytes)) }
    let actions = isAsleep || isCalm ? [] : settleSymptoms()
    nextTimeout = timeout
    return actions
  }

  private mutating func settleSymptoms() -> [WatchAction] {
    defer { isCalm = symptoms.allSatisfy(\.isCalm) }
    ladder.face(remediable, now: clock)
    guard let timeout, clock >= timeout else { return [] }
    var actions: [WatchAction] = []
    for trouble in Trouble.allCases {
      switch symptoms[trouble.rawValue].settle(now: clock) {
      case .began?:
        if let found = evidence[trouble.rawValue] { actions.append(.event(.began(trouble, found))) }
      case .ended(let lasted)?: actions.append(.event(.ended(trouble, lasted: lasted)))
      case nil: break
      }
    }
    ladder.face(remediable, now: clock)
    if let action = ladder.climb(now: clock) { actions.append(action) }
    return actions
  }

  /// The gravest present fault that has recovery steps. A missing fix has none if the antenna or jamming
  /// explains it.
  private var remediable: Trouble? {
    for index in symptoms.indices where symptoms[index].isPressing {
      guard let trouble = Trouble(rawValue: index), !RemedyLadder.ladder(trouble).isEmpty else { continue }
      if trouble == .withoutFix, isExplained { continue }
      return trouble
    }
    return nil
  }

  private var isExplained: Bool {
    symptoms[Trouble.antennaOpen.rawValue].isReported || symptoms[Trouble.antennaShort.rawValue].isReported
      || symptoms[Trouble.jammed.rawValue].isReported
  }
}

extension Symptom {
  /// The debounce times of each fault.
  fileprivate init(_ trouble: Trouble) {
    switch trouble {
    // Longer than it takes to detect again that the line is unreadable or the position frozen.
    case .unreadable, .frozen: self.init(patience: .zero, proof: .seconds(30))
    case .silent, .impossibleTime: self.init(patience: .zero, proof: .seconds(20))
    case .withoutFix: self.init(patience: .zero, proof: .seconds(10))
    // These states flicker near their threshold.
    case .antennaOpen, .antennaShort, .jammed, .spoofed:
      self.init(patience: .seconds(10), proof: .seconds(60))
    }
  }
}
