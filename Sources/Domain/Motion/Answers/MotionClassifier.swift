import Quantities

/// Derives the motion state once per second from acceleration and ground speed.
///
/// **Input.** Bursts of acceleration samples of any length and rate from 0.5 to 2000 Hz, and optionally ground speeds.
/// A sample is a vector in g including gravity, in the axes of the device. It is a `SIMD3<Float>`, so that drivers and
/// file readers need no type of this module. Neither the orientation of the device nor the length of the bursts
/// matters.
///
/// **Features.** The samples are low-pass filtered (8 Hz) and resampled to 25 Hz. Every second yields 13 features,
/// which do not depend on the orientation: the deviation over 5 and 20 s, amplitudes in frequency bands up to 3.7 Hz,
/// the rhythm, its steadiness, and the vertical share (``MotionFeatures``).
///
/// **Smoothing.** ``ActivityTable`` turns the features into likelihoods, ``SpeedEvidence`` the speed. A hidden Markov
/// filter (``ActivityFilter``) combines both over time. ``ActivityChoice`` adds hysteresis against false departures.
/// Only past samples are used.
///
/// **Output.** One ``MotionAnswer`` per second: the states, which are empty while unknown, a fast moving flag two to
/// three seconds old, and the number of steps. In addition: the required sampling (``need``), the orientation in a
/// vehicle (``mount``), harsh driving (``fetchDrivingEvents()``) and faults of the samples (``faults``).
///
/// **Confidence.** High after five seconds with a probability above 0.9, medium above 0.7, otherwise low. In the
/// recordings 97 % of the seconds with high confidence are correct.
///
/// **Cost.** The state has a fixed size of 18.5 KiB, and no sample allocates memory. One hour at 25 Hz takes 0.1 s on
/// one core, including the reading of the text.
///
/// **Constants.** `scripts/fit-motion` fits the table to 9.5 hours of labelled recordings (``ActivityTable/fitted``).
/// The thresholds beside the table were chosen by its cross-validation; the article of this module reports the
/// accuracy. The speed figures are usual speeds of people and traffic.
public struct MotionClassifier: Sendable {
  /// The number of seconds for which an answer stays valid without new evidence.
  static let persistence = 10
  /// The length of a pause in seconds after which the filter is reset.
  static let longestPause: Int64 = 3600

  private let table: ActivityTable
  private var grid = GridStream()
  private var extractor = FeatureExtractor()
  private var filter = ActivityFilter()
  private var inspector = SampleInspector()
  private var rates = RateCheck()
  private var decision = StationaryDecision()
  private var calibration = MountCalibration()
  private var driving = DrivingWatch()
  private var newest: MotionAnswer?
  private var counter = StepCounter()
  private var choice = ActivityChoice()
  private var confidence = ConfidenceRule()
  private var halt = HaltRule()
  private var likelihoods = ActivityValues.zero
  private var speed: SpeedReading?
  /// The second that is being filled.
  private var second: Int64?
  private var lastSample: Int64?
  /// A sample that may be clipped. The next sample shows if it is a peak.
  private var peak: (sample: SIMD3<Float>, at: Int64, rate: Float)?
  /// The newest sample well within the range.
  private var lastWithin: SIMD3<Float>?
  /// The rate of the newest sample in Hz.
  private var rate: Float = 25
  /// True while the last second is being closed.
  private var isFinishing = false
  /// The number of seconds since the last evidence.
  private var silence = 0

  /// The total number of steps.
  public private(set) var steps: UInt64
  /// The counted faults of the samples.
  public private(set) var faults = SampleFaults()

  /// Creates a classifier. `steps` is the total so far.
  public init(steps: UInt64 = 0, table: ActivityTable = .fitted) {
    self.table = table
    self.steps = steps
  }

  /// The fast decision that wakes the receiver, two to three seconds old.
  public var isMoving: Bool { decision.isMoving }

  /// The sampling that the classifier requires next.
  public var need: SamplingNeed {
    // A train may be as calm as a table: sampling continues while the device is known to move.
    let mayBeStationary = newest.map { $0.states.isEmpty || $0.states.contains(.stationary) } ?? true
    if decision.calmSeconds >= SamplingNeed.calm, !decision.isMoving, mayBeStationary { return .stationary }
    guard let newest, newest.confidence == .high, !newest.states.contains(.stationary) else {
      return .attentive
    }
    return newest.states.isDisjoint(with: [.driving, .cycling]) ? .attentive : .cruising
  }

  /// The orientation of the device.
  public var mount: Mount { calibration.mount }

  /// The acceleration of the vehicle in the newest second, in g; nil until the mount is calibrated.
  public var drivingAcceleration: (forward: Float, left: Float)? {
    mount.resolve(extractor.block(0).mean)
  }

