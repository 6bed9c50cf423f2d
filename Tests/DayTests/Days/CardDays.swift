import DaySupport
import Foundation
import Quantities
import Records
import Testing

import Store

/// Days on a memory card that is full, slow, read-only, or loses power.
@Suite struct CardDays {
  /// Expects that no record is lost or stored twice, and that the receiver worked as on any other day.
  static func expectWhole(_ day: TrackedDay, _ log: LoggedDay, _ server: DayServer) throws {
    let stored = try log.stored()
    #expect(stored.isSound)
    #expect(try stored.times == day.recordedTimes)
    #expect(stored.undated == 0)
    #expect(server.order.count == day.sent)
    #expect(server.twice == 0)
    #expect(day.trips.count == 2 && day.unexplainedPauses(over: .seconds(60)).isEmpty)
    #expect(day.intervals == TrackedDay.undisturbedCommute().intervals)
    #expect(day.wrongPower(stationary: 60..<1800, ofMotion: 0.95...1, starts: 3...110).isEmpty)
  }

  @Test func aFullCardLosesNothingWhenItHasSpaceAgain() throws {
    let server = DayServer("home")
    let log = try LoggedDay(to: [server])
    let day = TrackedDay(at: "2026-03-21T00:00:00Z")
    day.add(log)
    day.stop(TrackedDay.morning)
    log.card.faults.isFull = true
    day.drive(12_000, at: 15)
    day.stop(.seconds(3600))
    #expect(try log.stored().times.count < day.points.count - 700)
    log.card.faults.isFull = false
    day.stop(TrackedDay.work - .seconds(3600))
    day.drive(12_000, at: 15, course: 270)
    day.stop(until: Moment.zero + .seconds(86_500))
    try Self.expectWhole(day, log, server)
    #expect(try log.stored().events(.storageFailing).count == 1)
    #expect(try log.stored().events(.storageRecovered).count == 1)
    #expect(try log.stored().events(.recordsDropped).isEmpty)
  }

  @Test func aCardThatTurnsReadOnlyIsReportedAndCostsNoLocation() throws {
    let server = DayServer("home")
    let log = try LoggedDay(to: [server])
    let day = TrackedDay(at: "2026-03-21T00:00:00Z")
    day.add(log)
    day.stop(TrackedDay.morning)
    day.drive(6_000, at: 15)
    log.card.faults.isReadOnly = true
    day.drive(6_000, at: 15)
    let inMemory = log.mostWaiting
    day.stop(.seconds(3600))
    log.card.faults.isReadOnly = false
    day.stop(TrackedDay.work - .seconds(3600))
    day.drive(12_000, at: 15, course: 270)
    day.stop(until: Moment.zero + .seconds(86_500))
    #expect((380...440).contains(inMemory), "\(inMemory) records in memory")
    try Self.expectWhole(day, log, server)
    #expect(try log.stored().events(.storageFailing).count == 1)
    #expect(try log.stored().events(.storageRecovered).count == 1)
  }

  /// A flush of 3 s is longer than the second between two locations.
  @Test func aCardThatStallsAtEveryFlushLosesNoRecord() throws {
    let server = DayServer("home")
    var logSettings = LoggedDay.LogSettings()
    logSettings.flush = .seconds(3)
    let log = try LoggedDay(logSettings, to: [server])
    let day = TrackedDay(at: "2026-03-21T00:00:00Z")
    day.add(log)
    day.commute()
    try Self.expectWhole(day, log, server)
    #expect(log.card.tally.flushes > 100)
    let drivingPairs = zip(day.points, day.points.dropFirst()).filter {
      $0.location.motion.contains(.driving) && $1.location.motion.contains(.driving)
    }
    #expect(drivingPairs.filter { $1.time - $0.time > .seconds(2) }.count <= 4)
  }

