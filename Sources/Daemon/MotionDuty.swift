import Chips
import Motion
import Quantities
import Records
import Tracking

/// What the accelerometer tells of motion, and what it is to do for the next answer.
///
/// It answers with what the tracker has not been told yet. While the part only watches it says nothing, and nothing
/// moves; so a halt becomes a rest by ``handleTimeout(now:)``.
struct MotionDuty: Sendable {
  /// ±g: enough for a step and an engine.
  private static let range = 4.0
  private static let listening = AccelerometerDemand.samples(
    SamplingWish(rate: 25, range: range), within: .seconds(2))
  /// After a word of movement samples are wanted for so long, whatever was thought before.
  static let attention = Duration.seconds(10)
  /// How often silence is taken for rest until a rest is what the tracker was told.
  static let silence = Duration.seconds(30)

  /// What the tracker knows; nil is what it was never told.
  private struct Told {
    var isMoving: Bool?
    var states: MotionStates?
    var steps: UInt64?
  }

  private(set) var classifier = MotionClassifier()
  /// What the accelerometer says now; nil while it has said nothing, and while it does not answer.
  private(set) var latest: (states: MotionStates, confidence: MotionConfidence)?
  private var told = Told()
  private var attentiveUntil: Moment
  /// When the part last said something, or silence was taken for a word.
  private var heard: Moment
  private var isLost = false

  init(now: Moment, thresholds: DrivingThresholds = DrivingThresholds()) {
    (attentiveUntil, heard) = (now + Self.attention, now)
    classifier.drivingThresholds = thresholds
  }

  mutating func apply(_ thresholds: DrivingThresholds) { classifier.drivingThresholds = thresholds }

  /// The part is there: the plan relies on a sensor before it has spoken.
  mutating func start() -> [TrackerEvent] { tell(isMoving: classifier.isMoving) }

  mutating func take(_ burst: AccelerationBurst, now: Moment) -> [TrackerEvent] {
    heard = now
    var answers: [MotionAnswer] = []
    classifier.take(
      burst.samples.lazy.map { SIMD3($0.x, $0.y, $0.z) }, first: burst.first, rate: burst.rate,
      isAfterGap: burst.isAfterGap
    ) { answers.append($0) }
    return answers.flatMap { tell($0) } + classifier.fetchDrivingEvents().map { .occurred(EventRecord($0)) }
  }

  /// The part that watched has seen a movement. Until then nothing moved.
  mutating func moved(now: Moment) -> [TrackerEvent] {
    attentiveUntil = now + Self.attention
    heard = now
    return tell(classifier.rest(until: now))
  }

  /// The part does not answer: what it said last is no knowledge any more.
  mutating func lost() -> [TrackerEvent] {
    isLost = true
    latest = nil
    told.isMoving = nil
    return [.evidenceLost(.accelerometer)] + tell(states: [], .low)
  }

  mutating func returned(now: Moment) -> [TrackerEvent] {
    (isLost, heard, attentiveUntil) = (false, now, now + Self.attention)
    return tell(isMoving: classifier.isMoving)
  }

  mutating func take(speed: Double, accuracy: Double?, at moment: Moment) {
    classifier.take(SpeedReading(speed: Float(speed), accuracy: accuracy.map(Float.init), at: moment))
  }

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

  /// When silence is taken for rest; nil while samples come and once a rest was told.
  var nextTimeout: Moment? {
    guard case .watch = classifier.need, !isLost, told.states != .stationary else { return nil }
    return max(heard, attentiveUntil) + Self.silence
  }

  /// Early is no harm: what did not speak up to now rested up to now.
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