  /// The thresholds of harsh driving.
  public var drivingThresholds: DrivingThresholds {
    get { driving.thresholds }
    set { driving.thresholds = newValue }
  }

  /// Returns and removes the events of harsh driving, at most eight. There are none before the mount is calibrated.
  public mutating func fetchDrivingEvents() -> [DrivingEvent] { driving.fetch() }

  /// Reports that wake-on-motion detected no movement since the last sample, which is equivalent to stationary samples.
  /// Returns the answer for the second that starts at `now`.
  public mutating func stationary(until now: Moment) -> MotionAnswer {
    let since = lastSample.map { (now - Moment(nanoseconds: $0)).inSeconds } ?? 1
    let seconds = Int(max(1, min(since, 100_000)))
    for _ in 0..<min(seconds, 600) {
      filter.predict()
      filter.take(Self.stillness)
    }
    (silence, second, lastSample) = (0, nil, now.nanoseconds)
    grid.restart()
    peak = nil
    extractor.breakOff()
    driving.breakOff()
    decision.stationary()
    return answer(
      choice.take(filter.activities, turn: 0, level: nil, speed: nil, seconds: seconds), at: now, nil)
  }

  /// The log-likelihoods of a second without movement.
  private static let stillness = ActivityValues(-4, -4, -4, -1.5, 0, 0, 0, 0)

  /// The values behind the newest answer.
  public var explanation: MotionExplanation { MotionExplanation(filter, likelihoods, extractor.features) }

  /// Processes samples that are evenly spaced at `rate` in Hz; the first was measured at `first`. `give` receives the
  /// answer of every completed second.
  public mutating func take(
    _ samples: some Collection<SIMD3<Float>>, first: Moment, rate reportedRate: Double,
    isAfterGap: Bool = false,
    _ give: (MotionAnswer) -> Void
  ) {
    guard reportedRate.isFinite, reportedRate >= 0.5, reportedRate <= 2000 else {
      faults.unreadable &+= UInt64(samples.count)
      return
    }
    let (rate, isNews) = rates.rate(
      reportedRate: reportedRate, count: samples.count, first: first, isAfterGap: isAfterGap)
    if isNews { faults.wrongRates &+= 1 }
    if isAfterGap {
      faults.gaps &+= 1
      breakOff(give)
      lastSample = nil
    }
    let period = 1e9 / rate
    var offset = 0.0
    for sample in samples {
      take(sample, at: first.nanoseconds &+ Int64(offset), rate: Float(rate), give)
      offset += period
    }
  }

  /// Processes a ground speed.
  public mutating func take(_ reading: SpeedReading) { speed = reading }

  /// Ends the input: the current second is closed if at least half of it has samples.
  public mutating func finish(_ give: (MotionAnswer) -> Void) {
    drainGrid(give)
    isFinishing = true
    if extractor.open.count >= Float(GridStream.rate) / 2 { close(give) }
    isFinishing = false
    second = nil
    extractor.breakOff()
  }

  private mutating func breakOff(_ give: (MotionAnswer) -> Void) {
    drainGrid(give)
    extractor.breakOff()
    driving.breakOff()
  }

  private mutating func drainGrid(_ give: (MotionAnswer) -> Void) {
    releasePeak(give)
    grid.finish()
    while let sample = grid.pop() { add(sample, give) }
    grid.restart()
  }

  private mutating func take(
    _ sample: SIMD3<Float>, at nanoseconds: Int64, rate: Float, _ give: (MotionAnswer) -> Void
  ) {
    guard SampleInspector.isReadable(sample) else {
      faults.unreadable &+= 1
      return
    }
    if let lastSample {
      let pause = nanoseconds.subtractingReportingOverflow(lastSample).partialValue
      guard pause > 0 else {
        faults.disordered &+= 1
        return
      }
      if pause > Self.longestUnseen(at: rate) {
        faults.gaps &+= 1
        breakOff(give)
      }
    }
    (lastSample, self.rate) = (nanoseconds, rate)
    pass(sample, isClipped: inspector.inspect(sample), at: nanoseconds, rate: rate, give)
  }

  /// Passes a sample on, with a replacement if it is clipped.
  ///
  /// The true value of a clipped axis is unknown. At the end of the smallest range (2 g), which gait reaches, the
  /// clipped value serves as the peak. In wider ranges the last sample before it is repeated.
  private mutating func pass(
    _ sample: SIMD3<Float>, isClipped: Bool, at nanoseconds: Int64, rate: Float,
    _ give: (MotionAnswer) -> Void
  ) {
    if isClipped { faults.clipped &+= 1 }
    let isFar = SampleInspector.mayBeClippedFar(sample)
    if isClipped, isFar, let lastWithin {
      peak?.sample = lastWithin
      releasePeak(give)
      push(lastWithin, at: nanoseconds, rate: rate, give)
      return
    }
    releasePeak(give)
    if isFar {
      peak = (sample, nanoseconds, rate)
    } else {
      lastWithin = sample
      push(sample, at: nanoseconds, rate: rate, give)
    }
  }

