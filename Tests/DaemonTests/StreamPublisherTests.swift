import Foundation
import GNSSProtocol
import LocalAPI
import Quantities
import Records
import Settings
import Store
import TestSupport
import Testing
@testable import Daemon

/// The messages that the logger publishes to the clients of the stream.
@Suite struct StreamPublisherTests {
  /// The messages so far.
  final class Client {
    private(set) var messages: [StreamEvent] = []

    init(_ logger: Logger, _ bench: HTTPBench) {
      logger.serving.publisher.outputs.publish = { [weak self] in self?.messages.append($0) }
      logger.serving.publisher.follow(hasClients: true, now: bench.loop.now)
    }

    func named(_ name: String) -> [StreamEvent] { messages.filter { $0.name == name } }

    func objects(_ name: String) throws -> [[String: Any]] {
      try named(name).flatMap { message -> [[String: Any]] in
        let value = try JSONSerialization.jsonObject(with: Data(message.json))
        return value as? [[String: Any]] ?? (value as? [String: Any]).map { [$0] } ?? []
      }
    }

    func forget() { messages = [] }
  }

  private static func running(_ extra: [String] = []) throws -> (HTTPBench, Logger) {
    let bench = try HTTPBench.simulated()
    let logger = try StatusKeysTests.logger(bench, extra)
    #expect(try bench.run { logger.supervision.isReady })
    return (bench, logger)
  }

  @Test func theEpochsOfAWakeUpAreOneMessageWithWhatBecameOfThem() throws {
    let (bench, logger) = try Self.running(["main.min_time=5s", "main.min_distance=0m"])
    defer { logger.stop() }
    let client = Client(logger, bench)
    StatusKeysTests.drive(logger, 0...0, bench)
    logger.serving.publisher.turn(isTripRunning: false, isPrivate: false, now: bench.loop.now)
    client.forget()
    for second in 1...5 as ClosedRange<Int64> {
      let fix = StatusKeysTests.fix(second)
      logger.tracking.process(.epoch(fix, systemClock: Timestamp(milliseconds: 0)), now: bench.loop.now)
      logger.receiver.outputs.epochTaken(fix)
    }
    logger.serving.publisher.turn(isTripRunning: false, isPrivate: false, now: bench.loop.now)
    #expect(client.named("fix").count == 1)
    let epochs = try client.objects("fix")
    #expect(epochs.count == 5 && epochs.allSatisfy { $0["class"] as? String == "TPV" })
    #expect(epochs.first?["kept"] as? [String] == ["transition"], "\(epochs)")
    #expect((epochs[2]["rejected"] as? String)?.hasPrefix("min time") == true, "\(epochs[2])")
    #expect(abs((epochs[0]["lat"] as? Double ?? 0) - 52.500126) < 1e-5)
    #expect(epochs.allSatisfy { $0["satellites_used"] as? Int == 9 })
    #expect(epochs.allSatisfy { $0["satellites_in_view"] as? Int == 14 })
  }

  @Test func withoutAClientNothingIsKeptOrPublished() throws {
    let (bench, logger) = try Self.running()
    defer { logger.stop() }
    var count = 0
    logger.serving.publisher.outputs.publish = { _ in count += 1 }
    StatusKeysTests.drive(logger, 0...20, bench)
    #expect(try bench.run(for: .seconds(10)) { logger.log.recordsWaiting == 0 })
    #expect(count == 0 && !logger.serving.publisher.isWatched)
  }

  @Test func insideAPrivacyZoneAnEpochHasNoPosition() throws {
    let (bench, logger) = try Self.running([
      #"privacy_zones=[{name: "home", latitude: 52.5, longitude: 13.4, radius: "5km"}]"#
    ])
    defer { logger.stop() }
    let client = Client(logger, bench)
    let fix = StatusKeysTests.fix(1)
    logger.tracking.process(.epoch(fix, systemClock: Timestamp(milliseconds: 0)), now: bench.loop.now)
    logger.receiver.outputs.epochTaken(fix)
    logger.receiver.outputs.satellites(Array("{}".utf8))
    logger.serving.publisher.line("$GNGGA", now: bench.loop.now)
    logger.serving.publisher.turn(isTripRunning: false, isPrivate: true, now: bench.loop.now)
    let epoch = try #require(try client.objects("fix").first)
    #expect(Set(epoch.keys) == ["class", "mode", "private"], "\(epoch)")
    #expect(client.named("sky").isEmpty && client.named("raw").isEmpty)
  }

