import DaySupport
import Quantities
import Records
import Testing
import GNSSProtocol
import Tracking

/// The motion state of records without an accelerometer.
@Suite struct MotionBySpeedTests {
  private static let settings = TrackerSettings(deviceID: "van")

  /// The motion states of the locations recorded during `phase`, without its first seconds.
  private func motion(
    of journey: Journey, after seconds: Int = 0, _ phase: (Journey) -> Void
  ) -> [MotionStates] {
    let before = journey.points.count
    phase(journey)
    return journey.points.dropFirst(before + seconds / journey.spacing).map(\.location.motion)
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func aVehicleDrivesStopsAndParks(seed: UInt64) throws {
    let journey = Journey(Self.settings, seed: seed)
    let parked = motion(of: journey, after: 10) { $0.stop(60) }
    #expect(parked.count > 40 && parked.allSatisfy { $0 == .stationary })
    let drive = motion(of: journey, after: 5) { $0.go(6000, at: 14) }
    #expect(drive.count > 400 && drive.allSatisfy { $0 == .driving })
    let light = motion(of: journey, after: 7) { $0.stop(30) }
    #expect(light.count == 23 && light.allSatisfy { $0 == [.driving, .stationary] })
    #expect(motion(of: journey, after: 5) { $0.go(6000, at: 14) }.allSatisfy { $0 == .driving })
    let end = motion(of: journey, after: 100) { $0.stop(300) }
    #expect(end.count == 200 && end.allSatisfy { $0 == .stationary })
  }

  @Test func aWalkIsWalking() {
    let journey = Journey(Self.settings)
    journey.stop(60)
    let walk = motion(of: journey, after: 60) { $0.go(600, at: 1.4) }
    #expect(walk.count > 300 && walk.allSatisfy { $0 == .walking })
  }

  @Test(arguments: [60, 300])
  func fixesAMinuteApartHaveAMotionStateToo(spacing: Int) {
    let journey = Journey(Self.settings)
    journey.spacing = spacing
    #expect(motion(of: journey) { $0.stop(3600) }.allSatisfy { $0 == .stationary })
    #expect(motion(of: journey) { $0.go(60_000, at: 20) }.allSatisfy { $0 == .driving })
  }

  @Test func aFixWithoutSpeedHasNoMotionState() {
    let drill = Drill(Self.settings)
    drill.handle(Fix.series((0..<120).map { $0 * 1000 }))
    #expect(drill.locations.count == 120)
    #expect(
      drill.locations.allSatisfy { if case .location(let at) = $0.body { at.motion == [] } else { false } })
    #expect(drill.tracker.motionBySpeed(at: drill.now) == nil)
  }

  @Test func anAccelerometerTakesPrecedenceUntilItIsLost() {
    let journey = Journey(Self.settings)
    journey.drill.handle(.evidence(.accelerometer, isActive: true))
    #expect(motion(of: journey) { $0.go(1400, at: 14) }.allSatisfy { $0 == [] })
    #expect(journey.drill.tracker.motionBySpeed(at: journey.drill.now) == nil)
    journey.drill.handle(.motion(.cycling))
    #expect(motion(of: journey) { $0.go(1400, at: 14) }.allSatisfy { $0 == .cycling })
    journey.drill.handle(.evidenceLost(.accelerometer))
    journey.drill.handle(.motion([]))
    #expect(motion(of: journey) { $0.go(1400, at: 14) }.allSatisfy { $0 == .driving })
  }

  @Test func aRequestContainsThePresentMotionAndNoOutdatedOne() throws {
    let journey = Journey(Self.settings)
    journey.go(1400, at: 14)
    func current() throws -> MotionStates {
      let current = journey.drill.tracker.current(at: journey.drill.now)
      let record = try #require(current)
      guard case .location(let location) = record.body else { return [] }
      return location.motion
    }
    #expect(try current() == .driving)
    #expect(journey.drill.tracker.motionBySpeed(at: journey.drill.now)?.confidence == .medium)
    journey.pass(61)
    #expect(try current() == [])
  }

  @Test func aRecordAtTheParkingPositionIsStationary() throws {
    var settings = Journey.settings
    settings.freezesWhenParked = true
    settings.profiles = ProfileRules([:])
    let journey = Journey(settings)
    journey.go(3000, at: 12)
    journey.stop(900)
    let before = journey.points.count
    // Inside a garage the receiver reports a walk.
    for _ in 0..<20 {
      journey.go(2, at: 1)
      journey.go(2, at: 1, course: 270)
    }
    let parked = journey.points.dropFirst(before).filter { $0.location.speedMillimetresPerSecond == 0 }
    #expect(!parked.isEmpty && parked.allSatisfy { $0.location.motion == .stationary }, "\(parked.count)")
  }

