import DaySupport
import Quantities
import Records
import Settings
import Testing
import Tracking

@testable import Daemon
@testable import Uplink

/// Days on which somebody writes a configuration that he should not have written.
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

  /// The operator saves his file while the vehicle drives; the mistake is said, and the day goes on under the last good one.
  @Test(arguments: bad)
  func aBadLineIsRefusedAsAWholeAndTheDayGoesOnUnderTheLastGoodOne(line: String) throws {
    let good = try Self.read([])
    #expect(throws: (any Error).self) { try Self.read([line, "device_id=other"]) }
    var day = TrackedDay(TrackerSettings(good))
    day.rest(.seconds(1800))
    day.drive(6000, at: 15)
    if let wrong = try? Self.read([line, "device_id=other"]) {
      day.tell(.settings(TrackerSettings(wrong), changed: ["main.min_time"]))
    }
    day.drive(6000, at: 15)
    day.rest(.seconds(1800))
    #expect(day.points.allSatisfy { $0.location.deviceID == "van" } && day.points.count > 780)
    #expect(day.unexplainedPauses(over: .seconds(60)).isEmpty)
    #expect(day.wrongPower(atRest: 60..<400, ofWay: 0.98...1, starts: 1...7).isEmpty)
  }

  /// A period of zero is each second that the receiver gives, and no loop without rest.
  @Test func aPeriodOfZeroIsEachFixAndTheReceiverSleepsAllTheSame() throws {
    var day = TrackedDay(TrackerSettings(try Self.read(["main.min_time=0s"])))
    day.rest(.seconds(1800))
    day.drive(12_000, at: 15)
    day.rest(.seconds(3600))
    #expect((780...1000).contains(day.points.count), "\(day.points.count)")
    #expect(day.wrongPower(atRest: 60..<600, ofWay: 0.98...1, starts: 1...9).isEmpty)
  }

  /// A period that is longer than the longest silence allowed: the longest says when the next point comes at the latest.
  @Test func aShortestPauseBeyondTheLongestStillGivesPoints() {
    var settings = TrackedDay.settings()
    var rules = AcquisitionRules(minPeriod: .seconds(600))
    (rules.minInterval, rules.maxPeriod) = (.seconds(600), .seconds(60))
    settings.profiles = ProfileRules([.moving: rules, .stop: rules])
    var day = TrackedDay(settings)
    day.rest(.seconds(1800))
    day.drive(36_000, at: 15)
    day.rest(.seconds(1800))
    #expect(day.points.count >= 4, "\(day.points.count)")
    #expect(zip(day.points, day.points.dropFirst()).allSatisfy { $0.time < $1.time })
    #expect(day.wrongPower(atRest: 60..<400, ofWay: 0.05...1, starts: 1...60).isEmpty)
  }

  /// A server turns the upload off by `set`. Nothing proves that, for nothing is sent any more; after the longest silence
  /// allowed it goes back by itself, and the day arrives.
  @Test func aSettingThatStopsTheUploadGoesBackByItselfAndTheDayArrives() throws {
    let server = DayServer("home")
    let log = try LoggedDay(to: [server])
    var day = TrackedDay(at: "2026-03-21T00:00:00Z")
    day.add(log)
    day.rest(TrackedDay.morning)
    let key = ServerKey("send_interval", destination: "home")
    var changes = ServerChanges(rules: .init(maxSilence: .seconds(12 * 3600)), now: day.now)
    #expect(
      changes.handle(.wished([key: "off"], by: "home", afterRecord: 40), now: day.now).contains(.changed))
    log.change({ $0.sendInterval = nil }, now: day.now)
    let before = server.order.count
    day.drive(12_000, at: 15)
    #expect(changes.handleTimeout(now: day.now).isEmpty && server.order.count == before)
    day.rest(TrackedDay.work)
    day.drive(12_000, at: 15, course: 270)
    #expect(server.order.count == before)
    let deadline = try #require(changes.goesBackAt)
    #expect(deadline - day.now > .zero)
    day.rest(deadline - day.now)
    let actions = changes.handleTimeout(now: day.now)
    #expect(actions.contains(.wentBack([key], by: "home", .notProved)) && changes.values.isEmpty)
    log.change({ $0.sendInterval = .seconds(300) }, now: day.now)
    day.rest(until: Moment.zero + .seconds(86_500))
    try ServerDays.expectKept(day, log)
    #expect(server.order.count == day.sent && server.twice == 0)
  }
}
