import Energy
import Quantities
import Testing
import Tracking
@testable import Replay
import Scheduling

/// The tracker's settings apply in a replay.
@Suite struct TrackerReplayTests {
  /// A stop, half an hour northward at 14 m/s, a stop, and back.
  static let commute = MadeUpDay().stop(900).move(1800, speed: 14).stop(1800)
    .move(1800, speed: 14, course: 180).stop(900)

  static func settings(_ policy: TrackingPolicy? = .high) -> TrackerSettings {
    var settings = TrackerSettings(deviceID: "replay")
    settings.policy = policy
    return settings
  }

  static let plain = commute.replay().run(settings())

  private static func steps(_ log: DayLog) -> [(seconds: Double, metres: Double)] {
    zip(log.points, log.points.dropFirst()).map {
      ($1.time - $0.time, GeoPoint.metres($0.position, $1.position))
    }
  }

  /// Motion derived from the speed is only information for readers of the records.
  @Test(arguments: [.high, .stopsOnly, .within(metres: 20), nil] as [TrackingPolicy?])
  func motionBySpeedDoesNotChangeAReplay(_ policy: TrackingPolicy?) {
    var settings = Self.settings(policy)
    settings.trips.isAutomatic = true
    settings.visits = VisitRules()
    var replay = Self.commute.replay()
    replay.hasAccelerometer = false
    let with = replay.run(settings)
    settings.derivesMotion = false
    let isSame = replay.run(settings) == with
    #expect(isSame)
    #expect(with.points.count > (policy == .stopsOnly ? 3 : 50), "\(with.points.count)")
  }

  @Test func aMinimumDistanceReducesThePoints() {
    var settings = Self.settings()
    settings.decimation = Decimation(minDistance: 100)
    let log = Self.commute.replay().run(settings)
    #expect(log.points.count < Self.plain.points.count / 5)
    // The ends of a leg are kept regardless of the distance.
    #expect(Self.steps(log).count { $0.metres < 95 } < 12)
    #expect(log.intervals == Self.plain.intervals, "the receiver works as before")
  }

  @Test func aMinimumTimeReducesThePoints() {
    var settings = Self.settings()
    settings.decimation = Decimation(minTime: .seconds(10))
    let log = Self.commute.replay().run(settings)
    #expect(log.points.count < Self.plain.points.count / 8)
    #expect(Self.steps(log).count { $0.seconds < 9.9 } < 12)
  }

