import Foundation
import Quantities
import Testing

import Motion

@Suite struct DrivingWatchTests {
  /// The acceleration of a simulated drive: x forward, y left, z up, in m/s² without gravity.
  typealias Push = @Sendable (_ seconds: Double) -> SIMD3<Double>

  /// Returns a pulse between two times, with edges of 0.2 s.
  static func pulse(_ t: Double, _ from: Double, _ to: Double) -> Double {
    max(0, min(1, (t - from) / 0.2, (to - t) / 0.2))
  }

  static func moment(_ seconds: Double) -> Moment { Moment(nanoseconds: Int64(seconds * 1e9)) }

  /// A drive that calibrates the mount: stationary, two minutes of gentle town traffic, then `then` from second 160 on.
  static func drive(
    seconds: Int = 200, rate: Double = 25, seed: UInt64 = 1,
    thresholds: DrivingThresholds = DrivingThresholds(),
    isFixed: Bool = true, isSpeedKnown: Bool = true, then push: @escaping Push
  ) -> (events: [DrivingEvent], classifier: MotionClassifier) {
    var random = SplitMix64(seed: seed)
    let mounted = turn(
      about: SIMD3.random(in: -1...1, using: &random), by: Double.random(in: 0...6, using: &random))
    let town: Push = { t in
      guard t >= 20, t < 155 else { return .zero }
      return SIMD3(1.6 * sin((t - 20) / 5), 1.2 * sin(t / 7.7 + 1), 0)
    }
    let road = MadeUpMotion { t in
      guard t >= 20 else { return .zero }
      return SIMD3(0.03 * sin(7.3 * t), 0.025 * sin(11.1 * t), 0.06 * sin(8.9 * t) + 0.03 * sin(23 * t))
    }
    let motion = MadeUpMotion { t in
      let force = (town(t) + push(t)) / 9.80665
      let a = SIMD3(0, 0, 1.02) + force + road.acceleration(t)
      // A device that is not fixed is turned repeatedly.
      return isFixed ? a : turn(about: SIMD3(1, 2, 3), by: t / 3)(a)
    }
    let samples = motion.samples(seconds: Double(seconds), rate: rate, turned: mounted)
    var speeds: [Float] = []
    var speed = 0.0
    for second in 0..<seconds {
      for step in 0..<100 {
        speed +=
          (town(Double(second) + Double(step) / 100).x + push(Double(second) + Double(step) / 100).x) / 100
      }
      if second == 20 { speed += 8 }
      speeds.append(Float(max(0, speed)))
    }
    var classifier = MotionClassifier()
    classifier.drivingThresholds = thresholds
    _ = classify(
      samples, rate: rate, burst: Int(rate), speed: { isSpeedKnown ? speeds[$0] : nil },
      classifier: &classifier)
    return (classifier.fetchDrivingEvents(), classifier)
  }

