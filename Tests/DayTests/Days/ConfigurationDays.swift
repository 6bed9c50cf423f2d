import DaySupport
import LoggerConfiguration
import Quantities
import Records
import Settings
import Testing
import Tracking
import Daemon
import Uplink

/// Days with invalid or extreme configurations.
@Suite struct ConfigurationDays {
  static func read(_ overrides: [String]) throws -> Configuration {
    try Configuration.read(
      board: nil, file: nil,
      overrides: ["main.pause_automatically=true", "main.desired_accuracy=best", "main.tracking_mode=both"]
        + overrides, fallbacks: Fallbacks(deviceID: "van", apiSocket: "/nowhere"))
  }

  static let bad = [
    "main.min_time=-1s", "main.min_time=soon", "storage.commit_interval=-5s", "main.batch_size=0",
    "storage.retention=never", "destinations=[{ name: \"home\", kind: \"overland\", url: \"nowhere\" }]",
  ]

  /// The file is saved during a drive; the fault is reported, and the last valid configuration stays in force.
  @Test(arguments: bad)
  func anInvalidFileIsRejectedAndTheDayContinuesUnderTheLastValidOne(line: String) throws {
    let good = try Self.read([])
    #expect(throws: (any Error).self) { try Self.read([line, "device_id=other"]) }
    let day = TrackedDay(TrackerSettings(good))
    day.stop(.seconds(1800))
    day.drive(6000, at: 15)
    if let wrong = try? Self.read([line, "device_id=other"]) {
      day.handle(.settings(TrackerSettings(wrong), changed: ["main.min_time"]))
    }
    day.drive(6000, at: 15)
    day.stop(.seconds(1800))
    #expect(day.points.allSatisfy { $0.location.deviceID == "van" } && day.points.count > 780)
    #expect(day.unexplainedPauses(over: .seconds(60)).isEmpty)
    #expect(day.wrongPower(stationary: 60..<400, ofMotion: 0.98...1, starts: 1...7).isEmpty)
  }

  /// A period of zero stores every epoch, and does not cause a busy loop.
  @Test func aPeriodOfZeroStoresEveryFixAndTheReceiverSleeps() throws {
    let day = TrackedDay(TrackerSettings(try Self.read(["main.min_time=0s"])))
    day.stop(.seconds(1800))
    day.drive(12_000, at: 15)
    day.stop(.seconds(3600))
    #expect((780...1000).contains(day.points.count), "\(day.points.count)")
    #expect(day.wrongPower(stationary: 60..<600, ofMotion: 0.98...1, starts: 1...9).isEmpty)
  }

  /// With a period beyond the longest allowed silence, the longest silence determines the next location.
  @Test func aPeriodBeyondTheLongestSilenceStillStoresLocations() {
    var settings = TrackedDay.settings()
    var rules = AcquisitionRules(minPeriod: .seconds(600))
    (rules.minInterval, rules.maxPeriod) = (.seconds(600), .seconds(60))
    settings.profiles = ProfileRules([.moving: rules, .stop: rules])
    let day = TrackedDay(settings)
    day.stop(.seconds(1800))
    day.drive(36_000, at: 15)
    day.stop(.seconds(1800))
    #expect(day.points.count >= 4, "\(day.points.count)")
    #expect(zip(day.points, day.points.dropFirst()).allSatisfy { $0.time < $1.time })
    #expect(day.wrongPower(stationary: 60..<400, ofMotion: 0.05...1, starts: 1...60).isEmpty)
  }

  /// A server switches uploads off. Without uploads the value is never proven, so it is rolled back after
  /// `remote.max_silence`, and the day arrives.
  @Test func aRemoteSettingThatStopsUploadsIsRolledBackAndTheDayArrives() throws {
    let server = DayServer("home")
    let log = try LoggedDay(to: [server])
    let day = TrackedDay(at: "2026-03-21T00:00:00Z")
    day.add(log)
    day.stop(TrackedDay.morning)
    let key = ServerKey("send_interval", destination: "home")
    var changes = ServerChanges(rules: .init(maxSilence: .seconds(12 * 3600)), now: day.now)
    #expect(
      changes.handle(.requested([key: "off"], by: "home", afterRecord: 40), now: day.now).contains(.changed))
    log.change({ $0.sendInterval = nil }, now: day.now)
    let before = server.order.count
    day.drive(12_000, at: 15)
    #expect(changes.handleTimeout(now: day.now).isEmpty && server.order.count == before)
    day.stop(TrackedDay.work)
    day.drive(12_000, at: 15, course: 270)
    #expect(server.order.count == before)
    let deadline = try #require(changes.rollbackTime)
    #expect(deadline - day.now > .zero)
    day.stop(deadline - day.now)
    let actions = changes.handleTimeout(now: day.now)
    #expect(actions.contains(.rolledBack([key], by: "home", .unproven)) && changes.values.isEmpty)
    log.change({ $0.sendInterval = .seconds(300) }, now: day.now)
    day.stop(until: Moment.zero + .seconds(86_500))
    try ServerDays.expectKept(day, log)
    #expect(server.order.count == day.sent && server.twice == 0)
  }
}
