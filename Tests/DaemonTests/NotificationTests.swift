import Foundation
import LoggerConfiguration
import Quantities
import Records
import Scheduling
import Settings
import TestSupport
import Testing
import TextSnapshots

@testable import Daemon

/// The calls of `notifications`, and the logger when they hang or fail.
@Suite struct NotificationTests {
  typealias Queue = HookQueue

  static let texts = TextSnapshot("daemon")
  /// The start of the line that reports failed calls.
  static let failure = "warning: notifications: "

  static func event(_ kind: String) -> Queue.Event { Queue.Event(kind: kind, body: Array("{}".utf8)) }

  static func isReport(_ action: Queue.Action) -> Bool {
    if case .report = action { true } else { false }
  }

  // MARK: The queue

  @Test func callsAndQueuedEventsAreBounded() {
    var queue = Queue()
    var actions: [Queue.Action] = []
    for number in 0..<100 { actions += queue.add(Self.event("\(number)"), now: .zero) }
    let calls = actions.compactMap { if case .call(let number, _) = $0 { number } else { nil } }
    #expect(calls.count == Queue.mostCalls)
    #expect(queue.failures == Int64(100 - Queue.mostCalls - Queue.mostWaiting))
    #expect(actions.filter(Self.isReport).count == 1)
    let next = queue.ended(calls[0], failure: nil, now: .zero)
    #expect(next == [.call(3, Self.event("\(100 - Queue.mostWaiting)"))], "the oldest events are dropped")
  }

  @Test func aHangingCallIsAbandonedAndTheNextStarts() {
    var queue = Queue()
    _ = queue.add(Self.event("a"), now: .zero)
    _ = queue.add(Self.event("b"), now: .zero + .seconds(10))
    _ = queue.add(Self.event("c"), now: .zero + .seconds(11))
    #expect(queue.nextTimeout == Moment.zero + Queue.callTimeout)
    let actions = queue.handleTimeout(now: .zero + Queue.callTimeout)
    #expect(actions.first == .abandon(1) && actions.last == .call(3, Self.event("c")))
    #expect(actions.filter(Self.isReport).count == 1)
    #expect(queue.ended(1, failure: nil, now: .zero).isEmpty, "a late end is ignored")
    #expect(queue.nextTimeout == Moment.zero + .seconds(10) + Queue.callTimeout)
  }

  @Test func failuresAreCountedAndReportedOnceUntilACallSucceeds() {
    var queue = Queue()
    var reports: [Queue.Action] = []
    for (number, failure) in ["x", "y", nil, "z", "z"].enumerated() {
      _ = queue.add(Self.event("e"), now: .zero)
      reports += queue.ended(UInt64(number) + 1, failure: failure, now: .zero)
    }
    #expect(reports == [.report(reason: "x", count: 1), .report(reason: "z", count: 3)])
    #expect(queue.failures == 4 && queue.handedOver == 1)
  }

  // MARK: The event

  static func record(_ body: LogRecord.Body) -> LogRecord {
    LogRecord(
      moment: .zero, time: Timestamp(milliseconds: 1_772_360_102_000), timeQuality: .receiver, body: body)
  }

  /// The call of a hook without further settings; nil if it gets none.
  static func rendered(_ record: LogRecord, deviceID: String, lastLocation: LogRecord?) -> Queue.Event? {
    var gate = NotificationGate(NotificationRules(NotificationSettings(plain: .command("/hook"))))
    return Scheduling.Notification(record, deviceID: deviceID, lastLocation: lastLocation)
      .flatMap { gate.add($0, now: .zero, clock: nil) }
      .map { Queue.Event($0, deviceID: deviceID, asText: false) }
  }