  @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64]) func brakingIsDetectedInEveryMountWithItsPeakAndDuration(
    seed: UInt64
  ) throws {
    let (events, classifier) = Self.drive(seed: seed) { t in SIMD3(-4 * Self.pulse(t, 170, 172.2), 0, 0) }
    guard case .calibrated = classifier.mount else {
      Issue.record("seed \(seed): \(classifier.mount)")
      return
    }
    let event = try #require(events.first, "seed \(seed)")
    #expect(events.count == 1 && event.kind == .braking)
    #expect(abs(event.peak - 4) < 0.5, "\(event)")
    #expect(abs(event.duration.inSeconds - 2) < 0.5, "\(event)")
    #expect(abs((event.start - Self.moment(170.1)).inSeconds) < 0.4, "\(event)")
  }

  @Test(
    arguments: [DrivingEvent.Kind.acceleration, .corneringLeft, .corneringRight], [10.0, 12.5, 25, 50, 100])
  func everyKindIsDetectedAtEveryRate(kind: DrivingEvent.Kind, rate: Double) {
    let (events, _) = Self.drive(rate: rate) { t in
      switch kind {
      case .acceleration: SIMD3(3.4, 0, 0) * Self.pulse(t, 170, 173)
      case .braking: SIMD3(-3.4, 0, 0) * Self.pulse(t, 170, 173)
      case .corneringLeft: SIMD3(0, 4.5, 0) * Self.pulse(t, 170, 173)
      case .corneringRight: SIMD3(0, -4.5, 0) * Self.pulse(t, 170, 173)
      }
    }
    #expect(events.count == 1 && events.first?.kind == kind, "\(events)")
  }

  @Test func gentleDrivingIsNotHarsh() {
    let (events, _) = Self.drive { t in
      SIMD3(-2.2, 0, 0) * Self.pulse(t, 165, 169) + SIMD3(0, 2.6, 0) * Self.pulse(t, 175, 182)
    }
    #expect(events.isEmpty, "\(events)")
  }

  /// Repeated potholes: 2.5 g up and 0.8 g back, for 0.1 s each.
  @Test func potholesAreNotHarshDriving() {
    let (events, _) = Self.drive { t in
      guard t > 160, t.truncatingRemainder(dividingBy: 4) < 0.1 else { return .zero }
      return SIMD3(-8, 3, 25)
    }
    #expect(events.isEmpty, "\(events)")
  }

  @Test func pickingUpTheDeviceIsNotHarshDriving() {
    for angle in [0.4, 0.8, 1.6, 3.0] {
      for axis in [SIMD3(0.0, 1, 0), SIMD3(1.0, 0.5, 0)] {
        let tilt: Push = { t in
          // The change of the vector by a tilt, expressed as a force.
          let turned = turn(about: axis, by: angle * Self.pulse(t, 170, 174))(SIMD3(0, 0, 1.02))
          let shake = 0.4 * Self.pulse(t, 170, 174) * sin(13 * t)
          return (turned - SIMD3(0, 0, 1.02) + SIMD3(shake, shake, 0) * 0.3) * 9.80665
        }
        let (events, _) = Self.drive(then: tilt)
        #expect(events.isEmpty, "\(angle) about \(axis): \(events)")
      }
    }
  }

  @Test func aSteepHillIsNotHarshDriving() {
    // 20 % for half a minute.
    let (events, _) = Self.drive(seconds: 230) { t in
      let part = max(0, min(1, (t - 165) / 5, (200 - t) / 5))
      return SIMD3(1.9 * part, 0, -0.19 * part)
    }
    #expect(events.isEmpty, "\(events)")
  }

  @Test func withoutACalibratedMountThereAreNoEvents() {
    let braking: Push = { t in SIMD3(-5 * Self.pulse(t, 170, 172.5), 0, 0) }
    let loose = Self.drive(isFixed: false, then: braking)
    #expect(loose.events.isEmpty)
    let blind = Self.drive(isSpeedKnown: false, then: braking)
    #expect(blind.events.isEmpty)
    if case .calibrated = blind.classifier.mount { Issue.record("\(blind.classifier.mount)") }
  }

  @Test func configuredThresholdsAreUsed() {
    let braking: Push = { t in SIMD3(-4 * Self.pulse(t, 170, 172.2), 0, 0) }
    let high = DrivingThresholds(acceleration: 6, braking: 6, cornering: 6)
    #expect(Self.drive(thresholds: high, then: braking).events.isEmpty)
    let off = DrivingThresholds(acceleration: nil, braking: nil, cornering: nil)
    #expect(Self.drive(thresholds: off, then: braking).events.isEmpty)
    let low = DrivingThresholds(acceleration: nil, braking: 3.5, cornering: nil)
    #expect(Self.drive(thresholds: low, then: braking).events.first?.kind == .braking)
  }

  @Test func eventsAreFetchedOnce() {
    var (events, classifier) = Self.drive { t in SIMD3(-4 * Self.pulse(t, 170, 172), 0, 0) }
    #expect(events.count == 1)
    events = classifier.fetchDrivingEvents()
    #expect(events.isEmpty)
  }
}
