import Quantities
import Records
import Testing
import Scheduling
import Tracking

/// Other access points as a hint that the device was moved.
@Suite struct AccessPointHintTests {
  static let scripts: [(scans: [String], hints: [Int])] = [
    // Letters are access points.
    (["abc", "abc", "abcd"], []), (["abc", "def"], [3]), (["abcd", "efg", "hij"], [4, 3]),
    // One that remains, and few or none, prove nothing.
    (["abc", "cde"], []), (["abc", "", "de", "abc"], []), (["ab", "def"], []),
    // They disappear one by one, and return.
    (["abc", "bcd", "cde", "def", "abc"], []), (["abc", "def", "abc"], [3, 3]),
  ]

  @Test(arguments: scripts.indices)
  func aHintRequiresThatAllAccessPointsAreGone(_ index: Int) {
    var hint = AccessPointHint(interval: .seconds(600))
    let hints = Self.scripts[index].scans.compactMap {
      hint.take(Set($0.map(String.init)), stationarySince: .zero)
    }
    #expect(hints == Self.scripts[index].hints)
  }

  @Test func anotherStopIsAnotherLocation() {
    var hint = AccessPointHint(interval: .seconds(600))
    #expect(hint.take(["a", "b", "c"], stationarySince: .zero) == nil)
    #expect(hint.take(["d", "e", "f"], stationarySince: Moment.zero + .seconds(900)) == nil)
    #expect(hint.take(["g", "h", "i"], stationarySince: nil) == nil, "the device moves")
  }

  @Test func theNumberOfRememberedAccessPointsIsLimited() {
    var hint = AccessPointHint(interval: .seconds(600))
    for scan in 0..<100 {
      let received = Set((0..<64).map { "\(scan)-\($0)" } + ["here"])
      #expect(
        hint.take(received, stationarySince: .zero).map { $0 <= AccessPointHint.mostRemembered } ?? true)
    }
  }

  @Test func aScanWaitsForAnotherWakeUpForAsLongAsItsInterval() {
    var hint = AccessPointHint(interval: .seconds(600))
    let start = Moment.zero + .seconds(1000)
    #expect(hint.window(stationarySince: nil) == nil)
    #expect(
      hint.window(stationarySince: start) == WakeWindow(from: start + .seconds(60), orLater: .seconds(600)))
    hint.asked(now: start + .seconds(300))
    #expect(
      hint.window(stationarySince: start) == WakeWindow(from: start + .seconds(900), orLater: .seconds(600)))
    hint.interval = nil
    #expect(hint.window(stationarySince: start) == nil)
  }

  private static func stationary(scanning interval: Duration? = .seconds(600)) -> ScheduledDay {
    var settings = TrackerSettings(deviceID: "van")
    settings.policy = .high
    settings.scanInterval = interval
    let day = ScheduledDay(settings)
    pass(400, day)
    return day
  }

  /// Calls the tracker at its deadlines, also for those besides the schedule's.
  private static func pass(_ seconds: Int, _ day: ScheduledDay) {
    for _ in 0..<seconds {
      day.pass(1)
      if let due = day.drill.tracker.summary.nextTimeout, due <= day.drill.now { day.drill.timeOut() }
    }
  }

  private static func scans(_ day: ScheduledDay) -> Int {
    day.drill.actions.count { if case .scanAccessPoints = $0 { true } else { false } }
  }

  @Test func onlyAStationaryDeviceScans() {
    let day = Self.stationary()
    Self.pass(3600, day)
    #expect((3...8).contains(Self.scans(day)), "an hour at one in ten minutes or later: \(Self.scans(day))")
    let before = Self.scans(day)
    day.speed = 15
    day.handle(.evidence(.accelerometer, isActive: true))
    Self.pass(3600, day)
    #expect(Self.scans(day) == before)
    let without = Self.stationary(scanning: nil)
    Self.pass(3600, without)
    #expect(Self.scans(without) == 0)
  }

  @Test func goneAccessPointsCauseAPositionCheckWithAReason() throws {
    let day = Self.stationary()
    day.handle(.accessPoints(["a", "b", "c"]))
    day.speed = 10
    Self.pass(120, day)
    #expect(day.state == .backup, "no sensor detected the move")
    day.handle(.accessPoints(["d", "e", "f", "g"]))
    #expect(day.state == .searching)
    let why = try #require(day.drill.events.last { $0.kind == .receiverAsleep })
    #expect(why.fields == [.cause: "stationary", .wakeReason: "access_points_gone", .accessPoints: 3])
  }
}
