import Quantities

/// Detects departures and arrivals from the motion sources.
///
/// The device is moving while the sources say so, and travelling from a confirmed departure to the arrival. Motion
/// without a departure is a false wake-up; after several the accelerometer is ignored for a while. Owned by
/// ``ReceiverSchedule``.
struct MotionDetection: Equatable, Sendable {
  /// A change of the motion sources that lasted long enough.
  enum Change: Equatable, Sendable {
    case began
    /// Motion returned after this time of silence, before the stop delays of the sources had passed.
    case resumed(after: Duration)
    case ended
  }

  /// Length of a stationary period after which reception may have changed.
  static let longStop = Duration.seconds(300)
  /// Time after which motion counts, even if no speed confirms it.
  private static let unconfirmedMotion = Duration.seconds(6)

  private var evidence: MotionEvidence
  private var requiredMotion: Duration
  private var falseWakeUps = FalseWakeUps()
  /// True if the motion sources report motion, or a fix proved it.
  private(set) var isMoving = false {
    didSet {
      guard isMoving != oldValue else { return }
      changeBegan = nil
      silence = MotionSilence()
    }
  }
  /// True from a recorded departure to the next recorded arrival.
  private(set) var isTravelling = false
  /// Start of the motion whose departure is not confirmed yet.
  private(set) var motionBegan: Moment?
  /// Start of the time in which the sources contradict ``isMoving``.
  private var changeBegan: Moment?
  private var silence = MotionSilence()
  /// The time at which the motion sources last fell silent, before their stop delays.
  private(set) var quietSince: Moment?
  /// True if an earlier run had a motion sensor, until it is lost.
  private var hadMotionSensor = false
  /// The next time at which the sources may change without a report, as of the last input.
  private(set) var nextTimeout: Moment?

  init(_ policy: TrackingPolicy) {
    evidence = MotionEvidence(pauseDelay: policy.pauseDelay, rules: policy.motion)
    requiredMotion = policy.requiredMotion
  }

  /// Applies the motion rules of a policy.
  mutating func adopt(_ policy: TrackingPolicy) {
    evidence.pauseDelay = policy.pauseDelay
    evidence.rules = policy.motion
    requiredMotion = policy.requiredMotion
  }

  // MARK: The sources

  /// True if a sensor that detects motion while the receiver sleeps has reported, in this run or in the one that it continues.
  var hasMotionSensor: Bool { evidence.hasMotionSensor || hadMotionSensor }

  /// The sources that report motion at present, delays included.
  func activeSources(now: Moment) -> [MotionSource] { evidence.activeSources(now: now) }

  /// The sensors that have reported and detect no motion.
  var quietSources: [MotionSource] { evidence.quietSources }

  mutating func record(_ source: MotionSource, isActive: Bool, now: Moment) {
    evidence.record(source, isActive: isActive, now: now)
  }

  /// Removes a source whose sensor failed or was removed.
  mutating func forget(_ source: MotionSource) {
    if source == .accelerometer || source == .ignition { hadMotionSensor = false }
    evidence.forget(source)
  }

  /// Records the speed of a fix.
  mutating func record(_ fix: ScheduleFix, now: Moment) {
    guard fix.hasSpeed else { return }
    evidence.record(.speed, isActive: fix.isTravelling, now: now)
    if fix.isTravelling { evidence.record(.displacement, isActive: false, now: now) }
  }

  /// Forgets what the last fix proved, because it is too old.
  mutating func forgetFixes() {
    evidence.forget(.speed)
    evidence.forget(.displacement)
  }

  /// Starts a sleep between two fixes: the last speed becomes outdated. A sensor that detects this motion reports its
  /// end sooner.
  mutating func fixesPaused() {
    if evidence.isActive(.accelerometer) || evidence.isActive(.ignition) { evidence.forget(.speed) }
  }

  /// Compares the sources with ``isMoving`` and changes it if they contradicted it for the required time.
  mutating func weigh(now: Moment) -> Change? {
    let isRising = evidence.isRising(now: now)
    // Before a departure is confirmed, the first silence ends it.
    let moves = isTravelling ? evidence.isMoving(now: now) : isRising
    if isMoving, let length = silence.update(isSilent: !isRising, required: requiredMotion, now: now) {
      changeBegan = nil
      return .resumed(after: length)
    }
    guard moves != isMoving, !(moves && falseWakeUps.isIgnoringMotion(now: now) && !isTravelling) else {
      changeBegan = nil
      return nil
    }
    let began = changeBegan ?? now
    changeBegan = began
    guard now >= began + requiredMotion else { return nil }
    let silent = silence.since
    isMoving = moves
    if !moves { quietSince = silent ?? now }
    return moves ? .began : .ended
  }

