import DaySupport
import GNSSProtocol
import Quantities
import Records
import Testing
import Tracking

/// Days with unusual time. All times are UTC; local time has no influence.
@Suite struct ClockDays {
  /// Two drives of twenty minutes that begin so many seconds before an instant.
  private func drive(through instant: String, before: Int = 600) throws -> TrackedDay {
    let start = try #require(Timestamp(iso8601: instant)) + .seconds(-1800 - before)
    let day = TrackedDay(at: start.iso8601())
    day.stop(.seconds(1800))
    day.drive(18_000, at: 15)
    day.stop(.seconds(1800))
    return day
  }

  private func runsForward(_ day: TrackedDay) -> Bool {
    zip(day.points, day.points.dropFirst()).allSatisfy { $0.time < $1.time }
  }

  @Test(arguments: [
    "2027-01-01T00:00:00Z",  // midnight, month and year
    "2028-02-29T00:00:00Z",
    "2026-03-29T01:00:00Z",  // clocks go forward in Europe
    "2026-10-25T01:00:00Z",  // and back
    "2038-01-19T03:14:08Z",  // beyond 32 bits
  ])
  func theStartOfADayMonthOrYearDuringATripHasNoEffect(_ instant: String) throws {
    let day = try drive(through: instant)
    let trip = try #require(day.trips.first)
    #expect(day.trips.count == 1)
    #expect((1_180_000...1_215_000).contains(trip.durationMilliseconds))
    #expect(runsForward(day))
    #expect(day.points.count > 1180)
    #expect(day.events(.clockStepped).isEmpty)
    #expect(day.wrongPower(stationary: 60..<400, ofMotion: 0.99...1, starts: 1...7).isEmpty)
  }

  @Test func aLeapSecondLosesAtMostOneLocation() throws {
    let instant = try #require(Timestamp(iso8601: "2027-01-01T00:00:00Z"))
    let day = TrackedDay(at: "2026-12-31T23:20:00Z")
    day.stop(.seconds(1800))
    day.drive(9000, at: 15)
    #expect(day.time == instant)
    // 23:59:60 is read as the first second of the next day, which then comes again.
    day.utc = day.utc + .seconds(-1)
    day.drive(9000, at: 15)
    day.stop(.seconds(1800))
    #expect(day.trips.count == 1 && runsForward(day))
    let moving = day.points.filter { abs(($0.time - instant).inSeconds) < 300 }
    #expect(moving.count >= 597)
    #expect(day.events(.clockStepped).isEmpty)
    #expect(day.wrongPower(stationary: 60..<400, ofMotion: 0.99...1, starts: 1...7).isEmpty)
  }

  @Test func aWeekRolloverIsRepairedOnceAndAllLocationsAreDatedCorrectly() throws {
    let day = TrackedDay(at: "2026-05-04T06:00:00Z")
    let truth = day.time
    let weeks = Duration.seconds(1024 * 7 * 86_400)
    day.alterFix = { fix in
      var fix = fix
      fix.timestamp = fix.timestamp.map { $0 + (.zero - weeks) }
      return fix
    }
    day.stop(.seconds(1800))
    day.drive(9000, at: 15)
    let end = day.time
    day.stop(.seconds(1800))
    #expect(day.points.allSatisfy { $0.time >= truth && $0.time <= day.time } && runsForward(day))
    #expect(day.events(.weekRepaired).count == 1)
    #expect(day.trips.count == 1 && isNear(day.trips.first?.end.time, end, within: 15))
    #expect(day.wrongPower(stationary: 60..<400, ofMotion: 0.99...1, starts: 1...7).isEmpty)
  }

  /// The first boot of a board without RTC: the system time is 1970, the receiver knows the time of day first.
  @Test func aFirstBootIn1970IsDatedCompletelyOnceTheDateIsKnown() throws {
    let day = TrackedDay()
    let boot = day.time
    day.isUndated = true
    day.drive(3000, at: 15)
    #expect(day.records.allSatisfy { $0.time == nil })
    day.isUndated = false
    day.drive(6000, at: 15)
    let arrival = day.time
    day.stop(.seconds(1800))
    #expect(runsForward(day))
    #expect(isNear(day.points.first?.time, boot, within: 45))
    #expect(day.events(.clockSet).count == 1)
    let trip = try #require(day.trips.first)
    #expect(day.trips.count == 1 && isNear(trip.start.time, boot, within: 60))
    #expect(isNear(trip.end.time, arrival, within: 15))
    #expect(day.wrongPower(stationary: 1..<200, ofMotion: 0.99...1, starts: 0...4).isEmpty)
  }

  @Test(arguments: [-4, 4])
  func aClockStepOfFourHoursDuringATripIsLoggedAndLosesNothing(hours: Int) throws {
    let day = TrackedDay()
    day.stop(.seconds(1800))
    day.drive(9000, at: 15)
    day.utc = day.utc + .seconds(hours * 3600)
    let jump = day.points.count
    day.drive(9000, at: 15)
    let arrival = day.time
    day.stop(.seconds(1800))
    #expect(day.events(.clockStepped).count == 1)
    #expect(day.points.count >= jump + 590)
    #expect(day.events(.tripStarted).count == day.events(.tripEnded).count)
    #expect(isNear(day.trips.last?.end.time, arrival, within: 15))
    #expect(day.trips.allSatisfy { $0.durationMilliseconds >= 0 })
    let metres = day.trips.reduce(0) { $0 + $1.distanceMillimetres / 1000 }
    #expect(abs(Double(metres) - day.distance) < 0.03 * day.distance)
    // Asleep afterwards as usual.
    #expect(day.onShare(from: day.now + .seconds(-1500), to: day.now) < 0.1)
  }