  @Test(arguments: [0, 1, 5, 20])
  func powerCutsDuringCheckpointsLoseNoDurableRecord(writes: Int) throws {
    let server = DayServer("home")
    var logSettings = LoggedDay.LogSettings()
    logSettings.checkpointPages = 100
    let log = try LoggedDay(logSettings, to: [server])
    let day = TrackedDay(at: "2026-03-21T00:00:00Z")
    day.add(log)
    day.stop(.seconds(3600))
    let departure = day.now
    log.card.faults.checkpointWritesLeft = writes
    var cuts = 0
    for leg in 0..<300 {
      // Every five minutes the power fails during the next checkpoint.
      if leg % 15 == 0 { log.card.faults.checkpointWritesLeft = writes }
      let durable = try log.stored().records
      day.drive(300, at: 15)
      guard log.card.tally.powerFailed else { continue }
      day.cutPower(for: .seconds(2))
      cuts += 1
      let found = try log.stored()
      #expect(found.isSound && found.records >= durable)
    }
    let arrival = day.now
    log.card.faults.checkpointWritesLeft = nil
    day.stop(.seconds(6 * 3600))
    #expect(cuts >= 10)
    let stored = try log.stored()
    let times = try stored.times
    // 20 s without a log before the cut, and 10 s in memory.
    #expect(day.points.count - times.count <= cuts * 30)
    #expect(Set(times).count == times.count)
    #expect(server.twice == 0 && server.order.count >= times.count)
    #expect(try stored.events(.started).count == cuts + 1)
    #expect(try stored.events(.logSalvaged).isEmpty)
    #expect(day.trips.count == 1)
    #expect(day.onShare(from: departure, to: arrival) > 0.9)
    #expect(day.onShare(from: arrival + .seconds(120), to: day.now) < 0.05)
  }

  /// The power is cut every 30 s, except for 15 min before each of two drives, in which the receiver gets its ephemerides.
  /// A cut costs only the records of the commit interval.
  @Test func aPowerCutEvery30SecondsCostsAtMostTheCommitIntervalEachTime() throws {
    let server = DayServer("home")
    var logSettings = LoggedDay.LogSettings()
    logSettings.retention.age = .seconds(600)
    logSettings.checkpointPages = 8
    let log = try LoggedDay(logSettings, to: [server])
    let day = TrackedDay(at: "2026-03-21T00:00:00Z")
    day.add(log)
    // Parked for nearly eight hours at a time in the long run of the tests, and for an hour otherwise.
    let parked = ProcessInfo.processInfo.environment["OUTRIDER_WHOLE"] == nil ? 120 : 870
    let steps: [(cuts: Int, speed: Double)] = [
      (parked, 0), (0, 0), (80, 15), (parked, 0), (0, 0), (80, -15), (parked, 0),
    ]
    for step in steps {
      if step.cuts == 0 { day.stop(.seconds(900)) }
      for _ in 0..<step.cuts {
        if step.speed == 0 {
          day.stop(.seconds(28))
        } else {
          day.drive(420, at: 15, course: step.speed > 0 ? 90 : 270)
        }
        day.cutPower(for: .seconds(2))
      }
    }
    day.stop(.seconds(1800))
    let cuts = 3 * parked + 160
    #expect(log.boots == cuts + 1)
    // Ten seconds of locations, and the events of a start.
    #expect(log.inMemoryAtCuts.allSatisfy { $0 <= 15 }, "\(log.inMemoryAtCuts.max() ?? 0)")
    let drivingGaps = 160 * 28
    // Of every start, 2 s until the fix and 10 s in memory at the end.
    #expect(server.twice == 0 && server.order.count >= drivingGaps - 160 * 13, "\(server.order.count)")
    #expect(day.trips.count == 2 && day.events(.tripStarted).count == 2)
    #expect(zip(day.points, day.points.dropFirst()).allSatisfy { $0.time < $1.time })
    #expect(day.events(.started).count == log.boots)
    let stored = try log.stored()
    let times = try stored.times
    #expect(stored.isSound && Set(times).count == times.count)
    // A power cut restarts the receiver as well.
    #expect(day.wrongPower(stationary: 3000..<86_400, ofMotion: 0.99...1, starts: cuts...(cuts + 20)).isEmpty)
  }
}
