import Chips
import Motion
import Quantities

/// What the accelerometer tells of motion, and what it is to do for the next answer.
struct MotionDuty: Sendable {
  /// ±g: enough for a step and an engine.
  private static let range = 4.0
  private static let listening = AccelerometerDemand.samples(
    SamplingWish(rate: 25, range: range), within: .seconds(2))
  /// After a word of movement samples are wanted for so long, whatever was thought before.
  private static let attention = Duration.seconds(10)

  private(set) var classifier = MotionClassifier()
  /// The newest answer; nil before the first.
  private(set) var answer: MotionAnswer?
  private var attentiveUntil: Moment

  init(now: Moment) { attentiveUntil = now + Self.attention }

  /// The answers of the seconds that the burst completes.
  mutating func take(_ burst: AccelerationBurst) -> [MotionAnswer] {
    var answers: [MotionAnswer] = []
    classifier.take(
      burst.samples.lazy.map { SIMD3($0.x, $0.y, $0.z) }, first: burst.first, rate: burst.rate,
      isAfterGap: burst.isAfterGap
    ) { answers.append($0) }
    answer = answers.last ?? answer
    return answers
  }

  /// The part that watched has seen a movement. Until then nothing moved.
  mutating func moved(now: Moment) {
    attentiveUntil = now + Self.attention
    answer = classifier.rest(until: now)
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
}
