import LocalAPI
import Quantities
import Records
import Settings
import Store
import TestSupport
import Testing

@testable import Daemon

/// Trips and the master switch, in whatever order they are turned.
@Suite struct TripSwitchTests {
  enum Turn: String, Sendable { case start, stop, on, off }

  static let orders: [[Turn]] = [
    [.start, .stop], [.start, .off, .stop, .on], [.start, .off, .on, .stop], [.off, .start, .stop, .on],
    [.off, .start, .off, .stop, .on], [.off, .start, .off, .on, .stop], [.off, .start, .on, .stop],
    [.start, .off, .off, .on],
  ]

  @Test(arguments: orders)
  func eachTripHasOneEndThatIsSentOnceSendingIsAllowed(order: [Turn]) throws {
    let running = try LocalAPITests.logger(extra: ["storage.commit_interval=0s", "send_interval=1s"])
    let logger = running.logger
    defer { logger.stop() }
    let server = try ScriptedServer(running.bench.loop, [])
    server.answer = { _ in .answer(200, body: #"{"result":"ok"}"#) }
    #expect(try running.bench.run { logger.isReady })
    func set(_ json: String) { _ = logger.changeSettings(Array(json.utf8), queue: nil) }
    set(#"{"destinations": [{"name": "home", "kind": "overland", "url": "\#(server.url())"}]}"#)
    var second: Int64 = 0
    func drive() {
      // A receiver that nobody may tell to sleep talks on while tracking is off.
      for _ in 0..<20 {
        second += 1
        logger.tell(
          .epoch(PowerTests.fix(second), systemClock: Timestamp(milliseconds: 0)),
          now: running.bench.loop.now)
      }
    }
    drive()
    var secondsInTrip: Int64 = 0
    for turn in order {
      switch turn {
      case .start: _ = logger.trip(.start(mode: "car"))
      case .stop: _ = logger.trip(.stop)
      case .on: set(#"{"tracking": true}"#)
      case .off: set(#"{"tracking": false}"#)
      }
      if logger.tracker.isTripRunning { secondsInTrip += 20 }
      #expect(!logger.tracker.isTripRunning || logger.configuration.isTracking, "after \(turn)")
      drive()
    }
    #expect(!logger.tracker.isTripRunning && logger.configuration.isTracking)
    logger.commit(now: running.bench.loop.now)
    func records() throws -> [LogRecord] {
      try LogReader(directory: running.bench.directory + "/log").records(after: .zero, limit: 1000)
        .map(\.record)
    }
    func trips() throws -> [TripRecord] {
      try records().compactMap { if case .trip(let trip) = $0.body { trip } else { nil } }
    }
    #expect(try running.bench.run { (try? trips().count) == 1 })
    let metres = try trips().map { $0.distanceMillimetres / 1000 }
    // A metre and a tenth a second.
    #expect(metres.allSatisfy { (10...(secondsInTrip * 12 / 10)).contains($0) }, "\(metres) m")
    let kinds = try records().compactMap { if case .event(let event) = $0.body { event.kind } else { nil } }
    #expect(kinds.filter { $0 == .tripStarted || $0 == .tripEnded } == [.tripStarted, .tripEnded])
    func sent() -> Int {
      server.requests.map { String(decoding: $0.body, as: UTF8.self) }
        .filter { $0.contains(#""type":"trip""#) }.count
    }
    _ = logger.send(to: nil)
    #expect(try running.bench.run { sent() == 1 })
  }

  @Test func aTripIsRefusedWhereNothingSwitchesTrackingOn() throws {
    let running = try LocalAPITests.logger(extra: ["tracking=false"])
    defer { running.logger.stop() }
    #expect(try running.bench.run { running.logger.isReady })
    let answer = try LocalAPITests.ask(running, "POST", "/trips", body: #"{"action":"start"}"#)
    #expect(answer.status == 409 && answer.text.contains("--set tracking=false"), "\(answer.text)")
    #expect(!running.logger.tracker.isTripRunning && running.logger.book.operator["tracking"] == nil)
    #expect(!running.logger.book.tripSwitchedTrackingOn)
  }
}
