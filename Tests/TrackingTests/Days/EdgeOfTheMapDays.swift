import DaySupport
import Quantities
import Records
import Testing
import GNSSProtocol
import Scheduling
import Tracking

/// Days at the edges of the map, and days with impossible fixes.
@Suite struct EdgeOfTheMapDays {
  @Test(arguments: [
    (0.0, 179.95), (52.0, -179.97), (-0.02, 0.0), (0.0, 0.03), (89.93, 20.0), (-89.95, -100.0),
  ])
  func tripsCrossTheDateLineThePolesTheEquatorAndTheMeridian(_ latitude: Double, _ longitude: Double) throws {
    for policy in [TrackingPolicy.high, .within(metres: 20)] {
      let day = TrackedDay(
        TrackedDay.settings(policy), from: Coordinate(latitude: latitude, longitude: longitude))
      day.stop(.seconds(1800))
      day.drive(6000, at: 20, course: 45)
      day.drive(6000, at: 20, course: 270)
      day.stop(.seconds(1800))
      #expect(day.trips.count == 1)
      #expect(abs(Double(day.trips.first?.distanceMillimetres ?? 0) / 1000 - 12_000) < 400)
      #expect(day.visits.filter { $0.departure == nil }.count == 2)
      #expect(day.onShare(from: day.now + .seconds(-1500), to: day.now) < 0.1)
      #expect(day.tracker.fixes.rejections.totals[.impossibleSpeed] == nil)
    }
  }

  /// An invalid fix, and the reason that is counted.
  struct Wrong: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var rejection: Rejection
    var alterFix: @Sendable (Fix) -> Fix

    init(_ name: String, _ rejection: Rejection, _ change: @escaping @Sendable (inout Fix) -> Void) {
      testDescription = name
      self.rejection = rejection
      alterFix = { fix in
        var fix = fix
        if fix.kind != .none { change(&fix) }
        return fix
      }
    }
  }

  static let wrongs = [
    Wrong("0/0", .impossiblePosition) { ($0.latitude, $0.longitude) = (0, 0) },
    Wrong("beyond the pole", .impossiblePosition) { $0.latitude = 91 },
    Wrong("not a number", .impossiblePosition) { $0.longitude = .nan },
    Wrong("another continent", .impossibleSpeed) { $0.longitude = -77 },
    Wrong("no position", .noFix) { $0.kind = .none },
  ]

  @Test(arguments: wrongs)
  func impossibleFixesAreCountedAndTheTripRemainsComplete(_ wrong: Wrong) throws {
    let day = TrackedDay()
    day.stop(.seconds(1800))
    var count = 0
    day.alterFix = { fix in
      count += 1
      return count % 20 == 0 ? wrong.alterFix(fix) : fix
    }
    day.drive(9000, at: 15)
    day.alterFix = nil
    day.stop(.seconds(1800))
    #expect(day.trips.count == 1)
    #expect(
      abs(Double(day.trips.first?.distanceMillimetres ?? 0) / 1000 - day.distance) < 0.02 * day.distance)
    #expect(day.points.allSatisfy { $0.location.coordinate.distance(to: day.position) < 9500 })
    #expect(day.tracker.fixes.rejections.totals[wrong.rejection].map { $0.count >= 20 } == true)
    #expect(day.wrongPower(stationary: 60..<400, ofMotion: 0.99...1, starts: 1...7).isEmpty)
  }

  @Test func aFrozenReceiverRecordsNoStopAndIsReported() throws {
    let day = TrackedDay()
    day.stop(.seconds(1800))
    day.drive(6000, at: 15)
    let position = day.position
    day.alterFix = { fix in
      var fix = fix
      (fix.latitude, fix.longitude, fix.speed) = (position.latitude, position.longitude, 15)
      return fix
    }
    let before = day.points.count
    day.drive(4500, at: 15)
    #expect(day.points.count < before + 25)
    day.alterFix = nil
    day.drive(6000, at: 15)
    day.stop(.seconds(1800))
    #expect(day.trips.count == 1)
    #expect(day.events(.fixesRejected).contains { $0.fields.rejected("frozen") > 0 })
    #expect(day.unexplainedPauses(over: .seconds(60)).isEmpty)
    #expect(day.wrongPower(stationary: 60..<400, ofMotion: 0.99...1, starts: 1...7).isEmpty)
  }
}