  /// The ID is that of the row in the log.
  @Test func anEventIsPublishedAfterItsCommitWithItsID() throws {
    let (bench, logger) = try Self.running()
    defer { logger.stop() }
    StatusKeysTests.drive(logger, 0...3, bench)
    let client = Client(logger, bench)
    StatusKeysTests.drive(logger, 4...6, bench)
    for _ in 0..<3 {
      logger.tracking.process(.occurred(EventRecord(.motionBegan)), now: bench.loop.now)
      StatusKeysTests.drive(logger, 7...8, bench)
    }
    #expect(client.named("event").isEmpty)
    logger.log.commit(now: bench.loop.now)
    #expect(
      try bench.run(for: .seconds(20)) { client.named("event").count >= 3 && logger.log.recordsWaiting == 0 })
    let published = client.named("event").map { message in
      (message.id, String(decoding: message.json, as: UTF8.self))
    }
    let log = try LogReader(directory: bench.directory + "/log").records(after: .zero, limit: 200)
    let rows = EventRows()
    for (id, json) in published {
      let stored = try #require(log.first { $0.id.rawValue == id })
      #expect(rows.json(of: stored).map { String(decoding: $0, as: UTF8.self) } == json)
    }
    #expect(published.map(\.0) == published.map(\.0).sorted { ($0 ?? 0) < ($1 ?? 0) })
  }

  @Test func aTripIsPublishedAtItsStartItsEndAndEvery30Seconds() throws {
    let (bench, logger) = try Self.running()
    defer { logger.stop() }
    let client = Client(logger, bench)
    func trips() throws -> [Bool] { try client.objects("trip").map { $0["running"] as? Bool ?? false } }
    logger.serving.publisher.turn(isTripRunning: false, isPrivate: false, now: bench.loop.now)
    #expect(try trips() == [])
    _ = logger.trip(.start(mode: "car"))
    logger.serving.publisher.turn(isTripRunning: true, isPrivate: false, now: bench.loop.now)
    logger.serving.publisher.turn(isTripRunning: true, isPrivate: false, now: bench.loop.now + .seconds(29))
    #expect(try trips() == [true])
    logger.serving.publisher.turn(isTripRunning: true, isPrivate: false, now: bench.loop.now + .seconds(31))
    #expect(try trips() == [true, true])
    _ = logger.trip(.stop)
    logger.serving.publisher.turn(isTripRunning: false, isPrivate: false, now: bench.loop.now + .seconds(32))
    #expect(try trips() == [true, true, false])
  }

  @Test func aQueueIsPublishedWhenItChangesAtMostOnceASecond() throws {
    let bench = try HTTPBench.simulated()
    let server = try ScriptedServer(bench.loop, [])
    server.answer = { _ in .answer(200, body: #"{"result":"ok"}"#) }
    let logger = try StatusKeysTests.logger(
      bench,
      [
        "destinations=[{ name: \"home\", kind: \"overland\", url: \"\(server.url())\" }]", "send_interval=1h",
      ])
    defer { logger.stop() }
    #expect(try bench.run { logger.supervision.isReady })
    let client = Client(logger, bench)
    #expect(try bench.run(for: .seconds(5)) { logger.status.destinations.first?.queued == 0 })
    try bench.run(for: .seconds(3))
    client.forget()
    StatusKeysTests.drive(logger, 0...5, bench)
    _ = logger.send(to: nil)
    #expect(
      try bench.run(for: .seconds(20)) {
        (try? client.objects("queue").last?["delivered"] as? Int).map { $0 >= 6 } ?? false
      }, "\(client.messages.map(\.name))")
    #expect(try client.objects("queue").allSatisfy { $0["name"] as? String == "home" })
    client.forget()
    let later = bench.loop.now + .seconds(60)
    // The first turn requests the length of the queue, the second one does not wait for it.
    logger.serving.publisher.turn(isTripRunning: false, isPrivate: false, now: later)
    logger.serving.publisher.turn(isTripRunning: false, isPrivate: false, now: later + .seconds(60))
    client.forget()
    logger.serving.publisher.turn(isTripRunning: false, isPrivate: false, now: later + .seconds(120))
    #expect(client.named("queue").isEmpty, "nothing has changed")
  }

  @Test func aSettingThatChangesIsFollowedByTheStatus() throws {
    let (bench, logger) = try Self.running()
    defer { logger.stop() }
    let client = Client(logger, bench)
    try bench.run(for: .seconds(2))
    client.forget()
    logger.serving.publisher.statusChanged()
    logger.serving.publisher.turn(isTripRunning: false, isPrivate: false, now: bench.loop.now + .seconds(2))
    let status = try #require(client.named("status").first)
    #expect(StatusReport(json: status.json)?.device_id == "van")
    logger.serving.publisher.turn(isTripRunning: false, isPrivate: false, now: bench.loop.now + .seconds(4))
    #expect(client.named("status").count == 1)
  }

  @Test func figuresThatNoMessageBringsAreAtMostTwoMinutesOld() throws {
    let (bench, logger) = try Self.running()
    defer { logger.stop() }
    let client = Client(logger, bench)
    func statuses(after seconds: Int64) -> [StatusReport] {
      client.forget()
      logger.serving.publisher.turn(
        isTripRunning: false, isPrivate: false, now: bench.loop.now + .seconds(seconds))
      return client.named("status").compactMap { StatusReport(json: $0.json) }
    }
    _ = statuses(after: 2)
    StatusKeysTests.drive(logger, 0...20, bench)
    logger.receiver.outputs.epochTaken(StatusKeysTests.fix(20))
    #expect(statuses(after: 119).isEmpty)
    let news = statuses(after: 122)
    #expect(news.count == 1 && news.first?.epochs ?? 0 > 20 && news.first?.today?.distance_m ?? 0 > 100)
    #expect(statuses(after: 250).isEmpty, "nothing has happened")
  }

  @Test func whileSatellitesAreShownTheReceiverReportsThemAndLeavesCyclicTracking() throws {
    let bench = try HTTPBench.simulated()
    let talker = try ModuleTalker(loop: bench.loop, .ublox10) { $0.savedSpeed = 115_200 }
    let logger = try StatusKeysTests.logger(
      bench,
      [
        "receiver.port=\(talker.terminal.path)", "receiver.speed=115200", "receiver.cyclic=auto",
        "main.tracking_mode=both", "main.pause_automatically=true", "main.desired_accuracy=best",
      ])
    defer { logger.stop() }
    let isCyclic = try bench.run(for: .seconds(200)) { logger.receiver.line?.isInCyclicMode ?? false }
    #expect(isCyclic && logger.status.tracker?.state == .cyclic, "\(logger.status.tracker as Any)")
    let client = Client(logger, bench)
    logger.receiver.showSatellites(true, now: bench.loop.now)
    #expect(try bench.run(for: .seconds(30)) { client.named("sky").count > 1 })
    #expect(logger.receiver.line?.isInCyclicMode == false)
    #expect(logger.status.tracker?.state != .cyclic)
    let sky = try #require(try client.objects("sky").last)
    #expect(sky["class"] as? String == "SKY" && (sky["satellites"] as? [Any])?.isEmpty == false)
    logger.receiver.showSatellites(false, now: bench.loop.now)
    client.forget()
    try bench.run(for: .seconds(10))
    #expect(client.named("sky").isEmpty)
  }

  @Test func satellitesNeverWakeASleepingReceiver() throws {
    let bench = try HTTPBench.simulated()
    let talker = try ModuleTalker(loop: bench.loop, .ublox10) { $0.savedSpeed = 115_200 }
    let logger = try StatusKeysTests.logger(
      bench,
      [
        "receiver.port=\(talker.terminal.path)", "receiver.speed=115200", "main.tracking_mode=both",
        "main.pause_automatically=true",
      ])
    defer { logger.stop() }
    // Between two fixes the receiver sleeps for some seconds.
    func rest() -> Double { logger.status.tracker?.next_check_in_s ?? 0 }
    #expect(
      try bench.run(for: .seconds(900)) { logger.receiver.line?.state == .asleep && rest() > 8 })
    logger.receiver.showSatellites(true, now: bench.loop.now)
    let wokeUp = try bench.run(for: .seconds(rest()) - .seconds(4)) { logger.receiver.line?.state != .asleep }
    #expect(!wokeUp && logger.status.tracker?.state == .asleep)
  }

  @Test func theLinesOfTheReceiverAreAtMostTwentyASecond() throws {
    var raw = RawMessages()
    let now = Moment(nanoseconds: 100_000_000_000)
    for number in 1...30 { raw.add("$\(number)\"\u{1}", now: now + .milliseconds(number)) }
    let taken = raw.take()
    let text = try #require(taken)
    let rest = raw.take()
    let object = try JSONSerialization.jsonObject(with: Data(text)) as? [String: Any]
    #expect((object?["lines"] as? [String])?.count == 20 && object?["more"] as? Int == 10)
    #expect((object?["lines"] as? [String])?.first == "$1\"\u{1}" && rest == nil)
    raw.add("$31", now: now + .seconds(1) + .milliseconds(1))
    let last = raw.take()
    #expect(last.map { String(decoding: $0, as: UTF8.self) } == #"{"lines":["$31"],"more":0}"#)
  }

  @Test func theLinesOfTheReceiverArePublishedOnlyWhileTheyAreShown() throws {
    let bench = try HTTPBench.simulated()
    let talker = try ModuleTalker(loop: bench.loop, .ublox10) { $0.savedSpeed = 115_200 }
    let logger = try StatusKeysTests.logger(
      bench, ["receiver.port=\(talker.terminal.path)", "receiver.speed=115200"])
    defer { logger.stop() }
    let client = Client(logger, bench)
    #expect(try bench.run(for: .seconds(60)) { logger.receiver.hasHadFix })
    #expect(client.named("raw").isEmpty)
    logger.receiver.showLines(true)
    #expect(try bench.run(for: .seconds(10)) { client.named("raw").count > 2 })
    let lines = try client.objects("raw").flatMap { $0["lines"] as? [String] ?? [] }
    #expect(lines.allSatisfy { $0.hasPrefix("$G") || $0.hasPrefix("UBX 0x") }, "\(lines.prefix(5))")
    logger.receiver.showLines(false)
    client.forget()
    try bench.run(for: .seconds(5))
    #expect(client.named("raw").isEmpty)
  }
}
