import Energy
import Quantities
import Testing
@testable import Replay

/// Days on a simulated clock, with the expected result of each.
@Suite struct DayReplayTests {
  static let drive = MadeUpDay().stop(900).move(1200, speed: 14, turn: 0.2).stop(1800)

  // MARK: Promises of every day

  static let quickPolicies: [NamedPolicy] = [
    .H, .HCyclic, .S20, .batterySaving, .significantOnly, .fixed300, .traceLike, .teltonikaLike, .limitH,
    .limitS20,
  ]

  @Test(arguments: [UInt64(1), 2, 3])
  func noTwoStatesOverlapAndTimeNeverRunsBack(_ seed: UInt64) {
    let replay = MadeUpDay.random(seed).replay(seed: seed)
    for policy in Self.quickPolicies {
      let log = policy.log(of: replay)
      #expect(log.intervals.count > 1 && log.points.count > 1, "\(policy) seed \(seed)")
      for (a, b) in zip(log.intervals, log.intervals.dropFirst()) {
        #expect(a.start < a.end && a.end <= b.start, "\(policy) seed \(seed)")
      }
      for (a, b) in zip(log.points, log.points.dropFirst()) {
        #expect(a.time < b.time, "\(policy) seed \(seed)")
      }
    }
  }

  @Test(arguments: [UInt64(1), 2, 3], [NamedPolicy.H, .HCyclic, .S20, .significantOnly])
  func aPointOfASleepingReceiverRepeatsTheLastPosition(_ seed: UInt64, _ policy: NamedPolicy) {
    let log = policy.log(of: MadeUpDay.random(seed).replay(seed: seed))
    var last: GeoPoint?
    #expect(!log.points.isEmpty)
    for point in log.points {
      let isPowered = log.intervals.contains { $0.start <= point.time && point.time <= $0.end }
      #expect(isPowered || point.position == last, "\(policy) seed \(seed) at \(point.time)")
      last = point.position
    }
  }

  @Test(arguments: [NamedPolicy.H, .S20, .fixed60, .traceLike])
  func theSameSeedGivesTheSameBytes(_ policy: NamedPolicy) {
    let (a, b) = (policy.log(of: Self.drive.replay(seed: 7)), policy.log(of: Self.drive.replay(seed: 7)))
    #expect(a.pointsText == b.pointsText)
    #expect(a.intervalsText == b.intervalsText)
    #expect(a.pointsText != policy.log(of: Self.drive.replay(seed: 8)).pointsText)
  }

  @Test func theChargeIsThatOfTheIntervals() {
    let replay = Self.drive.replay()
    let log = NamedPolicy.H.log(of: replay)
    let score = DayScore(log, of: replay, currents: .neoM8N)
    let on = log.intervals.reduce(0.0) { $0 + $1.end - $1.start }
    #expect(abs(score.onTime - on) < 1e-6)
    #expect(abs(score.backup - 0.015 * (86_400 - on) / 3600) < 1e-9)
  }

  // MARK: Days

  @Test func aDayWithoutMotionCostsLessThanFiveMilliampereHours() {
    let score = score(MadeUpDay().stop(3600), .H)
    #expect(score.charge < 5)
    #expect(score.points <= 10)
  }

  /// Alternating stops and legs in seconds, with m/s: days in a mine, a warehouse, a hall, a train and a
  /// ship.
  static let noReceptionCases: [(stop: Int, movement: Int, speed: Double, turns: Int)] = [
    (0, 0, 0, 0), (2400, 1200, 1.4, 6), (2400, 1200, 1.4, 24), (480, 120, 1.4, 144), (600, 900, 12, 57),
    (3600, 54_000, 1.4, 1), (600, 80_000, 8, 1),
  ]

  @Test(arguments: noReceptionCases, [NamedPolicy.H, .S20])
  func aDayWithoutReceptionCostsAtMostTwiceAPlainSearch(
    _ row: (stop: Int, movement: Int, speed: Double, turns: Int), policy: NamedPolicy
  ) {
    var day = MadeUpDay().stop(60, reception: false)
    for _ in 0..<row.turns {
      day = day.stop(row.stop, reception: false).move(row.movement, speed: row.speed, reception: false)
    }
    day = day.stop(max(86_300 - 60 - row.turns * (row.stop + row.movement), 60), reception: false)
    let (ours, plain) = (score(day, policy), score(day, .plainSearch))
    #expect(ours.charge <= 2 * plain.charge, "\(ours.charge) mAh, plain \(plain.charge)")
    #expect(ours.points == 0)
  }

  @Test func aSchoolRunOf300MetresIsRecorded() throws {
    let score = score(
      MadeUpDay().stop(1800).move(215, speed: 1.4).stop(600).move(215, speed: 1.4, course: 180), .H)
    #expect(score.points > 350)
    #expect(try #require(score.error95) < 20)
    #expect(score.latencies.allSatisfy { $0 < 20 })
  }