  /// Computes ``nextTimeout`` after an input.
  mutating func updateTimeout(now: Moment) {
    let change = Moment.earliest(
      changeBegan.map { $0 + requiredMotion }, silence.nextTimeout(required: requiredMotion))
    nextTimeout = Moment.earliest(evidence.nextTimeout(now: now), change)
  }

  // MARK: Departure and arrival

  /// Starts the wait for a departure, unless the device is travelling.
  mutating func expectDeparture(now: Moment) {
    if !isTravelling { motionBegan = now }
  }

  /// Decides if the motion is a departure: by the speed of a fix, by its position `isAway` from the stop, or by the time
  /// that the motion has lasted. A departure shows that the last wake-ups were not false.
  mutating func confirmsDeparture(_ fix: ScheduleFix, isAway: Bool, now: Moment) -> Bool {
    let isLong = now - (motionBegan ?? now) >= Self.unconfirmedMotion
    guard fix.isTravelling || isAway || isLong else { return false }
    falseWakeUps.confirmed()
    return true
  }

  /// Counts a false wake-up.
  mutating func recordFalseWakeUp(now: Moment) { falseWakeUps.record(now: now) }

  /// Time before which the accelerometer is ignored; nil if it counts.
  func ignoredUntil(now: Moment) -> Moment? { falseWakeUps.ignoredUntil.flatMap { $0 > now ? $0 : nil } }

  /// True if the sources were silent for so long before the present motion that reception may have changed.
  func followsLongStop(now: Moment) -> Bool { quietSince.map { now - $0 > Self.longStop } ?? false }

  /// Records that a fix shows motion although the sources are silent.
  mutating func overrule() { isMoving = true }

  /// Records that a fix shows the device elsewhere. It counts for its stop delay; after that the speed is known.
  mutating func displaced(now: Moment) {
    evidence.record(.displacement, isActive: true, now: now)
    evidence.record(.displacement, isActive: false, now: now)
    isMoving = true
  }

  /// Starts the travel at a departure.
  mutating func departed() {
    isTravelling = true
    motionBegan = nil
  }

  /// Continues the travel with a fix on the way.
  mutating func travelled() { isTravelling = true }

  /// Continues the travel of an earlier run, until a fix or a sensor shows that it has ended.
  mutating func resume(since moment: Moment, hasMotionSensor: Bool) {
    hadMotionSensor = hasMotionSensor
    evidence.resume(.speed, since: moment)
    (isMoving, isTravelling) = (true, true)
  }

  /// Ends the travel; the device may still move.
  mutating func arrived() { isTravelling = false }

  /// Ends the travel and the motion of a device that is stationary from now on.
  mutating func stopped() {
    isTravelling = false
    isMoving = false
    motionBegan = nil
    forgetFixes()
  }
}

/// The time in which no source reports motion while the device counts as moving, by their stop delays.
private struct MotionSilence: Equatable, Sendable {
  /// Shortest silence that counts as a stop; shorter ones are traffic.
  private static let shortest = Duration.seconds(30)

  private(set) var since: Moment?
  /// Start of the motion that ends it, once that has lasted long enough.
  private var motionSince: Moment?

  /// Returns the length of a silence that has ended and counts as a stop. Motion must last for `required`.
  mutating func update(isSilent: Bool, required: Duration, now: Moment) -> Duration? {
    guard !isSilent else {
      since = since ?? now
      motionSince = nil
      return nil
    }
    guard let since else { return nil }
    let began = motionSince ?? now
    motionSince = began
    guard now >= began + required else { return nil }
    self = MotionSilence()
    return began - since >= Self.shortest ? began - since : nil
  }

  func nextTimeout(required: Duration) -> Moment? { motionSince.map { $0 + required } }
}

/// Ignores an accelerometer for a while after repeated false wake-ups, because a device on a swaying mast must not
/// drain its battery.
private struct FalseWakeUps: Equatable, Sendable {
  static let most = 6
  static let window = Duration.seconds(3600)
  static let shortestIgnorePeriod = Duration.seconds(900)
  static let longestIgnorePeriod = Duration.seconds(3600)

  private var recent: [Moment] = []
  private var ignorePeriod = FalseWakeUps.shortestIgnorePeriod
  /// Time before which motion does not wake the receiver. A position check happens then.
  private(set) var ignoredUntil: Moment?

  func isIgnoringMotion(now: Moment) -> Bool { ignoredUntil.map { now < $0 } ?? false }

  /// Counts a false wake-up.
  mutating func record(now: Moment) {
    recent = recent.filter { now - $0 < Self.window } + [now]
    guard recent.count >= Self.most else { return }
    recent = []
    ignoredUntil = now + ignorePeriod
    ignorePeriod = min(ignorePeriod + ignorePeriod, Self.longestIgnorePeriod)
  }

  /// Registers that the motion was real.
  mutating func confirmed() { self = FalseWakeUps() }
}
