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
  /// The length of a pause in seconds after which the filter is reset.
  private static let longestPause: Int64 = 3600

  private var intake = SampleIntake()
  private var extractor = FeatureExtractor()
  private var decision = StationaryDecision()
  private var recognition: ActivityRecognition
  private var vehicle = VehicleDynamics()
  private var counter = StepCounter()
  private var speed: SpeedReading?
  /// The second that is being filled.
  private var second: Int64?

  /// The total number of steps.
  public private(set) var steps: UInt64

  /// Creates a classifier. `steps` is the total so far.
  public init(steps: UInt64 = 0, table: ActivityTable = .fitted) {
    recognition = ActivityRecognition(table: table)
    self.steps = steps
  }

  /// The counted faults of the samples.
  public var faults: SampleFaults { intake.faults }

  /// The fast decision that wakes the receiver, two to three seconds old.
  public var isMoving: Bool { decision.isMoving }

  /// The sampling that the classifier requires next.
  public var need: SamplingNeed {
    // A train may be as calm as a table: sampling continues while the device is known to move.
    let newest = recognition.newest
    let mayBeStationary = newest.map { $0.states.isEmpty || $0.states.contains(.stationary) } ?? true
    if decision.calmSeconds >= SamplingNeed.calm, !decision.isMoving, mayBeStationary { return .stationary }
    guard let newest, newest.confidence == .high, !newest.states.contains(.stationary) else {
      return .attentive
    }
    return newest.states.isDisjoint(with: [.driving, .cycling]) ? .attentive : .cruising
  }

  /// The orientation of the device.
  public var mount: Mount { vehicle.mount }

  /// The acceleration of the vehicle in the newest second, in g; nil until the mount is calibrated.
  public var drivingAcceleration: (forward: Float, left: Float)? {
    mount.resolve(extractor.block(0).mean)
  }

  /// The thresholds of harsh driving.
  public var drivingThresholds: DrivingThresholds {
    get { vehicle.thresholds }
    set { vehicle.thresholds = newValue }
  }

  /// Returns and removes the events of harsh driving, at most eight. There are none before the mount is calibrated.
  public mutating func fetchDrivingEvents() -> [DrivingEvent] { vehicle.fetchEvents() }

  /// Reports that wake-on-motion detected no movement since the last sample, which is equivalent to stationary samples.
  /// Returns the answer for the second that starts at `now`.
  public mutating func stationary(until now: Moment) -> MotionAnswer {
    let since = intake.newest.map { (now - $0).inSeconds } ?? 1
    intake.restart(after: now)
    second = nil
    extractor.breakOff()
    vehicle.breakOff()
    decision.stationary()
    return answer(recognition.stationary(seconds: Int(max(1, min(since, 100_000)))), at: now)
  }

  /// The values behind the newest answer.
  public var explanation: MotionExplanation {
    MotionExplanation(recognition.filter, recognition.likelihoods, extractor.features)
  }

  /// Processes samples that are evenly spaced at `rate` in Hz; the first was measured at `first`. `give` receives the
  /// answer of every completed second.
  public mutating func take(
    _ samples: some Collection<SIMD3<Float>>, first: Moment, rate reportedRate: Double,
    isAfterGap: Bool = false,
    _ give: (MotionAnswer) -> Void
  ) {
    let rate = intake.rate(
      reported: reportedRate, count: samples.count, first: first, isAfterGap: isAfterGap)
    guard let rate else { return }
    if isAfterGap {
      intake.recordGap()
      breakOff(give)
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
    endStream(give)
    if !isThin { close(isLast: true, give) }
    second = nil
    extractor.breakOff()
  }

  private mutating func take(
    _ sample: SIMD3<Float>, at nanoseconds: Int64, rate: Float, _ give: (MotionAnswer) -> Void
  ) {
    switch intake.admit(sample, at: nanoseconds, rate: rate) {
    case .rejected: return
    case .following: break
    case .afterGap: breakOff(give)
    }
    intake.accept(sample, at: nanoseconds, rate: rate)
    drain(give)
  }

  private mutating func breakOff(_ give: (MotionAnswer) -> Void) {
    endStream(give)
    extractor.breakOff()
    vehicle.breakOff()
  }

  private mutating func endStream(_ give: (MotionAnswer) -> Void) {
    intake.finish()
    drain(give)
    intake.restart()
  }

  private mutating func drain(_ give: (MotionAnswer) -> Void) {
    while let sample = intake.next() { add(sample, give) }
  }

  private mutating func add(_ sample: GridStream.Sample, _ give: (MotionAnswer) -> Void) {
    let current = sample.index / Int64(GridStream.rate)
    if let open = second, current - open > Self.longestPause {
      close(give)
      recognition.reset()
      second = nil
    }
    if second == nil { second = current }
    while let open = second, open < current {
      close(give)
      second = open + 1
    }
    extractor.add(sample.acceleration)
    vehicle.take(sample, isDriving: recognition.newest?.states.contains(.driving) ?? false)
  }

  /// True if the open second lacks more than half of its samples.
  @inline(__always)
  private var isThin: Bool { extractor.open.count < Float(GridStream.rate) / 2 }

  private mutating func close(isLast: Bool = false, _ give: (MotionAnswer) -> Void) {
    guard let second else { return }
    let isThin = isThin
    let verdict = intake.closeSecond(isThin: isThin)
    let isSeen = !isThin && !verdict.isStuck
    recognition.beginSecond()
    if isSeen {
      extractor.close()
      decision.take(deviation: extractor.block(0).vectorVariance.squareRoot())
      recognition.take(extractor, rate: intake.rate, clipped: verdict.clipped)
    } else {
      extractor.drop()
    }
    let start = Moment(nanoseconds: second &* 1_000_000_000)
    let end = start + .seconds(1)
    let fresh = speed.flatMap { $0.isUsable(at: end) ? $0 : nil }
    if let fresh { recognition.take(fresh) }
    let conclusion = recognition.conclude(
      turn: extractor.turn, level: isSeen ? extractor.calmerLevel : nil, speed: fresh?.speed)
    if isSeen { follow(conclusion.activity, fresh, isLast: isLast) }
    give(answer(conclusion, at: start))
  }

  @inline(__always)
  private func answer(_ conclusion: ActivityRecognition.Conclusion, at start: Moment) -> MotionAnswer {
    MotionAnswer(
      second: start, states: conclusion.states, confidence: conclusion.confidence,
      isMoving: decision.isMoving, steps: steps)
  }

  /// Updates step counter and mount by the activity of a second with samples.
  private mutating func follow(_ activity: Activity, _ fresh: SpeedReading?, isLast: Bool) {
    let block = extractor.block(0)
    steps &+= counter.take(
      extractor.rhythm, deviation: block.lengthVariance.squareRoot(), activity: activity)
    if isLast { steps &+= counter.finish() }
    vehicle.calibrate(
      block.mean, isStationary: decision.calmSeconds >= 3, isDriving: activity == .driving, speed: fresh)
  }
}