  @Test func anEventIsOneJSONObject() throws {
    let record = Self.record(.event(EventRecord(.zoneDwelt, [.zone: "the \"yard\"", .duration: 3])))
    let event = try #require(Self.rendered(record, deviceID: "van", lastLocation: location(5)))
    #expect(event.kind == "zone_dwelt")
    #expect(
      String(decoding: event.body, as: UTF8.self)
        == #"{"kind":"zone_dwelt","device_id":"van","time":"2026-03-01T10:15:02Z","detail":"the \"yard\" "#
        + #"(after 3 s)","value":3,"fields":{"duration_s":3,"zone":"the \"yard\""},"latitude":52.000005,"longitude":13}"#
    )
  }

  @Test func aVisitIsNotifiedAtArrivalAndDeparture() throws {
    let coordinate = try #require(Coordinate(latitudeE7: 1, longitudeE7: 2))
    var visit = VisitRecord(coordinate: coordinate, arrival: nil, device: DeviceState(deviceID: "van"))
    #expect(
      Self.rendered(Self.record(.visit(visit)), deviceID: "", lastLocation: nil)?.kind == "visit_arrived")
    visit.departure = .boot(.zero)
    let left = Self.rendered(Self.record(.visit(visit)), deviceID: "", lastLocation: nil)
    #expect(left?.kind == "visit_left")
    #expect(left.map { String(decoding: $0.body, as: UTF8.self).contains("0.0000001") } == true)
  }

  @Test func onlyTripsVisitsZonesPowerAndPausesAreNotified() {
    let reported = EventKind.allCases.filter {
      Self.rendered(Self.record(.event(EventRecord($0))), deviceID: "", lastLocation: nil) != nil
    }
    #expect(
      reported == [
        .ignitionOn, .ignitionOff, .trackingPaused, .trackingResumed, .chargerAttached, .chargerRemoved,
        .batteryFull, .batteryLow, .supplyUnder,
        .supplyOver,
        .supplyInRange, .brownOut, .powerLevel, .powerBudget,
        .tripStarted,
        .tripEnded,
        .zoneEntered, .zoneLeft,
        .zoneDwelt, .parkingMoved, .towed,
      ])
    #expect(Self.rendered(location(1), deviceID: "", lastLocation: nil) == nil)
  }

  // MARK: The logger

  static func logger(_ bench: HTTPBench, _ notifications: String, _ lines: Lines) throws -> Logger {
    let configuration = try Configuration.read(
      board: nil, file: nil,
      overrides: [
        "storage.directory=\(bench.directory)/log", "storage.allow_volatile=true", "api.enabled=false",
        "notifications=\(notifications)",
      ], fallbacks: Fallbacks(deviceID: "van", apiSocket: "/nowhere"))
    return try Logger(
      loop: bench.loop, configuration: configuration,
      journal: Journal(threshold: .warning, hasPriorities: false) { lines.add($0) })
  }

  final class Lines: @unchecked Sendable {
    private(set) var all: [String] = []
    func add(_ line: String) { all.append(String(line.dropLast())) }
  }

  static func entered(_ name: String) -> EventRecord { EventRecord(.zoneEntered, detail: name) }

  static func script(_ bench: HTTPBench, _ text: String) throws -> String {
    let path = bench.directory + "/hook"
    try "#!/bin/sh\n\(text)\n".write(toFile: path, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    return path
  }

  @Test func aProgramGetsKindAndEventAndNoDescriptorOfTheLogger() throws {
    let bench = try HTTPBench()
    let reported = bench.directory + "/told"
    let hook = try Self.script(
      bench,
      "echo \"$1\" > '\(reported).part'; cat >> '\(reported).part'; ls /proc/$$/fd > '\(reported).fds'; mv '\(reported).part' '\(reported)'"
    )
    let logger = try Self.logger(bench, hook, Lines())
    logger.start()
    logger.tracking.process(.occurred(Self.entered("yard")), now: bench.loop.now)
    #expect(try bench.run { logger.notifications.notifier?.queue.handedOver == 1 })
    logger.stop()
    let text = try String(contentsOfFile: reported, encoding: .utf8)
    #expect(text == #"zone_entered"# + "\n" + #"{"kind":"zone_entered","device_id":"van","detail":"yard"}"#)
    // The shell keeps its script open.
    let descriptors = try String(contentsOfFile: reported + ".fds", encoding: .utf8).split(separator: "\n")
    #expect(descriptors.filter { Int($0) ?? 0 < 10 } == ["0", "1", "2"])
  }

  @Test func aFailingProgramIsReportedOnceAndCounted() throws {
    let bench = try HTTPBench()
    let lines = Lines()
    let logger = try Self.logger(bench, try Self.script(bench, "exit 3"), lines)
    logger.start()
    for number in 0..<5 { logger.tracking.process(.occurred(Self.entered("\(number)")), now: bench.loop.now) }
    #expect(try bench.run { logger.notifications.notifier?.queue.failures == 5 })
    logger.stop()
    let reported = lines.all.filter { $0.hasPrefix(Self.failure) }
    #expect(reported.count == 1, "\(lines.all)")
    let line = try #require(reported.first).replacing(bench.directory, with: "DIRECTORY")
    #expect(line == Self.texts.expected("notifications: program with status 3", line))
  }

  @Test func aMissingProgramOnlyCausesAWarning() throws {
    let bench = try HTTPBench()
    let lines = Lines()
    let logger = try Self.logger(bench, "/nowhere/hook", lines)
    logger.start()
    logger.tracking.process(.occurred(Self.entered("yard")), now: bench.loop.now)
    #expect(try bench.run { logger.notifications.notifier?.queue.failures == 1 })
    logger.stop()
    let line = try #require(lines.all.first { $0.hasPrefix(Self.failure) }, "\(lines.all)")
    #expect(line == Self.texts.expected("notifications: missing program", line))
  }

  @Test func aURLGetsTheEventByPOST() throws {
    let bench = try HTTPBench()
    let server = try ScriptedServer(bench.loop, [.answer(204), .answer(500)])
    let lines = Lines()
    let logger = try Self.logger(bench, server.url("/hook?key=sesame"), lines)
    logger.start()
    logger.tracking.process(.occurred(Self.entered("yard")), now: bench.loop.now)
    #expect(try bench.run { logger.notifications.notifier?.queue.handedOver == 1 })
    logger.tracking.process(.occurred(Self.entered("depot")), now: bench.loop.now)
    #expect(try bench.run { logger.notifications.notifier?.queue.failures == 1 })
    let status = try #require(logger.status.notifications)
    #expect(status.handed_over == 1 && status.failed == 1)
    #expect(status.trouble?.contains("status 500") == true && status.trouble?.contains("sesame") == false)
    logger.stop()
    let request = try #require(server.requests.first)
    #expect(request.line == "POST /hook?key=sesame HTTP/1.1")
    #expect(request.headers["content-type"] == "application/json")
    #expect(
      String(decoding: request.body, as: UTF8.self)
        == #"{"kind":"zone_entered","device_id":"van","detail":"yard"}"#)
    let line = try #require(lines.all.first { $0.hasPrefix(Self.failure) }, "\(lines.all)")
      .replacing(":\(server.port)", with: ":PORT")
    #expect(line == Self.texts.expected("notifications: URL with status 500", line))
    #expect(!lines.all.contains { $0.contains("sesame") })
  }
}
