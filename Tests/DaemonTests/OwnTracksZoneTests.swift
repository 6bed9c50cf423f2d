import Foundation
import Quantities
import Settings
import Simulation
import Store
import TestSupport
import Testing
@testable import Daemon

/// OwnTracks servers and the whole logger: zones on a drive, and requests for the position.
@Suite struct OwnTracksZoneTests {
  struct Message: Equatable {
    var type: String
    var event: String?
    var zone: String?
    var time: Int
    var position: Coordinate?
    var trigger: String?

    init(_ body: [UInt8]) throws {
      let object = try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
      type = object["_type"] as? String ?? ""
      event = object["event"] as? String
      zone = object["desc"] as? String
      time = object["tst"] as? Int ?? 0
      let (latitude, longitude) = (object["lat"] as? Double ?? 99, object["lon"] as? Double ?? 0)
      position = Coordinate(latitude: latitude, longitude: longitude)
      trigger = object["t"] as? String
    }
  }

  static func zone(_ name: String, at centre: Coordinate, radius: Int) -> String {
    "{ name: \"\(name)\", latitude: \(centre.latitude), longitude: \(centre.longitude), radius: \"\(radius)m\" }"
  }

  @Test func aDayHasEveryTransitionOnceInOrderAndNoneOfAPrivateZone() throws {
    let bench = try HTTPBench.simulated()
    let all = try ScriptedServer(bench.loop, [.answer(200, body: "[]")])
    let newest = try ScriptedServer(bench.loop, [.answer(200, body: "[]")])
    let broker = try #require(ScriptedBroker([.acknowledge(0)]))
    var route = CityRoute.berlin
    route.legs = Array(repeating: route.legs, count: 4).flatMap { $0 }
    let corners = CityRoute.berlin.legs.map(\.corner)
    let depot = try #require(corners.dropFirst(corners.count / 2).first)
    let home = try #require(corners.first)
    let talker = try ModuleTalker(loop: bench.loop, .ublox10) { $0.route = route }
    let destinations = [
      "{ name: \"all\", kind: \"owntracks\", url: \"\(all.url())\", logging_mode: \"all\" }",
      "{ name: \"newest\", kind: \"owntracks\", url: \"\(newest.url())\", tid: \"v7\" }",
      "{ name: \"broker\", kind: \"owntracks\", url: \"mqtt://127.0.0.1:\(broker.port)\", logging_mode: \"all\" }",
    ]
    let overrides = [
      "storage.directory=\(bench.directory)/log", "storage.allow_volatile=true", "api.enabled=false",
      "send_interval=20s", "receiver.port=\(talker.terminal.path)", "main.tracking_mode=both",
      "zones=[\(Self.zone("depot", at: depot, radius: 150)), \(Self.zone("near home", at: home, radius: 60))]",
      "privacy_zones=[\(Self.zone("home", at: home, radius: 120))]",
      "destinations=[\(destinations.joined(separator: ", "))]",
    ]
    let configuration = try Configuration.read(
      board: nil, file: nil, overrides: overrides,
      fallbacks: Fallbacks(deviceID: "fleet/van7", apiSocket: "/nowhere"))
    // The servers fail for a while, and the logger is restarted in that time.
    for part in 0..<2 {
      let logger = try Logger(loop: bench.loop, configuration: configuration, journal: LoggerTests.quiet)
      logger.start()
      all.answer = { _ in part == 0 ? .answer(503) : .answer(200, body: "[]") }
      try bench.loop.advance(by: .seconds(900))
      if part == 1 {
        logger.delivery.sendNow()
        try bench.loop.advance(by: .seconds(300))
      }
      logger.stop()
    }
    let messages = try all.requests.map { try Message($0.body) }
    // Rejected requests are repeated.
    var sent: [Message] = []
    for message in messages where !sent.contains(message) { sent.append(message) }
    let transitions = sent.filter { $0.type == "transition" }
    #expect(transitions.count >= 4, "\(transitions)")
    #expect(transitions.allSatisfy { $0.zone == "depot" && $0.trigger == "c" }, "\(transitions)")
    for (index, transition) in transitions.enumerated() {
      #expect(transition.event == (index % 2 == 0 ? "enter" : "leave"))
      let distance = try #require(transition.position).distance(to: depot)
      #expect(transition.event == "enter" ? distance < 160 : distance > 140, "\(distance) m")
    }
    #expect(zip(sent, sent.dropFirst()).allSatisfy { $0.time <= $1.time }, "in the order of the log")
    let others = try newest.requests.map { try Message($0.body) }.filter { $0.type == "transition" }
    #expect(others == transitions, "each once, although only the newest location is sent")
    let published = broker.received.publications.filter { $0.topic == "owntracks/fleet/van7/event" }
    let onBroker = try published.map { try Message(Array($0.payload.utf8)) }
    #expect(onBroker == transitions)
    let bodies = (all.requests + newest.requests).map { String(decoding: $0.body, as: UTF8.self) }
    #expect(!bodies.contains { $0.contains("home") }, "a privacy zone, and a zone inside it, are never named")
  }

