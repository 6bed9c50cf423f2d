import Chips
import Motion
import Quantities
import Records
import Tracking

/// Motion detection by the accelerometer: classifies its samples and decides its next mode.
///
/// Processes bursts and interrupts; returns events for the tracker, each only once. In wake-on-motion mode the
/// accelerometer reports nothing while the device is stationary, so ``handleTimeout(now:)`` turns silence into
/// stationary.
struct MotionMonitor: Sendable {
  /// The measuring range in ±g: enough for a step and an engine.
  private static let range = 4.0
  /// The mode after a movement: 25 Hz.
  private static let listening = DesiredAccelerometerMode.samples(
    SamplingRequest(rate: 25, range: range), within: .seconds(2))
  /// The time of sampling after a movement, whatever the classifier needs.
  static let samplingDuration = Duration.seconds(10)
  /// The interval at which silence counts as stationary, until the tracker knows that the device is stationary.
  static let stationaryTimeout = Duration.seconds(30)

  /// The values that the tracker has; nil if it never got one.
  private struct Reported {
    var isMoving: Bool?
    var states: MotionStates?
    var steps: UInt64?
  }

  private(set) var classifier = MotionClassifier()
  /// The present motion; nil before the first result and while the accelerometer does not respond.
  private(set) var latest: (states: MotionStates, confidence: MotionConfidence)?
  private var reported = Reported()
  private var samplingUntil: Moment
  /// The time of the last data or interrupt, or of the last silence that counted as stationary.
  private var lastActivity: Moment
  private var isLost = false

  init(now: Moment, thresholds: DrivingThresholds = DrivingThresholds()) {
    (samplingUntil, lastActivity) = (now + Self.samplingDuration, now)
    classifier.drivingThresholds = thresholds
  }

  /// Applies changed thresholds of harsh driving.
  mutating func apply(_ thresholds: DrivingThresholds) { classifier.drivingThresholds = thresholds }

  /// Announces the sensor to the tracker, which relies on it before the first sample.
  mutating func start() -> [TrackerEvent] { report(isMoving: classifier.isMoving) }

  /// Processes a burst of samples.
  mutating func take(_ burst: AccelerationBurst, now: Moment) -> [TrackerEvent] {
    lastActivity = now
    var answers: [MotionAnswer] = []
    classifier.take(
      burst.samples.lazy.map { SIMD3($0.x, $0.y, $0.z) }, first: burst.first, rate: burst.rate,
      isAfterGap: burst.isAfterGap
    ) { answers.append($0) }
    return answers.flatMap { report($0) } + classifier.fetchDrivingEvents().map { .occurred(EventRecord($0)) }
  }

  /// Handles a wake-on-motion interrupt. The device was stationary until then.
  mutating func moved(now: Moment) -> [TrackerEvent] {
    samplingUntil = now + Self.samplingDuration
    lastActivity = now
    return report(classifier.stationary(until: now))
  }

  /// Discards the present motion because the accelerometer does not respond.
  mutating func lost() -> [TrackerEvent] {
    isLost = true
    latest = nil
    reported.isMoving = nil
    return [.evidenceLost(.accelerometer)] + report(states: [], .low)
  }

  /// Resumes detection because the accelerometer responds again.
  mutating func returned(now: Moment) -> [TrackerEvent] {
    (isLost, lastActivity, samplingUntil) = (false, now, now + Self.samplingDuration)
    return report(isMoving: classifier.isMoving)
  }

  /// Processes a speed of the receiver, which helps to classify motion.
  mutating func take(speed: Double, accuracy: Double?, at moment: Moment) {
    classifier.take(SpeedReading(speed: Float(speed), accuracy: accuracy.map(Float.init), at: moment))
  }

  /// The mode that the accelerometer should have now.
  func desiredMode(now: Moment) -> DesiredAccelerometerMode {
    switch classifier.need {
    case .samples(let rate, let within):
      .samples(SamplingRequest(rate: rate, range: Self.range), within: within)
    case .watch(let threshold):
      if now < samplingUntil {
        Self.listening
      } else {
        .motion(MotionWatch(threshold: threshold))
      }
    }
  }

  /// The time at which silence counts as stationary; nil during sampling and after stationary was reported.
  var nextTimeout: Moment? {
    guard case .watch = classifier.need, !isLost, reported.states != .stationary else { return nil }
    return max(lastActivity, samplingUntil) + Self.stationaryTimeout
  }

  /// Reports stationary after silence. An early call is harmless: without an interrupt the device did not move.
  mutating func handleTimeout(now: Moment) -> [TrackerEvent] {
    guard nextTimeout != nil else { return [] }
    lastActivity = now
    return report(classifier.stationary(until: now))
  }

  private mutating func report(_ answer: MotionAnswer) -> [TrackerEvent] {
    latest = (answer.states, answer.confidence)
    var events = report(isMoving: answer.isMoving)
    if answer.steps != reported.steps {
      reported.steps = answer.steps
      events.append(.steps(Int32(clamping: answer.steps)))
    }
    return events + report(states: answer.states, answer.confidence)
  }

  private mutating func report(isMoving: Bool) -> [TrackerEvent] {
    guard isMoving != reported.isMoving else { return [] }
    reported.isMoving = isMoving
    return [.evidence(.accelerometer, isActive: isMoving)]
  }

  private mutating func report(states: MotionStates, _ confidence: MotionConfidence) -> [TrackerEvent] {
    guard states != reported.states ?? [] else { return [] }
    reported.states = states
    let words = MotionStates.words.filter { states.contains($0.state) }.map { "\($0.word)" }
    let event = EventRecord(
      .motionChanged,
      [
        .motion: .list(words), .confidence: .text("\(confidence)"),
        .steps: .integer(Int64(clamping: classifier.steps)),
      ])
    return [.motion(states), .occurred(event)]
  }
}