  @Test func noRecordLiesInAPrivacyZone() throws {
    let far = try #require(Coordinate(latitude: 52 + 14 * 1800 / GeoPoint.metresPerDegree, longitude: 13))
    var zone = Zone("at the far end", try #require(ZoneShape(centre: far, radius: 2000)))
    let centre = GeoPoint(latitude: far.latitude, longitude: far.longitude)
    #expect(Self.plain.points.contains { GeoPoint.metres($0.position, centre) < 2000 })
    for isPrivate in [false, true] {
      zone.isPrivate = isPrivate
      var settings = Self.settings()
      settings.zones = [zone]
      let log = Self.commute.replay().run(settings)
      let inside = log.points.count { GeoPoint.metres($0.position, centre) < 2000 }
      #expect((inside == 0) == isPrivate, "\(inside)")
      #expect(log.points.count > 3000)
    }
  }

  @Test(arguments: [(2.0, 0), (5, 3000), (nil, 3000)] as [(Double?, Int)])
  func fixesWorseThanTheAccuracyLimitAreDropped(_ metres: Double?, _ atLeast: Int) {
    var settings = Self.settings()
    settings.maxAccuracy = metres
    let log = Self.commute.replay().run(settings)
    #expect(log.points.count >= atLeast)
    #expect(log.points.count <= (atLeast == 0 ? 10 : Self.plain.points.count))
  }

  @Test func withTrackingOffOnlyAutomaticTripsAreRecorded() {
    var settings = Self.settings(.stopsOnly)
    settings.keepsLocations = false
    #expect(Self.commute.replay().run(settings).points.isEmpty)
    settings.trips.isAutomatic = true
    settings.tripPolicy = .own(.high)
    let log = Self.commute.replay().run(settings)
    #expect(log.points.count > 2000)
    // The simulated accelerometer detects motion shortly before the first second with a speed.
    let trips = [870.0...3000, 4470.0...6600]
    #expect(log.points.allSatisfy { point in trips.contains { $0.contains(point.time) } })
  }

  @Test func anAutomaticTripStartsAtTheDepartureEvenIfNoOtherPositionIsStored() throws {
    var settings = Self.settings(.highInCyclicMode)
    settings.keepsLocations = false
    settings.trips.isAutomatic = true
    settings.tripPolicy = .own(.within(metres: 20))
    let log = Self.commute.replay().run(settings)
    for departure in [900.0, 4500] {
      let first = try #require(log.points.first { $0.time >= departure - 60 })
      #expect(first.time < departure + 30, "\(first.time - departure) s")
      let beginning = log.points.filter { (first.time...(first.time + 900)).contains($0.time) }
      let pauses = zip(beginning, beginning.dropFirst()).map { $1.time - $0.time }
      #expect(pauses.max() ?? .infinity < 200, "the beginning is recorded like the remainder: \(pauses)")
    }
  }

  @Test func withoutATrackingPolicyTheReceiverNeverSleeps() {
    let log = Self.commute.replay().run(Self.settings(nil))
    let replay = Self.commute.replay()
    #expect(log.intervals == NamedPolicy.alwaysOn.log(of: replay).intervals)
    #expect(log.points == NamedPolicy.alwaysOn.log(of: replay).points)
  }

  @Test(arguments: [-1e11, 0, 1_250_000_000.25, 1_483_228_799, 1_700_000_000, 4_102_444_800, 1e11])
  func aDayIsTheSameWhateverItsDate(_ start: Double) {
    let rows = MadeUpDay().stop(600).move(300, speed: 14).stop(600).track.rows
    let moved = rows.map {
      RecordedTrack.Row(
        time: $0.time - rows[0].time + start, position: $0.position, hasReception: $0.hasReception)
    }
    func points(_ rows: [RecordedTrack.Row]) -> [DayLog.Point] {
      DayReplay(Day(RecordedTrack(rows: rows)), seed: 1).run(Self.settings()).points
    }
    let (there, here) = (points(moved), points(rows))
    #expect(here.count > 250 && there.map(\.position) == here.map(\.position))
    // Milliseconds of Unix time.
    #expect(zip(there, here).allSatisfy { abs($0.time - $1.time) < 0.0021 })
  }

  @Test func theSensorsKindOfMotionIsUsed() {
    var settings = Self.settings(.stopsOnly)
    settings.keepsLocations = false
    settings.trips.isAutomatic = true
    settings.tripPolicy = .own(.high)
    func end(_ states: MotionStates?) -> Double {
      var replay = Self.commute.replay()
      // The engine vibrates for an hour after the device has stopped.
      replay.receive([
        MotionEdge(time: 0, isMoving: false), MotionEdge(time: 902, isMoving: true, states: states),
        MotionEdge(time: 6000, isMoving: false, states: states == nil ? nil : .stationary),
      ])
      return replay.run(settings).points.filter { $0.time < 4500 }.last?.time ?? 0
    }
    #expect(end(.driving) > end(nil) + 60)
  }

  /// Every tracking policy on random days, so that the intervals of all of them coincide at some time.
  @Test(arguments: [UInt64(1), 2, 3])
  func noSecondHasTwoRecords(_ seed: UInt64) {
    let replay = MadeUpDay.random(seed).replay(seed: seed)
    for policy in [NamedPolicy.H, .HCyclic, .S10, .S20, .S50, .batterySaving, .significantOnly] {
      let seconds = policy.log(of: replay).points.map { Int($0.time) }
      #expect(seconds.count > 1, "\(policy) seed \(seed)")
      #expect(Set(seconds).count == seconds.count, "\(policy) seed \(seed)")
    }
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func batterySavingDrawsNoMoreThanS50WithoutLosingStopsOrDepartures(_ seed: UInt64) throws {
    for (name, day) in [("random day", MadeUpDay.random(seed)), ("commute", Self.commute)] {
      let replay = day.replay(seed: seed)
      func score(_ policy: NamedPolicy) -> DayScore {
        DayScore(policy.log(of: replay), of: replay, currents: .neoM8N)
      }
      let (saving, reference) = (score(.batterySaving), score(.S50))
      #expect(saving.charge <= 1.05 * reference.charge, "\(name), seed \(seed)")
      #expect(saving.stopsKept >= reference.stopsKept, "\(name), seed \(seed)")
      #expect(try #require(saving.latency95, "\(name), seed \(seed)") <= 60, "\(name), seed \(seed)")
    }
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func batterySavingKeepsEveryStopAndDepartureOfACommute(_ seed: UInt64) throws {
    let replay = Self.commute.replay(seed: seed)
    let saving = DayScore(NamedPolicy.batterySaving.log(of: replay), of: replay, currents: .neoM8N)
    #expect(saving.stops > 0 && saving.stopsKept == saving.stops, "seed \(seed)")
    #expect(try #require(saving.latency95) <= 60, "seed \(seed)")
  }

  // MARK: Stops

  @Test func aLoggedStopDuringMotionCountsAsInvented() {
    let replay = MadeUpDay().stop(600).move(900, speed: 14).stop(600).replay()
    #expect(DayScore(NamedPolicy.H.log(of: replay), of: replay, currents: .neoM8N).stopsInvented == 0)
    var log = DayLog(start: replay.day.start)
    // Claims a stop half-way, while the device moved.
    let position = replay.day.positions[700]
    for second in stride(from: 700, through: 1200, by: 20) { log.keep(position, at: Double(second)) }
    let score = DayScore(log, of: replay, currents: .neoM8N)
    #expect(score.stopsInvented == 1)
    var sum = score
    sum += score
    #expect(sum.stopsInvented == 2)
  }
}
