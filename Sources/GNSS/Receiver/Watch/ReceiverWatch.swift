import Quantities

/// Watches whether a receiver that is meant to run does so, says what is wrong once and when it is over, and
/// tries what may help, with pauses that grow.
///
/// Nothing is watched while the receiver sleeps by plan. What was said before stays said until it is seen to be
/// over.
public struct ReceiverWatch: Equatable, Sendable {
  /// No byte for so long is silence; longer than the slowest usual output interval (10 s).
  public static let silence = Duration.seconds(30)
  /// Bytes without a frame are unreadable when so many…
  public static let unreadableBytes = 512
  /// …came in no less than this.
  public static let unreadableTime = Duration.seconds(10)
  /// Frames but no epoch for so long, where epochs were seen before, is a clock that stands still. A receiver
  /// that lost its time gives no epoch either, and is given the time of an almanac to find it.
  public static let withoutEpoch = Duration.seconds(15 * 60)
  /// Time awake without a fix: more than an almanac needs, twice.
  public static let withoutFix = Duration.seconds(30 * 60)
  /// Frames that prove a line readable again.
  public static let provingFrames = 2

  /// Nil while asleep.
  public private(set) var nextTimeout: Moment?

  private var clock: Moment
  private var isAsleep = false
  /// Nothing is wrong, and nothing was seen that may be.
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

  /// `mayWrite` false leaves out the remedies that send something to the receiver; `canCyclePower`: its supply
  /// is wired to a pin of the host.
  public init(mayWrite: Bool, canCyclePower: Bool, now: Moment) {
    ladder = RemedyLadder(mayWrite: mayWrite, canCyclePower: canCyclePower)
    clock = now
    lastBytes = now
    strangeSince = now
    withoutFixSince = now
    nextTimeout = now + Self.silence
  }

  /// The troubles that have begun and not ended, the gravest first.
  public var troubles: [Trouble] { Trouble.allCases.filter { symptoms[$0.rawValue].isReported } }

  /// A time before the last one told counts as that; of an epoch it says when that was, in the order of the epochs.
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

  /// When a line without a byte is silent.
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
      // Silence says nothing of the sky, nor of the clock.
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
      // An epoch without a fix shows neither that it moves on nor that it does not.
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

  /// The gravest trouble that is still there and has a ladder. A missing fix has none while the antenna or a
  /// jammer explains it.
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
  /// What each trouble needs to be believed, and its end.
  fileprivate init(_ trouble: Trouble) {
    switch trouble {
    // Longer than it takes to see that the line is unreadable once more, or frozen.
    case .unreadable, .frozen: self.init(patience: .zero, proof: .seconds(30))
    case .silent, .impossibleTime: self.init(patience: .zero, proof: .seconds(20))
    case .withoutFix: self.init(patience: .zero, proof: .seconds(10))
    // States that flicker at the edge.
    case .antennaOpen, .antennaShort, .jammed, .spoofed:
      self.init(patience: .seconds(10), proof: .seconds(60))
    }
  }
}
