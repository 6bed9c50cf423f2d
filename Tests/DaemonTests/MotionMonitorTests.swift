import Chips
import Foundation
import Motion
import Quantities
import Records
import Testing
import Tracking
@testable import Daemon

@Suite struct MotionMonitorTests {
  /// Accelerations in g, as functions of time.
  static func stationary(_ time: Double) -> SIMD3<Double> { SIMD3(0.02, -0.01, 1.01) }

  static func walk(_ time: Double) -> SIMD3<Double> {
    let phase = 2 * Double.pi * 1.9 * time
    let up = 0.3 * sin(phase) + 0.12 * sin(2 * phase + 0.7) + 0.06 * sin(3 * phase + 1.1)
    return SIMD3(0.12 * sin(phase + 0.4), 0.075 * sin(phase / 2), 1 + up + 0.015 * sin(0.37 * phase))
  }

  static func drive(_ time: Double) -> SIMD3<Double> {
    SIMD3(
      0.05 * sin(7.3 * time), 0.04 * sin(11.1 * time), 1 + 0.06 * sin(8.9 * time) + 0.03 * sin(23 * time))
  }

  /// A stop with the engine running.
  static func idle(_ time: Double) -> SIMD3<Double> {
    SIMD3(0.003 * sin(8.3 * time), 0.002 * sin(14.9 * time), 1 + 0.003 * sin(9.1 * time))
  }

  static func moment(_ second: Int) -> Moment { .zero + .seconds(second) }

  /// Motion detection with one burst a second, and its events.
  struct Bench {
    var monitor = MotionMonitor(now: .zero)
    var events: [(second: Int, event: TrackerEvent)] = []

    mutating func record(_ new: [TrackerEvent], at second: Int) { events += new.map { (second, $0) } }

    mutating func feed(
      _ seconds: Range<Int>, rate: Int = 25, isAfterGap: Bool = false, speed: Double? = nil,
      _ motion: (Double) -> SIMD3<Double>
    ) {
      for second in seconds {
        let samples = (0..<rate).map { index in
          let a = motion(Double(second) + Double(index) / Double(rate))
          var random = SplitMix64(seed: UInt64(second * rate + index))
          let noise = SIMD3<Double>.random(in: -0.005...0.005, using: &random)
          return Acceleration(x: Float(a.x + noise.x), y: Float(a.y + noise.y), z: Float(a.z + noise.z))
        }
        if let speed { monitor.take(speed: speed, accuracy: 0.3, at: moment(second)) }
        let burst = AccelerationBurst(
          first: moment(second), rate: Double(rate), samples: samples,
          isAfterGap: isAfterGap && second == seconds.lowerBound, missing: isAfterGap ? 3 : nil)
        record(monitor.take(burst, now: moment(second + 1)), at: second + 1)
      }
    }

    /// Handles deadlines that have passed, as the loop does.
    mutating func wait(until end: Int) {
      while let due = monitor.nextTimeout, due <= moment(end) {
        record(monitor.handleTimeout(now: due), at: Int(due.nanoseconds / 1_000_000_000))
      }
    }

    var states: [MotionStates] {
      events.compactMap { if case .motion(let states) = $0.event { states } else { nil } }
    }
    var changes: [EventRecord] {
      events.compactMap { if case .occurred(let event) = $0.event { event } else { nil } }
    }
    var steps: [Int32] { events.compactMap { if case .steps(let steps) = $0.event { steps } else { nil } } }
    var evidence: [Bool] {
      events.compactMap {
        if case .evidence(.accelerometer, let isActive) = $0.event { isActive } else { nil }
      }
    }
  }

  @Test func aSensorCountsBeforeItsFirstSample() {
    var monitor = MotionMonitor(now: .zero)
    #expect(monitor.start() == [.evidence(.accelerometer, isActive: false)])
    #expect(monitor.start().isEmpty)
    #expect(monitor.nextTimeout == nil)
  }