  @Test func aTunnelOfFourKilometresKeepsTheTrackOnBothSides() throws {
    let day = MadeUpDay().stop(600).move(600, speed: 20).move(200, speed: 20, reception: false).move(
      600, speed: 20)
    let score = score(day, .H)
    #expect(score.points > 1050)
    #expect(try #require(score.errorMax) < 200)
  }

  @Test func overnightWithoutReceptionAcquisitionIsCheapAndTheExitIsRecorded() {
    let day = MadeUpDay().move(600, speed: 10).move(30, speed: 3, reception: false).stop(
      30_000, reception: false
    )
    .move(60, speed: 3, reception: false).move(1200, speed: 10)
    let replay = day.replay()
    let log = NamedPolicy.H.log(of: replay)
    let night = log.intervals.filter { $0.start > 700 && $0.end < 30_600 }.reduce(0) {
      $0 + $1.end - $1.start
    }
    #expect(night < 2400)
    let exit = log.points.first { $0.time > 30_690 }
    #expect(exit.map { $0.time < 30_800 } ?? false)
  }

  @Test func aTrafficJamOfFortyMinutesIsOneLeg() throws {
    var day = MadeUpDay().stop(600).move(300, speed: 20)
    for _ in 0..<20 { day = day.move(40, speed: 2).stop(80) }
    let score = score(day.move(300, speed: 20), .H)
    #expect(try #require(score.error95) < 25)
    #expect(score.starts < 60)
  }

  @Test func aPetrolStopOfFourMinutesKeepsItsPosition() {
    let day = MadeUpDay().move(900, speed: 20).stop(240).move(900, speed: 20)
    let replay = day.replay()
    let log = NamedPolicy.S20.log(of: replay)
    var hint = 0
    let stored = log.position(at: 1020, hint: &hint)
    #expect(stored.map { GeoPoint.metres($0, replay.day.positions[1020]) < 60 } ?? false)
  }

  @Test func withoutAnAccelerometerTheDriveIsStillDetected() {
    var replay = Self.drive.replay()
    replay.hasAccelerometer = false
    let score = DayScore(NamedPolicy.H.log(of: replay), of: replay, currents: .neoM8N)
    #expect(score.points > 800)
    #expect(score.latencies.allSatisfy { $0 < 300 })
  }

  @Test(arguments: [(0.0, 179.99), (89.9, 10), (0, 0), (-89.9, 0), (52, -180)])
  func noPositionOnEarthTraps(_ latitude: Double, _ longitude: Double) {
    let day = MadeUpDay(at: latitude, longitude).stop(600).move(600, speed: 15, course: 90).stop(600)
    for policy in [NamedPolicy.H, .S20, .limitS20] { #expect(score(day, policy).points > 1) }
  }

  @Test func theDateLineIsHandled() throws {
    let day = MadeUpDay(at: 10, 179.95).stop(600).move(900, speed: 15, course: 90).stop(600)
    for policy in [NamedPolicy.alwaysOn, .H, .S20, .limitS20] {
      let score = score(day, policy)
      #expect(try #require(score.error95) <= 25, "\(policy)")
      // A receiver that is always on adds the noise of a stationary day.
      let most = policy == .alwaysOn ? 200.0 : 30
      #expect(
        abs(score.distanceErrorPercent ?? 0) < most, "\(policy): \(score.distanceErrorPercent as Any) %")
    }
  }

  @Test func theFewestSegmentsAreMinimal() {
    // A route of three straight segments whose corners are farther from each chord than the bound.
    let day = MadeUpDay().stop(600).move(300, speed: 10, course: 0).move(300, speed: 10, course: 90)
      .move(300, speed: 10, course: 0).stop(600)
    #expect((4...6).contains(score(day, .limitS20).points), "\(score(day, .limitS20).points)")
  }

  @Test func levelSKeepsTheBoundOnAWindingRoad() throws {
    let day = MadeUpDay().stop(900).move(1800, speed: 12, turn: 1).stop(900)
    let score = score(day, .S20)
    #expect(try #require(score.error95) <= 25)
  }

  @Test func levelHCostsLittleMoreThanItsLimit() {
    let day = MadeUpDay().stop(3600).move(3600, speed: 15, turn: 0.1).stop(3600).move(3600, speed: 1.4)
    #expect(score(day, .H).charge <= 1.08 * score(day, .limitH).charge)
  }

  @Test func aWalkNeedsFewFixes() {
    let day = MadeUpDay().stop(900).move(7200, speed: 1.4, turn: 0.05).stop(900)
    #expect(score(day, .S20).charge < score(day, .H).charge / 4)
  }

  private func score(_ day: MadeUpDay, _ policy: NamedPolicy) -> DayScore {
    let replay = day.replay()
    return DayScore(policy.log(of: replay), of: replay, currents: .neoM8N)
  }
}
