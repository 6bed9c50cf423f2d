import Energy
import Quantities
import Scheduling
import Testing
import Tracking
@testable import Replay

/// Whole days of a battery unit whose supply is cut between its tasks, against a device that knows the future.
@Suite struct DeviceReplayTests {
  /// A Zero 2 W behind a Witty Pi 4, in mA at the cell: docs/power.md has the sources.
  static var device: DeviceModel {
    var currents = BoardCurrents(supply: .battery(cells: 1))
    currents.set(.hostBase, milliamperes: 75, volts: 5)
    currents.set(.hostDown, milliamperes: 1, volts: 3.7)
    currents.set(.receiver(.searching), milliamperes: 13, volts: 3)
    currents.set(.receiver(.tracking), milliamperes: 10, volts: 3)
    currents.set(.receiver(.backup), milliamperes: 0.042, volts: 3)
    currents.set(.accelerometer, milliamperes: 0.004, volts: 3.3)
    func drawn(_ milliamperes: Double) -> Double {
      currents.supply.milliamperes(for: milliamperes, atVolts: 5)
    }
    let host = HostCurrents(
      idle: drawn(75), down: 1, starting: drawn(160), stopping: drawn(150), startTime: .seconds(15),
      stopTime: .seconds(5))
    var rules = HostRules(.halt, currents: host, lead: .seconds(15))
    rules.wakesOnMotion = true
    rules.cut = SupplyCutRules(deadMan: .seconds(6 * 3600), longestWake: .seconds(27 * 86_400))
    return DeviceModel(currents, host: rules)
  }

  /// The same behind a latch, which draws next to nothing: its limit is smaller, so a failed search weighs more.
  static var latch: DeviceModel {
    var model = device
    model.currents.set(.hostDown, milliamperes: 0.03, volts: 3.7)
    model.host?.currents?.down = 0.03
    return model
  }

  static func settings(check: Int?, ceiling: Int? = nil) -> TrackerSettings {
    var settings = TrackerSettings(deviceID: "unit")
    var policy = TrackingPolicy.within(metres: 20)
    policy.longestSearchPause = .seconds(4 * 3600)
    if let check {
      policy.setPositionChecks(each: .seconds(check), longest: .seconds(check), metres: 500)
    }
    settings.policy = policy
    if let ceiling {
      var rules = AcquisitionRules()
      rules.maxPeriod = .seconds(ceiling)
      settings.profiles = ProfileRules([.init(.always, rules)])
    }
    return settings
  }

  struct Pattern: Sendable, CustomTestStringConvertible {
    let name: String
    let day: MadeUpDay
    /// The interval of fixes while stationary in s.
    var check = 4 * 3600
    var ceiling: Int?
    /// The times in s at which something knocks at the device.
    var knocks: [Int] = []
    /// The charge of the pattern relative to its limit.
    let most: Double
    var testDescription: String { name }
  }

  static let still = MadeUpDay().stop(60)
  static let patterns: [Pattern] = [
    Pattern(name: "a fix an hour", day: still, check: 3600, ceiling: 3600, most: 1.15),
    Pattern(name: "a fix in 15 minutes", day: still, check: 900, ceiling: 900, most: 1.10),
    Pattern(name: "still, a check each 4 hours", day: still, most: 1.2),
    Pattern(
      name: "without reception", day: MadeUpDay().stop(120).stop(86_000, reception: false), most: 2),
    Pattern(
      name: "a knock every 2 hours", day: still, knocks: (0..<12).map { 1800 + $0 * 7200 },
      // The limit has 4 mAh for each start by a knock.
      most: 1.3 * (37 + 48) / 37),
    Pattern(
      name: "a vehicle with six legs",
      day: (0..<6).reduce(MadeUpDay().stop(7 * 3600)) { day, leg in
        day.move(1500, speed: 14, course: leg % 2 == 0 ? 90 : 270).stop(5700)
      }, most: 1.15),
  ]