  // MARK: Requests for the position

  struct RequestCase: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var setting = ", may_ask: true"
    var more: [String] = []
    var answer: String
    var isAnswered = false
    var lines = 0
  }

  static let request = #"[{"_type":"cmd","action":"reportLocation"}]"#
  static let cases = [
    RequestCase(testDescription: "permitted", answer: request, isAnswered: true, lines: 1),
    RequestCase(testDescription: "not permitted", setting: "", answer: request),
    RequestCase(testDescription: "refused", setting: ", may_ask: false", answer: request),
    RequestCase(testDescription: "tracking is off", more: ["tracking=false"], answer: request),
    RequestCase(
      testDescription: "another action", answer: #"[{"_type":"cmd","action":"setConfiguration"}]"#, lines: 1),
    RequestCase(testDescription: "no command", answer: #"[{"_type":"location","lat":1,"lon":2}]"#),
  ]

  /// The receiver sleeps and records nothing by itself; a location of before the start is sent first.
  @Test(arguments: cases)
  func aServerGetsThePositionThatItMayRequest(_ situation: RequestCase) throws {
    let bench = try HTTPBench.simulated()
    let server = try ScriptedServer(bench.loop, [.answer(200, body: "[]")])
    server.answer = { _ in .answer(200, body: situation.answer) }
    let writer = LogWriter(
      directory: bench.directory + "/log", allowVolatile: true,
      options: LogOptions(bootID: "before", clock: { .zero }))
    _ = writer.handle(.append([try OwnTracksCollectorTests.record(0)], urgent: false))
    _ = writer.handle(.close)
    let talker = try ModuleTalker(loop: bench.loop, .ublox10)
    let lines = DestinationNameTests.Lines()
    let journal = Journal(threshold: .notice, hasPriorities: false) { lines.add($0) }
    let destination =
      "{ name: \"home\", kind: \"owntracks\", url: \"\(server.url())\", logging_mode: \"all\"\(situation.setting) }"
    let configuration = try Configuration.read(
      board: nil, file: nil,
      overrides: [
        "storage.directory=\(bench.directory)/log", "storage.allow_volatile=true", "api.enabled=false",
        "storage.commit_interval=200ms", "send_interval=1h", "receiver.port=\(talker.terminal.path)",
        "main.tracking_mode=off", "destinations=[\(destination)]",
      ] + situation.more, fallbacks: Fallbacks(deviceID: "fleet/van7", apiSocket: "/nowhere"))
    let logger = try Logger(loop: bench.loop, configuration: configuration, journal: journal)
    logger.start()
    defer { logger.stop() }
    try bench.loop.advance(by: .seconds(240))
    let messages = try server.requests.map { try Message($0.body) }
    if situation.isAnswered {
      #expect(messages.map(\.trigger) == [nil, "r"], "\(messages)")
      #expect(logger.tracking.tracker.locations.count == 1, "the answer's own command is too early")
    } else {
      #expect(messages.allSatisfy { $0.trigger == nil } && messages.count <= 1)
      #expect(logger.tracking.tracker.locations.count == 0)
    }
    let about = lines.all.filter { $0.contains("command of the server") || $0.contains("server requests") }
    #expect(about.count == situation.lines + (situation.isAnswered ? 1 : 0), "\(lines.all)")
  }
}