  @Test func aSpeedShownAsZeroIsNoMotion() {
    var settings = Self.settings
    settings.quietSpeed = 2
    let journey = Journey(settings)
    let quiet = motion(of: journey, after: 10) { $0.go(300, at: 1) }
    #expect(quiet.count > 200 && quiet.allSatisfy { $0 == .stationary })
  }
}

/// The derived motion changes the records' motion and nothing else.
@Suite struct MotionBySpeedDays {
  /// The decisions and actions of a day.
  private struct Life {
    var day: TrackedDay
    /// After each deadline: the required state of the receiver and the next deadline.
    var decisions: [String]
  }

  private func live(
    _ seed: UInt64, kind: Int, derivesMotion: Bool, hasAccelerometer: Bool = false
  ) -> Life {
    var decisions: [String] = []
    let day = RandomDays.day(
      seed, isWild: kind == 1, isDense: kind == 2, hasRequests: kind == 3,
      inspect: { tracker, now in
        let due = [
          tracker.summary.nextTimeout, tracker.summary.scheduleTimeout, tracker.summary.nextWake?.due,
        ]
        decisions.append(
          "\(now) \(due) \(String(describing: tracker.summary.receiverState)) \(tracker.summary.latencyBudget) \(tracker.summary.isMoving)"
        )
      },
      prepare: { settings, fitting in
        settings.derivesMotion = derivesMotion
        fitting.hasAccelerometer = hasAccelerometer
      })
    return Life(day: day, decisions: decisions)
  }

  /// The actions without any motion state: in locations, in the ends of trips, and in the saved state.
  private func masked(_ actions: [TrackerAction]) -> [TrackerAction] {
    actions.map { action in
      switch action {
      case .keep(var record, let urgency):
        switch record.body {
        case .location(var location):
          location.motion = []
          record.body = .location(location)
        case .trip(var trip):
          trip.startLocation?.location.motion = []
          trip.endLocation?.location.motion = []
          record.body = .trip(trip)
        case .visit, .action, .event: break
        }
        return .keep(record, urgency)
      case .save(let text): return .save(masked(text))
      case .date, .receiver, .scanAccessPoints, .readSystemClock: return action
      }
    }
  }

  /// Among the fields of a position the motion state is seven before the two texts at the end.
  private func masked(_ state: String) -> String {
    state.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      var fields = line.split(separator: "\t", omittingEmptySubsequences: false)
      for index in fields.indices.dropFirst(20).dropLast()
      where fields[index].first == "'" && fields[index + 1].first == "'" {
        fields[index - 7] = "*"
      }
      return fields.joined(separator: "\t")
    }.joined(separator: "\n")
  }

  @Test(arguments: RandomDays.seeds, 0..<4)
  func aDayRecordsTheSameFixesWithAndWithoutTheDerivedMotion(seed: UInt64, kind: Int) {
    let with = live(seed, kind: kind, derivesMotion: true)
    let without = live(seed, kind: kind, derivesMotion: false)
    let isSame = masked(with.day.actions) == masked(without.day.actions)
    #expect(isSame, "other actions")
    #expect(with.decisions == without.decisions && !with.decisions.isEmpty)
    #expect(with.day.intervals == without.day.intervals)
  }

  /// Days mostly without speed have no motion state, so this applies to all days together.
  @Test(arguments: 0..<4)
  func theDerivedMotionAppearsInRecords(kind: Int) {
    let derived = RandomDays.seeds.reduce(0) { sum, seed in
      let with = live(seed, kind: kind, derivesMotion: true).day.points
      let without = live(seed, kind: kind, derivesMotion: false).day.points
      return sum + zip(with, without).count { $0.location.motion != $1.location.motion }
    }
    #expect(derived > 0)
  }

  @Test(arguments: RandomDays.seeds)
  func withAnAccelerometerNothingChanges(seed: UInt64) {
    let with = live(seed, kind: 0, derivesMotion: true, hasAccelerometer: true)
    let without = live(seed, kind: 0, derivesMotion: false, hasAccelerometer: true)
    let isSame = with.day.actions == without.day.actions
    #expect(isSame && with.decisions == without.decisions)
  }
}
