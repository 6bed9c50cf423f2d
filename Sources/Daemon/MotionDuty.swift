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
struct MotionDuty: Sendable {
  /// The measuring range in ±g: enough for a step and an engine.
  private static let range = 4.0
  /// The mode after a movement: 25 Hz.
  private static let listening = AccelerometerDemand.samples(
    SamplingWish(rate: 25, range: range), within: .seconds(2))
  /// The time of sampling after a movement, whatever the classifier needs.
  static let attention = Duration.seconds(10)
  /// The interval at which silence counts as stationary, until the tracker knows that the device is stationary.
  static let silence = Duration.seconds(30)

  /// The values that the tracker has; nil if it never got one.
  private struct Told {
    var isMoving: Bool?
    var states: MotionStates?
    var steps: UInt64?
  }

  private(set) var classifier = MotionClassifier()
  /// The present motion; nil before the first result and while the accelerometer does not respond.
  private(set) var latest: (states: MotionStates, confidence: MotionConfidence)?
  private var told = Told()
  private var attentiveUntil: Moment
  /// The time of the last data or interrupt, or of the last silence that counted as stationary.
  private var heard: Moment
  private var isLost = false

  init(now: Moment, thresholds: DrivingThresholds = DrivingThresholds()) {
    (attentiveUntil, heard) = (now + Self.attention, now)
    classifier.drivingThresholds = thresholds
  }

  /// Applies changed thresholds of harsh driving.
  mutating func apply(_ thresholds: DrivingThresholds) { classifier.drivingThresholds = thresholds }

  /// Announces the sensor to the tracker, which relies on it before the first sample.
  mutating func start() -> [TrackerEvent] { tell(isMoving: classifier.isMoving) }

  /// Processes a burst of samples.
  mutating func take(_ burst: AccelerationBurst, now: Moment) -> [TrackerEvent] {
    heard = now
    var answers: [MotionAnswer] = []
    classifier.take(
      burst.samples.lazy.map { SIMD3($0.x, $0.y, $0.z) }, first: burst.first, rate: burst.rate,
      isAfterGap: burst.isAfterGap
    ) { answers.append($0) }
    return answers.flatMap { tell($0) } + classifier.fetchDrivingEvents().map { .occurred(EventRecord($0)) }
  }

  /// Handles a wake-on-motion interrupt. The device was stationary until then.
  mutating func moved(now: Moment) -> [TrackerEvent] {
    attentiveUntil = now + Self.attention
    heard = now
    return tell(classifier.rest(until: now))
  }

  /// Discards the present motion because the accelerometer does not respond.
  mutating func lost() -> [TrackerEvent] {
    isLost = true
    latest = nil
    told.isMoving = nil
    return [.evidenceLost(.accelerometer)] + tell(states: [], .low)
  }

  /// Resumes detection because the accelerometer responds again.
  mutating func returned(now: Moment) -> [TrackerEvent] {
    (isLost, heard, attentiveUntil) = (false, now, now + Self.attention)
    return tell(isMoving: classifier.isMoving)
  }

  /// Processes a speed of the receiver, which helps to classify motion.
  mutating func take(speed: Double, accuracy: Double?, at moment: Moment) {
    classifier.take(SpeedReading(speed: Float(speed), accuracy: accuracy.map(Float.init), at: moment))
  }

  /// The mode that the accelerometer should have now.
  func demand(now: Moment) -> AccelerometerDemand {
    switch classifier.need {
    case .samples(let rate, let within): .samples(SamplingWish(rate: rate, range: Self.range), within: within)
    case .watch(let threshold):
      if now < attentiveUntil {
        Self.listening
      } else {
        .motion(MotionWatch(threshold: threshold))
      }
    }
  }

  /// The time at which silence counts as stationary; nil during sampling and after stationary was reported.
  var nextTimeout: Moment? {
    guard case .watch = classifier.need, !isLost, told.states != .stationary else { return nil }
    return max(heard, attentiveUntil) + Self.silence
  }

  /// Reports stationary after silence. An early call is harmless: without an interrupt the device did not move.
  mutating func handleTimeout(now: Moment) -> [TrackerEvent] {
    guard nextTimeout != nil else { return [] }
    heard = now
    return tell(classifier.rest(until: now))
  }

  private mutating func tell(_ answer: MotionAnswer) -> [TrackerEvent] {
    latest = (answer.states, answer.confidence)
    var events = tell(isMoving: answer.isMoving)
    if answer.steps != told.steps {
      told.steps = answer.steps
      events.append(.steps(Int32(clamping: answer.steps)))
    }
    return events + tell(states: answer.states, answer.confidence)
  }

  private mutating func tell(isMoving: Bool) -> [TrackerEvent] {
    guard isMoving != told.isMoving else { return [] }
    told.isMoving = isMoving
    return [.evidence(.accelerometer, isActive: isMoving)]
  }

  private mutating func tell(states: MotionStates, _ confidence: MotionConfidence) -> [TrackerEvent] {
    guard states != told.states ?? [] else { return [] }
    told.states = states
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