  static func run(_ pattern: Pattern, _ model: DeviceModel = device) -> (DayLog, limit: Double) {
    var replay = pattern.day.replay()
    let moves = replay.day.isMoving.contains(true)
    if !moves {
      let knocks = pattern.knocks.flatMap { time in
        [
          MotionEdge(time: Double(time), isMoving: true), MotionEdge(time: Double(time) + 5, isMoving: false),
        ]
      }
      replay.receive([MotionEdge(time: 0, isMoving: false)] + knocks)
    }
    let log = replay.run(settings(check: pattern.check, ceiling: pattern.ceiling), on: model)
    let interval = Duration.seconds(pattern.ceiling ?? pattern.check)
    return (log, model.limit(of: replay.day, interval: interval))
  }

  @Test(arguments: patterns) func aDayCostsLittleMoreThanWithKnowledgeOfTheFuture(_ pattern: Pattern) throws {
    let (log, limit) = Self.run(pattern)
    let device = try #require(log.device)
    let ratio = device.total / limit
    print(
      "device: \(pattern.name): \(device.total) mAh, limit \(limit), \(device.alarms) + \(device.motionStarts) starts"
    )
    #expect(ratio <= pattern.most, "\(device.total) of \(limit) mAh")
    #expect(ratio > 0.7, "\(device.total) of \(limit) mAh")
  }

  /// The first day: the back-off is still short.
  @Test func aDayWithoutReceptionCostsAtMostTwiceTheLimitBehindALatch() throws {
    let pattern = try #require(Self.patterns.first { $0.name == "without reception" })
    let (log, limit) = Self.run(pattern, Self.latch)
    let total = try #require(log.device).total
    print("device: without reception, latch: \(total) mAh, limit \(limit)")
    #expect(log.failedSearches == 5 && total / limit <= 2, "\(total) of \(limit) mAh")
  }

  /// The accelerometer goes on where no position was recorded, and so do the device and its limit.
  @Test func aGapOfTheRecordingIsNoLossAgainstTheLimit() throws {
    let replay = MadeUpDay().stop(7 * 3600).move(3600, speed: 14).hole(7200, metres: 100_800)
      .move(3600, speed: 14).stop(3600).replay()
    #expect(replay.day.isMoving.count { $0 } < 9000 && replay.day.movingSeconds > 14_000)
    let log = replay.run(Self.settings(check: 4 * 3600), on: Self.device)
    let total = try #require(log.device).total
    let limit = Self.device.limit(of: replay.day, interval: .seconds(4 * 3600))
    #expect(total / limit <= 1.2 && total / limit > 0.9, "\(total) of \(limit) mAh")
  }

  @Test func everySecondOfTheDayIsCountedOnce() throws {
    for pattern in Self.patterns {
      let device = try #require(Self.run(pattern).0.device)
      let currents = try #require(Self.device.host?.currents)
      let starts = device.alarms + device.motionStarts
      let down = device.charges.entries[.hostDown]?.time ?? .zero
      let cycles = (currents.startTime + currents.downTime) * starts
      let sum = device.hostOn + down + cycles
      #expect(abs((sum - .seconds(86_400)).inSeconds) < 21, "\(pattern.name): \(sum)")
      let cycle = device.charges.entries[.hostCycle]?.charge.milliampereHours ?? 0
      #expect(abs(cycle - currents.cycle.milliampereHours * Double(starts)) < 1e-6)
    }
  }

  @Test func aFixAnHourIsRecordedEveryHour() throws {
    let (log, _) = Self.run(Self.patterns[0])
    #expect(log.points.count >= 23)
    let steps = zip(log.points, log.points.dropFirst()).map { $1.time - $0.time }
    #expect(steps.allSatisfy { $0 < 3600 + 90 }, "\(steps.max() ?? 0)")
    let delays = try #require(log.device?.alarmToRecord).sorted()
    #expect(delays[Int(0.95 * Double(delays.count))] <= 25, "\(delays)")
  }