  @Test func aChangedMotionIsReportedOnceWithItsEvent() throws {
    var bench = Bench()
    bench.feed(0..<40, Self.stationary)
    #expect(bench.states == [.stationary] && bench.evidence == [false])
    bench.feed(40..<80, Self.walk)
    #expect(bench.states == [.stationary, .walking] && bench.evidence == [false, true])
    let walk = try #require(bench.changes.last)
    #expect(
      bench.changes.count == 2 && walk.kind == .motionChanged && walk.fields.list(.motion) == ["walking"])
    let began = try #require(bench.events.first { $0.event == .motion(.walking) })
    #expect((41...47).contains(began.second))
    let woke = try #require(bench.events.first { $0.event == .evidence(.accelerometer, isActive: true) })
    #expect((41...43).contains(woke.second), "the receiver is woken before the motion is classified")
    bench.feed(80..<130, Self.stationary)
    #expect(bench.states.last == .stationary && bench.evidence == [false, true, false])
  }

  @Test func stepsAreReportedAsAGrowingTotalAlsoInTheEvent() throws {
    var bench = Bench()
    bench.feed(0..<20, Self.stationary)
    #expect(bench.steps == [0])
    bench.feed(20..<80, Self.walk)
    bench.feed(80..<100, Self.stationary)
    #expect(bench.steps == bench.steps.sorted() && Set(bench.steps).count == bench.steps.count)
    let total = try #require(bench.steps.last)
    #expect((108...118).contains(total), "\(total)")
    #expect(bench.changes.last?.value == Int64(total))
  }

  @Test func aNewInstanceCountsStepsFromZero() throws {
    var bench = Bench()
    bench.feed(0..<40, Self.walk)
    #expect(try #require(bench.steps.last) > 50)
    bench.monitor = MotionMonitor(now: Self.moment(40))
    bench.events = []
    bench.feed(40..<42, Self.stationary)
    #expect(bench.steps.first == 0)
  }

  @Test func aLostAccelerometerRevokesItsMotionAndKeepsItsSteps() throws {
    var bench = Bench()
    bench.feed(0..<60, Self.walk)
    let total = try #require(bench.steps.last)
    bench.events = []
    bench.record(bench.monitor.lost(), at: 60)
    #expect(bench.events.first?.event == .evidenceLost(.accelerometer))
    #expect(bench.states == [[]] && bench.changes.map { $0.fields.list(.motion) } == [[]])
    #expect(bench.monitor.nextTimeout == nil)
    bench.record(bench.monitor.returned(now: Self.moment(300)), at: 300)
    #expect(bench.evidence.count == 1)
    bench.feed(300..<340, isAfterGap: true, Self.walk)
    #expect(bench.states.last == .walking)
    #expect(bench.steps.allSatisfy { $0 >= total } && bench.steps.last ?? 0 > total + 50)
  }

  @Test func aGapIsCounted() {
    var bench = Bench()
    bench.feed(0..<20, Self.walk)
    #expect(bench.monitor.classifier.faults.gaps == 0)
    bench.feed(25..<40, isAfterGap: true, Self.walk)
    #expect(bench.monitor.classifier.faults.gaps == 1)
    #expect(bench.states.last == .walking)
  }

  @Test func theModeFollowsTheNeedOfTheClassifier() {
    func rate(_ desiredMode: DesiredAccelerometerMode) -> Double? {
      if case .samples(let request, _) = desiredMode { request.rate } else { nil }
    }
    var bench = Bench()
    #expect(rate(bench.monitor.desiredMode(now: .zero)) == 25)
    bench.feed(0..<30, Self.walk)
    #expect(rate(bench.monitor.desiredMode(now: Self.moment(30))) == 25)
    bench.feed(30..<130, Self.stationary)
    #expect(bench.monitor.desiredMode(now: Self.moment(130)) == .motion(MotionWatch(threshold: 0.064)))
    // After a movement, samples are required for a while, whatever the classifier needs.
    bench.record(bench.monitor.moved(now: Self.moment(500)), at: 500)
    #expect(rate(bench.monitor.desiredMode(now: Self.moment(500))) == 25)
    #expect(rate(bench.monitor.desiredMode(now: Self.moment(509))) == 25)
    #expect(rate(bench.monitor.desiredMode(now: Self.moment(511))) == nil)
    bench.feed(500..<560, rate: 25, speed: 15, Self.drive)
    #expect(rate(bench.monitor.desiredMode(now: Self.moment(560))) == 12.5, "driving needs no step detection")
  }

  @Test func aStopBecomesStationaryInWakeOnMotionMode() throws {
    var bench = Bench()
    bench.feed(0..<120, speed: 14, Self.drive)
    bench.feed(120..<183, Self.idle)
    #expect(bench.states.last == [.driving, .stationary])
    guard case .motion = bench.monitor.desiredMode(now: Self.moment(183)) else {
      Issue.record("sampling continues")
      return
    }
    #expect(bench.monitor.nextTimeout == Self.moment(183) + MotionMonitor.stationaryTimeout)
    bench.wait(until: 1200)
    #expect(bench.states.last == .stationary)
    let parked = try #require(bench.events.last { $0.event == .motion(.stationary) })
    #expect((213...700).contains(parked.second), "\(parked.second)")
    #expect(bench.monitor.nextTimeout == nil, "a parked car causes no wake-ups")
  }

  @Test func aMovementAfterLongSilenceEndsTheEarlierMotion() {
    var bench = Bench()
    bench.feed(0..<120, speed: 14, Self.drive)
    bench.feed(120..<183, Self.idle)
    bench.record(bench.monitor.moved(now: Self.moment(4000)), at: 4000)
    #expect(bench.states.last == .stationary && bench.evidence.last == false)
    bench.feed(4000..<4030, Self.walk)
    #expect(bench.states.last == .walking && bench.evidence.last == true)
  }

  @Test func aKnockDoesNotWakeTheReceiver() {
    var bench = Bench()
    bench.feed(0..<100, Self.stationary)
    bench.events = []
    bench.record(bench.monitor.moved(now: Self.moment(200)), at: 200)
    bench.feed(200..<270) { $0 < 200.2 ? SIMD3(0.4, 0, 1.3) : Self.stationary($0) }
    #expect(bench.evidence.isEmpty && bench.states.isEmpty)
    guard case .motion = bench.monitor.desiredMode(now: Self.moment(270)) else {
      Issue.record("sampling continues")
      return
    }
  }

  @Test func harshBrakingIsAnEventWithItsPeak() throws {
    var bench = Bench()
    bench.feed(0..<30, speed: 0, Self.stationary)
    var speed = 10.0
    for second in 30..<170 {
      let push = 1.6 * sin(Double(second - 30) / 5)
      speed += push
      bench.feed(second..<second + 1, speed: speed) { time in
        Self.drive(time) + SIMD3(1.6 * sin((time - 30) / 5), 1.2 * sin(time / 7.7), 0) / 9.80665
      }
    }
    bench.feed(170..<180, speed: speed, Self.drive)
    bench.events = []
    bench.feed(180..<182, speed: speed - 4) { Self.drive($0) + SIMD3(-4 / 9.80665, 0, 0) }
    bench.feed(182..<190, speed: speed - 8, Self.drive)
    let harsh = bench.changes.filter { $0.kind == .harshBraking }
    let event = try #require(harsh.first, "\(bench.monitor.classifier.mount)")
    #expect(harsh.count == 1 && (3500...4500).contains(event.value ?? 0), "\(event)")
    #expect((event.fields.number(.durationMilliseconds) ?? 0) > 0)
    bench.events = []
    bench.monitor.apply(DrivingThresholds(acceleration: nil, braking: nil, cornering: nil))
    bench.feed(190..<192, speed: speed - 10) { Self.drive($0) + SIMD3(-4 / 9.80665, 0, 0) }
    bench.feed(192..<200, speed: speed - 14, Self.drive)
    #expect(bench.changes.isEmpty)
  }
}