  @Test func aClockSetBackDuringSleepDelaysNoPositionCheckAndNoDeparture() throws {
    let day = TrackedDay()
    day.stop(.seconds(1800))
    let starts = day.receiver.starts
    day.utc = day.utc + .seconds(-4 * 3600)
    day.stop(.seconds(2 * 3600))
    #expect(day.receiver.starts > starts)
    let departure = day.time
    day.drive(9000, at: 15)
    let arrival = day.time
    day.stop(.seconds(1800))
    #expect(day.trips.count == 1)
    #expect(isNear(day.trips.first?.start.time, departure, within: 60))
    #expect(isNear(day.trips.first?.end.time, arrival, within: 15))
    #expect(day.wrongPower(stationary: 60..<600, ofMotion: 0.99...1, starts: 3...16).isEmpty)
  }

  @Test func oneImpossibleDateDuringATripDatesNothing() throws {
    let day = TrackedDay()
    day.stop(.seconds(1800))
    day.drive(3000, at: 15)
    var count = 0
    day.alterFix = { fix in
      count += 1
      guard count % 40 == 0 else { return fix }
      var fix = fix
      fix.timestamp = fix.timestamp.map { $0 + .seconds(400 * 86_400) }
      return fix
    }
    day.drive(6000, at: 15)
    day.alterFix = nil
    day.drive(3000, at: 15)
    day.stop(.seconds(1800))
    #expect(day.trips.count == 1 && runsForward(day))
    #expect(day.points.allSatisfy { $0.time <= day.time })
    #expect(day.tracker.fixes.rejections.totals[.impossibleTime].map { $0.count > 5 } == true)
    #expect(day.wrongPower(stationary: 60..<400, ofMotion: 0.99...1, starts: 1...7).isEmpty)
  }

  /// A stop, a drive with three series of so many wrong fixes, and a stop. Nothing gets a wrong time, and nothing more is
  /// rejected.
  private func drive(_ day: TrackedDay, wrong inARow: Int, changes: [(inout Fix) -> Void]) {
    day.stop(.seconds(1800))
    day.drive(9000, at: 15)
    for change in changes {
      var left = inARow
      day.alterFix = { fix in
        guard left > 0 else { return fix }
        left -= 1
        var fix = fix
        change(&fix)
        return fix
      }
      day.drive(9000, at: 15)
    }
    day.alterFix = nil
    let arrival = day.time
    day.stop(.seconds(1800))
    #expect(day.points.allSatisfy { $0.time <= day.time } && runsForward(day))
    #expect(day.events(.clockStepped).isEmpty)
    #expect(day.trips.count == 1 && isNear(day.trips.first?.end.time, arrival, within: 15))
    #expect(day.tracker.fixes.rejections.totals[.impossibleTime]?.count == Int64(3 * inARow))
    #expect(day.points.count > 2390 - 3 * inARow)
  }

  /// The future, the past, and the day after.
  @Test(arguments: [1, 2, 3, 8])
  func threeWrongDatesOfADayDateNothing(inARow count: Int) {
    drive(
      TrackedDay(), wrong: count,
      changes: [2900, -365, 1].map { days in
        { fix in fix.timestamp = fix.timestamp.map { $0 + .seconds(days * 86_400) } }
      })
  }

  /// A live session.
  @Test(arguments: [1, 2, 3, 8], [true, false])
  func threeWrongHoursOfADayDateNothing(inARow count: Int, isUndated: Bool) throws {
    let release = try #require(Timestamp(iso8601: "2026-03-01T00:00:00Z"))
    let day = TrackedDay(dates: DateBounds(release: release))
    drive(
      day, wrong: count,
      changes: [3, -2, 11].map { hours in
        { fix in
          let time = fix.timestamp.map { $0 + .seconds(hours * 3600) }
          fix.timestamp = isUndated ? nil : time
          fix.millisecondOfDay = time.map { Int32(truncatingIfNeeded: $0.millisecondOfDay) }
        }
      })
    #expect(day.events(.dateRefused).count == 1)
  }

  /// A receiver whose date is wrong for good, such as after a week rollover of its own firmware in the middle of a day.
  @Test func aReceiverThatLosesItsDateForGoodLosesFewLocations() throws {
    let day = TrackedDay()
    day.stop(.seconds(1800))
    day.drive(9000, at: 15)
    day.alterFix = { fix in
      var fix = fix
      fix.timestamp = fix.timestamp.map { $0 + .seconds(400 * 86_400) }
      return fix
    }
    let before = day.points.count
    day.drive(9000, at: 15)
    #expect(day.points.count >= before + 588)
    #expect(day.points.allSatisfy { $0.time <= day.time } && runsForward(day))
  }
}
