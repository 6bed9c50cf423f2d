import DaySupport
import Foundation
import Quantities
import Records
import Testing

import Store
import Uplink

/// Days with faults of a server.
@Suite struct ServerDays {
  /// A working day with a log and these servers.
  static func live(_ servers: [DayServer], _ logSettings: LoggedDay.LogSettings = .init()) throws -> (
    day: TrackedDay, log: LoggedDay
  ) {
    let log = try LoggedDay(logSettings, to: servers)
    let day = TrackedDay(at: "2026-03-21T00:00:00Z")
    day.add(log)
    day.commute()
    return (day, log)
  }

  /// Expects that the log has every record once, and that the receiver worked as on any other day.
  static func expectKept(_ day: TrackedDay, _ log: LoggedDay) throws {
    let stored = try log.stored()
    #expect(try stored.times == day.recordedTimes)
    #expect(stored.undated == 0 && stored.isSound)
    #expect(day.trips.count == 2 && day.unexplainedPauses(over: .seconds(60)).isEmpty)
    #expect(day.intervals == TrackedDay.undisturbedCommute().intervals)
    #expect(day.wrongPower(stationary: 60..<1800, ofMotion: 0.95...1, starts: 3...110).isEmpty)
  }

  static func hour(_ now: Moment) -> Double { ((now - .zero).inSeconds - 100) / 3600 }

  /// A captive portal from 6:00 to 12:00.
  @Test func aLoginPageWithStatus200IsNoSuccessAndNothingIsLost() throws {
    let server = DayServer("home") { now, _ in
      (6..<12).contains(Self.hour(now)) ? .status(200, "<!DOCTYPE html><html>sign in</html>") : .ok
    }
    let (day, log) = try Self.live([server])
    try Self.expectKept(day, log)
    #expect(server.order.count == day.sent)
    #expect(server.twice == 0)
    let pages = server.attempts.filter { !$0.isKept }
    #expect((10...120).contains(pages.count))
    #expect(try log.stored().events(.deliveryFailing).count == 1)
    #expect(try log.stored().events(.deliveryRecovered).count == 1)
  }

  /// The server stores every batch and confirms it after the timeout, from 6:00 to 10:00.
  @Test func aConfirmationAfterTheTimeoutCausesTheSameBytesAgain() throws {
    let server = DayServer("home") { now, _ in
      var answer = DayServer.Answer.ok
      if (6..<10).contains(Self.hour(now)) { answer.after = .seconds(90) }
      return answer
    }
    let (day, log) = try Self.live([server])
    try Self.expectKept(day, log)
    // A server that identifies records by their bytes has every one once.
    #expect(server.order.count == day.sent)
    #expect(server.twice > 0)
    let attempts = server.attempts
    for (one, next) in zip(attempts, attempts.dropFirst())
    where !Set(one.pieces).isDisjoint(with: next.pieces) {
      #expect(one.pieces == next.pieces)
    }
  }

  /// It is one of the first 200 locations of the drive.
  @Test func oneRejectedRecordCostsNoOther() throws {
    var poison: String?
    let server = DayServer("home") { now, pieces in
      if poison == nil, Self.hour(now) > 6, pieces.count == 200 { poison = pieces[117] }
      guard let poison, pieces.contains(poison) else { return .ok }
      return .status(400, "invalid record")
    }
    let (day, log) = try Self.live([server])
    try Self.expectKept(day, log)
    let bad = try #require(poison)
    #expect(server.order.count == day.sent - 1 && server.twice == 0 && server.kept[bad] == nil)
    #expect(try log.stored().events(.recordSetAside).count == 1)
    #expect(server.attempts.count < 150)
  }

  @Test func anExceededQuotaIsRespectedAndCostsNoRecord() throws {
    let server = DayServer("home") { now, _ in
      Self.hour(now) < 18 ? .status(401, #"{"error":"quota"}"#) : .ok
    }
    let (day, log) = try Self.live([server])
    try Self.expectKept(day, log)
    #expect(server.order.count == day.sent)
    #expect(server.twice == 0)
    // 18 h, with at most 15 min between two attempts.
    let refused = server.attempts.filter { !$0.isKept }.count
    #expect((72...400).contains(refused), "\(refused)")
    #expect(try log.stored().events(.deliveryFailing).count == 1)
    #expect(server.order == server.attempts.filter(\.isKept).flatMap(\.pieces))
  }

  @Test func aDeadDestinationDoesNotAffectAnother() throws {
    let (good, dead) = (DayServer("home"), DayServer("away") { _, _ in .unreachable })
    let (day, log) = try Self.live([good, dead])
    try Self.expectKept(day, log)
    #expect(good.order.count == day.sent && good.twice == 0 && dead.order.isEmpty)
    let alone = DayServer("home")
    _ = try Self.live([alone])
    #expect(good.attempts.map(\.at) == alone.attempts.map(\.at))
    // The queue of the dead destination is in the log.
    let waiting = try #require(try log.waiting(for: "away"))
    #expect(waiting == day.sent)
  }

  @Test func aServerUnreachableAllDayReceivesTheDayInOrderTheNextMorning() throws {
    let server = DayServer("home") { now, _ in Self.hour(now) < 24 ? .unreachable : .ok }
    let (day, log) = try Self.live([server])
    try Self.expectKept(day, log)
    #expect(server.order.isEmpty)
    day.stop(.seconds(1800))
    #expect(server.order.count == day.sent)
    #expect(server.twice == 0)
    let attempts = server.attempts.filter { !$0.isKept }
    #expect((96...500).contains(attempts.count), "\(attempts.count)")
  }

  /// The backlog of weeks without a network: 100,000 records in the long run of the tests, and 10,000 otherwise. It is
  /// delivered beside the records of the day.
  @Test func aBacklogOfWeeksIsDeliveredInOrderBesideTheDaysRecords() throws {
    let isWhole = ProcessInfo.processInfo.environment["OUTRIDER_WHOLE"] != nil
    let count = isWhole ? 100_000 : 10_000
    let position = try #require(Coordinate(latitude: 52.4, longitude: 13.3))
    let server = DayServer("home") { now, _ in Self.hour(now) < 1 ? .unreachable : .ok }
    let log = try LoggedDay(to: [server])
    let day = TrackedDay(at: "2026-03-21T00:00:00Z")
    day.add(log)
    let start = try #require(Timestamp(iso8601: "2026-03-01T00:00:00Z"))
    for group in 0..<(count / 1000) {
      let records = (0..<1000).map { number in
        LogRecord(
          moment: day.now, time: start + .seconds(group * 1000 + number), timeQuality: .receiver,
          body: .location(LocationRecord(coordinate: position, deviceID: "van")))
      }
      log.append(records, now: day.now)
    }
    day.commute()
    #expect(server.order.count == count + day.sent)
    #expect(server.twice == 0)
    #expect(try log.stored().times.count == count + day.points.count)
    // The backlog is delivered within an hour after the network returns, in batches of 200.
    let kept = server.attempts.filter(\.isKept)
    let drained = kept.prefix { $0.pieces.count == 200 }
    #expect(drained.count >= count / 200)
    #expect(drained.last.map { Self.hour($0.at) < 2 } == true)
    #expect(server.order == kept.flatMap(\.pieces))
    #expect(day.intervals == TrackedDay.undisturbedCommute().intervals)
    #expect(day.wrongPower(stationary: 60..<1800, ofMotion: 0.95...1, starts: 3...110).isEmpty)
  }
}