  private mutating func releasePeak(_ give: (MotionAnswer) -> Void) {
    guard let peak else { return }
    self.peak = nil
    push(peak.sample, at: peak.at, rate: peak.rate, give)
  }

  private mutating func push(
    _ sample: SIMD3<Float>, at nanoseconds: Int64, rate: Float, _ give: (MotionAnswer) -> Void
  ) {
    grid.push(sample, at: nanoseconds, rate: rate)
    while let sample = grid.pop() { add(sample, give) }
  }

  /// Returns the longest gap in nanoseconds that is interpolated.
  private static func longestUnseen(at rate: Float) -> Int64 { Int64(max(0.3, 2.5 / rate) * 1e9) }

  private mutating func add(_ sample: GridStream.Sample, _ give: (MotionAnswer) -> Void) {
    let current = sample.index / Int64(GridStream.rate)
    if let open = second, current - open > Self.longestPause {
      close(give)
      filter = ActivityFilter()
      second = nil
    }
    if second == nil { second = current }
    while let open = second, open < current {
      close(give)
      second = open + 1
    }
    extractor.add(sample.acceleration)
    driving.take(
      sample, mount: calibration.mount, stationary: calibration.scale,
      isDriving: newest?.states.contains(.driving) ?? false)
  }

  private mutating func close(_ give: (MotionAnswer) -> Void) {
    guard let second else { return }
    let verdict = inspector.closeSecond()
    let isThin = extractor.open.count < Float(GridStream.rate) / 2
    if isThin { faults.thinSeconds &+= 1 }
    if verdict.isStuck { faults.stuckSeconds &+= 1 }
    silence = min(silence + 1, 1 << 20)
    filter.predict()
    let isSeen = !isThin && !verdict.isStuck
    if isSeen {
      silence = 0
      extractor.close()
      decision.take(deviation: extractor.block(0).vectorVariance.squareRoot())
      if extractor.isChange { filter.expectChange() }
      likelihoods =
        rate < SparseEvidence.leastRate
        ? SparseEvidence.likelihoods(deviation: extractor.window(5).vectorVariance.squareRoot())
        : table.likelihoods(of: extractor.features)
          + RhythmEvidence.correction(
            strength: extractor.rhythm.strength,
            deviation: extractor.window(5).lengthVariance.squareRoot())
      filter.take(likelihoods, trust: verdict.clipped > 0.1 ? ActivityFilter.trust / 2 : ActivityFilter.trust)
    } else {
      extractor.drop()
    }
    let start = Moment(nanoseconds: second &* 1_000_000_000)
    let end = start + .seconds(1)
    let fresh = speed.flatMap { $0.isUsable(at: end) ? $0 : nil }
    if let fresh {
      silence = 0
      filter.take(speed: fresh.speed, accuracy: fresh.accuracy ?? 0)
    }
    let best = choice.take(
      filter.activities, turn: extractor.turn, level: isSeen ? extractor.calmerLevel : nil,
      speed: fresh?.speed)
    if isSeen { follow(best, fresh) }
    give(answer(best, at: start, fresh))
  }

  private mutating func answer(_ best: Activity, at start: Moment, _ fresh: SpeedReading?) -> MotionAnswer {
    let isHalted = halt.take(best, filter, speed: fresh?.speed)
    let level = confidence.take(best, filter.activities)
    var states = best.state
    if isHalted { states.insert(.stationary) }
    // After the first reported activity, a doubt between two others only lowers the confidence.
    let isUndecided =
      (newest?.states.isEmpty ?? true) && level == .low && confidence.isUndecided(filter.activities)
    if silence > Self.persistence || isUndecided { states = [] }
    let answer = MotionAnswer(
      second: start, states: states, confidence: states.isEmpty ? .low : level, isMoving: decision.isMoving,
      steps: steps)
    newest = answer
    return answer
  }

  /// Updates step counter and mount by the activity of a second with samples.
  private mutating func follow(_ best: Activity, _ fresh: SpeedReading?) {
    let block = extractor.block(0)
    steps &+= counter.take(extractor.rhythm, deviation: block.lengthVariance.squareRoot(), activity: best)
    if isFinishing { steps &+= counter.finish() }
    calibration.take(
      block.mean, isStationary: decision.calmSeconds >= 3, isDriving: best == .driving, speed: fresh)
  }
}