  @Test func theIntervalOfChecksGrowsAcrossStartsOfTheHost() throws {
    var replay = Self.still.replay()
    replay.receive([MotionEdge(time: 0, isMoving: false)])
    let log = replay.run(Self.settings(check: nil), on: Self.device)
    let device = try #require(log.device)
    // 15 and 30 minutes, 1, 2 and 4 hours, and then each 4 hours.
    #expect((7...9).contains(device.alarms), "\(device.alarms)")
    #expect(log.points.count <= 3)
  }

  @Test func aDepartureThatStartsTheHostIsRecordedAndTheTripIsComplete() throws {
    let pattern = try #require(Self.patterns.last)
    let (log, _) = Self.run(pattern)
    let device = try #require(log.device)
    #expect(device.motionStarts >= 6)
    let delays = device.motionToRecord.sorted()
    #expect(delays[delays.count / 2] <= 30, "\(delays)")
    let score = DayScore(log, of: pattern.day.replay(), currents: .neoM8N)
    #expect((score.errorMean ?? 1e9) < 25 && score.stopsInvented == 0, "\(score.errorMean ?? -1)")
    #expect(abs(score.distanceErrorPercent ?? 100) < 3)
  }

  /// The receiver goes on with a supply of its own while the host is cut, also in motion.
  @Test func aReceiverThatStoresItsEpochsSparesTheHostInMotion() throws {
    let pattern = try #require(Self.patterns.last)
    var model = Self.device
    model.currents.set(.receiver(.cyclic), milliamperes: 5, volts: 3)
    var settings = Self.settings(check: pattern.check)
    var policy = TrackingPolicy.highInCyclicMode
    policy.setPositionChecks(each: .seconds(pattern.check), longest: .seconds(pattern.check), metres: 500)
    settings.policy = policy
    settings.deferredDistance = 10_000
    let replay = pattern.day.replay()
    let host = replay.run(settings, on: model)
    model.storedEpochs = .ublox(speed: 115_200)
    let stored = replay.run(settings, on: model)
    let (one, other) = (try #require(host.device), try #require(stored.device))
    let limit = model.limit(of: replay.day, interval: .seconds(pattern.check))
    print(
      "device: a vehicle, epochs stored: \(other.total) mAh, limit \(limit); with the host on \(one.total);",
      "\(other.alarms) + \(other.motionStarts) starts, host on \(other.hostOn)")
    #expect(other.total / limit <= 1.3, "\(other.total) of \(limit) mAh")
    #expect(other.total < one.total / 2, "\(other.total) and \(one.total) mAh")
    #expect(other.lostEpochs == 0)
    // Nothing is missing and nothing is there twice.
    let (a, b) = (Set(host.points.map(\.time)), stored.points.map(\.time))
    #expect(Set(b).count == b.count && b == b.sorted())
    // A stop ends two minutes later, because the accelerometer does not report while the host is off.
    let range = a.count - a.count / 50...a.count + 6 * 130
    #expect(range.contains(b.count), "\(b.count) and \(a.count)")
    let score = DayScore(stored, of: replay, currents: .neoM8N)
    #expect((score.errorMean ?? 1e9) < 25 && abs(score.distanceErrorPercent ?? 100) < 3)
  }

  @Test func motionThatCannotStartTheHostKeepsItUp() throws {
    var model = Self.device
    model.host?.wakesOnMotion = false
    let device = try #require(Self.run(Self.patterns[2], model).0.device)
    #expect(device.alarms == 0 && device.hostOn == .seconds(86_400))
  }

  @Test func aSendWaitsForTheNextStartOrMakesOne() throws {
    var model = Self.device
    model.currents.set(.radioSending, milliamperes: 150, volts: 5)
    model.radio = DeviceModel.RadioSessions(interval: .seconds(6 * 3600), length: .seconds(10))
    let with = try #require(Self.run(Self.patterns[0], model).0.device)
    let without = try #require(Self.run(Self.patterns[0]).0.device)
    #expect(
      with.charges.entries[.radioSending]?.time == .seconds(30)
        || with.charges.entries[.radioSending]?.time == .seconds(40))
    #expect(with.alarms <= without.alarms + 3)
  }
}
