import Energy
import Quantities
import Records
import Testing
import GNSSProtocol
import Scheduling
import Tracking

/// The time for which positions may be deferred.
@Suite struct DeferralTests {
  static let speeds: [(distance: Double?, speed: Double?, wait: Double)] = [
    (nil, 10, 0), (100, 10, 10), (100, 50, 2), (1000, 20, 50), (1000, 100, 10), (100, 0, 200),
    (100, 1.25, 80),
    (1000, 1, 300), (5, 0, 10), (5, -3, 10), (1000, nil, 0), (1000, .nan, 0), (1000, .infinity, 0),
  ]

  @Test(arguments: speeds)
  func theHostWakesAfterTheDistanceOrBeforeTheReceiversMemoryIsFull(
    _ row: (distance: Double?, speed: Double?, wait: Double)
  ) {
    var deferral = Deferral(distance: row.distance)
    var fix = Fix("2027-01-01T00:00:00Z")
    fix.speed = row.speed
    deferral.take(fix)
    #expect(deferral.latencyBudget == .seconds(row.wait))
    fix.kind = .none
    deferral.take(fix)
    #expect(deferral.latencyBudget == .zero)
  }

  /// A shortest time: alone without a distance, otherwise the longer of the two.
  static let shortest: [(distance: Double?, shortest: Duration, speed: Double?, wait: Duration)] = [
    (nil, .zero, 10, .zero), (nil, .milliseconds(2500), 10, .milliseconds(2500)),
    (nil, .milliseconds(2500), nil, .milliseconds(2500)),
    (100, .milliseconds(2500), 10, .seconds(10)), (100, .milliseconds(2500), 80, .milliseconds(2500)),
    (100, .milliseconds(2500), nil, .milliseconds(2500)),
    (100, .milliseconds(2500), .nan, .milliseconds(2500)),
  ]

  @Test(arguments: shortest)
  func positionsMayAlwaysBeDeferredForTheShortestTime(
    _ row: (distance: Double?, shortest: Duration, speed: Double?, wait: Duration)
  ) {
    var deferral = Deferral(distance: row.distance, shortest: row.shortest)
    var fix = Fix("2027-01-01T00:00:00Z")
    fix.speed = row.speed
    deferral.take(fix)
    #expect(deferral.latencyBudget == row.wait)
    #expect(deferral.mayWait == (row.distance != nil || row.shortest > .zero))
  }

  @Test func aStopAtALightDoesNotLengthenTheDeferral() {
    var deferral = Deferral(distance: 1000)
    func pass(_ seconds: Range<Int64>, speed: Double) {
      for second in seconds {
        var fix = Fix("2027-01-01T00:00:00Z")
        fix.timestamp = fix.timestamp.map { $0 + .seconds(second) }
        fix.speed = speed
        deferral.take(fix)
      }
    }
    pass(0..<120, speed: 12.5)
    #expect(deferral.latencyBudget == .seconds(80))
    pass(120..<210, speed: 0)
    #expect(deferral.latencyBudget == .seconds(80))
    pass(210..<300, speed: 25)
    #expect(deferral.latencyBudget == .seconds(40))
    pass(300..<600, speed: 0)
    #expect(deferral.latencyBudget == Deferral.longest)
  }

  /// Deferral by a distance, or by time alone.
  static func settings(_ policy: TrackingPolicy? = nil, forTime: Bool = false) -> TrackerSettings {
    var settings = TrackerSettings(deviceID: "van")
    if forTime { settings.coalescingInterval = .milliseconds(2500) } else { settings.deferredDistance = 1000 }
    settings.policy = policy
    return settings
  }

  @Test(arguments: [false, true])
  func nothingIsDeferredBeforeTheTimeIsKnownOrDuringARequest(forTime: Bool) {
    let drill = Drill(Self.settings(forTime: forTime))
    func fix(_ second: Int) -> Fix {
      var fix = Fix("2027-01-01T00:00:0\(second)Z")
      fix.speed = 10
      return fix
    }
    drill.handle([fix(0).undated])
    #expect(drill.tracker.summary.latencyBudget == .zero)
    drill.handle([fix(1), fix(2)])
    #expect(drill.tracker.summary.latencyBudget > .zero)
    drill.handle(.positionRequested)
    #expect(drill.tracker.summary.latencyBudget == .zero)
    drill.handle([fix(3)])
    #expect(drill.tracker.summary.latencyBudget > .zero)
    drill.handle(.settings(TrackerSettings(deviceID: "van"), changed: ["main.deferred"]))
    #expect(drill.tracker.summary.latencyBudget == .zero)
  }

  @Test(arguments: [false, true])
  func nothingIsDeferredWhileTheReceiverSearchesOrSleeps(forTime: Bool) {
    let day = ScheduledDay(Self.settings(.high, forTime: forTime))
    day.handle(.evidence(.accelerometer, isActive: true))
    day.speed = 10
    var waiting: Set<ReceiverState> = []
    var prompt: Set<ReceiverState> = []
    for second in 0..<900 {
      if second == 300 {
        day.speed = 0
        day.handle(.evidence(.accelerometer, isActive: false))
      }
      day.pass(1)
      guard let state = day.drill.tracker.summary.receiverState else { continue }
      if day.drill.tracker.summary.latencyBudget > .zero {
        waiting.insert(state)
      } else {
        prompt.insert(state)
      }
    }
    #expect(waiting == [.tracking])
    #expect(prompt.isSuperset(of: [.searching, .backup]))
  }
}
