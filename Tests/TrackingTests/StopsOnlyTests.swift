import Quantities
import Records
import Testing
import Tracking

/// Tracking mode off: no locations, and visits by the cheapest fixes.
@Suite struct StopsOnlyTests {
  private static func day(hasAccelerometer: Bool = true) -> ScheduledDay {
    var settings = TrackerSettings(deviceID: "van")
    settings.keepsLocations = false
    settings.visits = VisitRules()
    settings.policy = .stopsOnly
    return ScheduledDay(settings, hasAccelerometer: hasAccelerometer)
  }

  private static func visits(_ day: ScheduledDay) -> [(north: Double, isOver: Bool)] {
    day.drill.records.compactMap { record in
      guard case .visit(let visit) = record.body else { return nil }
      return ((visit.coordinate.latitude - 52) * 111_195, visit.departure != nil)
    }
  }

  /// Two hours stationary, twenty minutes' drive, two hours stationary; returns the seconds that the receiver was on.
  private static func live(_ day: ScheduledDay, hasAccelerometer: Bool) -> Int {
    var powered = 0
    func pass(_ seconds: Int, _ speed: Double, _ day: ScheduledDay) {
      day.speed = speed
      if hasAccelerometer { day.handle(.evidence(.accelerometer, isActive: speed > 0)) }
      for _ in 0..<seconds {
        day.pass(1)
        if day.state.isPowered { powered += 1 }
      }
    }
    pass(7200, 0, day)
    pass(1200, 15, day)
    pass(7200, 0, day)
    return powered
  }

  @Test(arguments: [true, false])
  func visitsContinueWhileTheReceiverSleepsAndNoLocationIsRecorded(hasAccelerometer: Bool) {
    let day = Self.day(hasAccelerometer: hasAccelerometer)
    let powered = Self.live(day, hasAccelerometer: hasAccelerometer)
    let visits = Self.visits(day)
    #expect(visits.map(\.isOver) == [false, true, false])
    #expect(visits.last.map { abs($0.north - 18_000) < 60 } == true, "\(visits)")
    #expect(day.drill.locations.isEmpty)
    #expect(day.state == .backup)
    #expect(powered < (hasAccelerometer ? 300 : 900), "\(powered) s")
  }

  @Test func aTripByHandIsRecordedNevertheless() {
    let day = Self.day()
    day.pass(600)
    day.handle(.trip(.start(.car)))
    day.speed = 15
    day.pass(300)
    #expect(day.drill.locations.count > 290)
    day.speed = 0
    day.handle(.trip(.stop))
    let count = day.drill.locations.count
    day.pass(600)
    #expect(day.drill.locations.count == count && day.state == .backup)
  }

  @Test func aCheckInGetsItsPosition() {
    let day = Self.day()
    day.pass(600)
    day.handle(.checkIn)
    day.pass(60)
    #expect(day.drill.locations.count == 1 && day.state == .backup)
  }
}
