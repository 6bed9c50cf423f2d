import Quantities

/// Acceleration and speed in; once a second what the body or the vehicle is doing.
///
/// Samples are taken in bursts of any length; how a stream is cut into bursts, how the device is turned and at what rate
/// it samples make no difference. Only what has been seen already is used. The state is of fixed size, and no sample
/// allocates memory.
///
/// A sample is a vector in g, gravity included, in the axes of the device: `SIMD3<Float>`, so that neither the driver of
/// a chip nor a reader of files has to know a type of this module.
public struct MotionClassifier: Sendable {
  /// Seconds for which an answer holds without anything new.
  static let persistence = 10
  /// A longer pause than this many seconds, and all begins anew.
  static let longestPause: Int64 = 3600

  private let table: ActivityTable
  private var grid = GridStream()
  private var extractor = FeatureExtractor()
  private var filter = ActivityFilter()
  private var inspector = SampleInspector()
  private var rates = RateCheck()
  private var decision = RestDecision()
  private var calibration = MountCalibration()
  private var driving = DrivingWatch()
  private var newest: MotionAnswer?
  private var counter = StepCounter()
  private var choice = ActivityChoice()
  private var confidence = ConfidenceRule()
  private var halt = HaltRule()
  private var likelihoods = ActivityValues.zero
  private var speed: SpeedReading?
  /// The second whose block is open.
  private var second: Int64?
  private var lastSample: Int64?
  /// At the end of the range, perhaps: the next sample tells whether it is a peak.
  private var peak: (sample: SIMD3<Float>, at: Int64, rate: Float)?
  /// The newest sample that lies well within the range.
  private var lastWithin: SIMD3<Float>?
  /// Hz of the newest sample.
  private var rate: Float = 25
  /// The open second is the last.
  private var isFinishing = false
  /// Seconds since the last with evidence.
  private var silence = 0

  /// The running total.
  public private(set) var steps: UInt64
  public private(set) var faults = SampleFaults()

  /// `steps` is the total so far.
  public init(steps: UInt64 = 0, table: ActivityTable = .fitted) {
    self.table = table
    self.steps = steps
  }

  /// The fast decision, two to three seconds behind.
  public var isMoving: Bool { decision.isMoving }

  /// What the accelerometer should do next.
  public var need: SamplingNeed {
    // A train may be as calm as a table; while it is known to go, it is listened to.
    let mayRest = newest.map { $0.states.isEmpty || $0.states.contains(.stationary) } ?? true
    if decision.calmSeconds >= SamplingNeed.calm, !decision.isMoving, mayRest { return .resting }
    guard let newest, newest.confidence == .high, !newest.states.contains(.stationary) else {
      return .attentive
    }
    return newest.states.isDisjoint(with: [.driving, .cycling]) ? .attentive : .cruising
  }

  /// How the device sits.
  public var mount: Mount { calibration.mount }

  /// Acceleration of the vehicle in the newest second, in g; nil until the mount is calibrated.
  public var drivingAcceleration: (forward: Float, left: Float)? {
    mount.resolve(extractor.block(0).mean)
  }

  /// From what on driving is harsh.
  public var drivingThresholds: DrivingThresholds {
    get { driving.thresholds }
    set { driving.thresholds = newValue }
  }

  /// What was driven harshly since the last call; nothing before the mount is calibrated. At most eight are kept.
  public mutating func fetchDrivingEvents() -> [DrivingEvent] { driving.fetch() }

  /// The part watched for movement since the last sample and saw none: as good as samples of rest. Answers for the second
  /// that begins at `now`.
  public mutating func rest(until now: Moment) -> MotionAnswer {
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
    decision.rest()
    return answer(
      choice.take(filter.activities, turn: 0, level: nil, speed: nil, seconds: seconds), at: now, nil)
  }

  /// Logarithms of likelihoods.
  private static let stillness = ActivityValues(-4, -4, -4, -1.5, 0, 0, 0, 0)

  /// What the newest answer was made of.
  public var explanation: MotionExplanation { MotionExplanation(filter, likelihoods, extractor.features) }

  /// Samples evenly spaced at `rate` in Hz, as measured, the first taken at `first`. `give` gets the answer of each
  /// second that they complete.
  public mutating func take(
    _ samples: some Collection<SIMD3<Float>>, first: Moment, rate told: Double, isAfterGap: Bool = false,
    _ give: (MotionAnswer) -> Void
  ) {
    guard told.isFinite, told >= 0.5, told <= 2000 else {
      faults.unreadable &+= UInt64(samples.count)
      return
    }
    let (rate, isNews) = rates.rate(told: told, count: samples.count, first: first, isAfterGap: isAfterGap)
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

  /// A ground speed.
  public mutating func take(_ reading: SpeedReading) { speed = reading }

  /// The last samples were taken: the open second is closed if half of it was seen.
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

  /// What a clipped axis really saw is not known. Gait reaches the end of the smallest range, which is a peak as good as
  /// another; beyond, the last sample before stands for it.
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

  /// Nanoseconds that may be bridged by interpolation.
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
      sample, mount: calibration.mount, rest: calibration.scale,
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
    // Once there was a name, a doubt between two others is told by the confidence alone.
    let isUndecided =
      (newest?.states.isEmpty ?? true) && level == .low && confidence.isUndecided(filter.activities)
    if silence > Self.persistence || isUndecided { states = [] }
    let answer = MotionAnswer(
      second: start, states: states, confidence: states.isEmpty ? .low : level, isMoving: decision.isMoving,
      steps: steps)
    newest = answer
    return answer
  }

  /// What follows from the activity of a second that was seen.
  private mutating func follow(_ best: Activity, _ fresh: SpeedReading?) {
    let block = extractor.block(0)
    steps &+= counter.take(extractor.rhythm, deviation: block.lengthVariance.squareRoot(), activity: best)
    if isFinishing { steps &+= counter.finish() }
    calibration.take(
      block.mean, isResting: decision.calmSeconds >= 3, isDriving: best == .driving, speed: fresh)
  }
}
