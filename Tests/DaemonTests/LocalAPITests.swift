import EventLoop
import Foundation
import GNSSProtocol
import GNSSReceiver
import HTTPServer
import LocalAPI
import Quantities
import Settings
import TestSupport
import Testing
import TextSnapshots
@testable import Daemon

/// The responses of the local API, and its access control.
@Suite struct LocalAPITests {
  struct Running {
    let bench: HTTPBench
    let logger: Logger
    let port: UInt16
  }

  /// A logger whose API listens on TCP, with a log of `count` locations.
  static func logger(on given: HTTPBench? = nil, locations count: Int = 0, extra: [String] = []) throws
    -> Running
  {
    let bench = try given ?? HTTPBench()
    if count > 0 { LoggerTests.fill(bench, count: count) }
    let port = try freePort()
    let sources = ConfigurationSources(
      overrides: [
        "storage.directory=\(bench.directory)/log", "storage.allow_volatile=true",
        "api.socket=\(bench.directory)/api.sock", "api.listen=127.0.0.1:\(port)", "api.token=sesame",
      ] + extra, fallbacks: Fallbacks(deviceID: "van", apiSocket: "/nowhere"))
    let logger = try Logger(
      loop: bench.loop, configuration: try sources.configuration(), sources: sources,
      journal: LoggerTests.quiet)
    logger.start()
    return Running(bench: bench, logger: logger, port: port)
  }

  private static func freePort() throws -> UInt16 {
    let loop = try EventLoop()
    let server = try HTTPServer(loop: loop, listen: .tcp(address: "127.0.0.1", port: 0)) { _ in .json("") }
    defer { server.stop() }
    return server.port ?? 0
  }

  static func ask(
    _ running: Running, _ method: String, _ target: String, token: String? = "sesame",
    body: String? = nil
  ) throws -> HTTPAnswer {
    try running.bench.ask(
      running.port, method, target, headers: token.map { ["Authorization: Bearer \($0)"] } ?? [],
      body: body.map { Array($0.utf8) })
  }

  @Test(arguments: [nil, "", "sesam", "sesame1", "SESAME"])
  func withoutTheTokenTCPRequestsAreRejected(token: String?) throws {
    let running = try Self.logger()
    defer { running.logger.stop() }
    for target in ["/status", "/settings", "/coordinates", "/nowhere"] {
      let answer = try Self.ask(running, "GET", target, token: token)
      #expect(answer.status == 401 && answer.headers["www-authenticate"] == "Bearer")
      #expect(answer.headers["content-type"] == "application/problem+json")
      #expect(!answer.text.contains("sesame"))
    }
    #expect(try Self.ask(running, "GET", "/status").status == 200)
  }

  static let texts = TextSnapshot("daemon")

  static let problems: [(method: String, target: String, body: String?, status: Int)] = [
    ("GET", "/nowhere", nil, 404), ("DELETE", "/settings", nil, 405), ("POST", "/status", "", 405),
    ("PATCH", "/settings", "[]", 400), ("PATCH", "/settings", "", 400), ("PATCH", "/settings", "\"\"", 400),
    ("PATCH", "/settings", #"{"main.min_time": "5s", "main.min_time": "7s"}"#, 400),
    ("PATCH", "/settings", #"{"main.batch_size": 1e400}"#, 422),
    ("PATCH", "/settings", #"{"main": {"min_time": 5}}"#, 422),
    ("PATCH", "/settings", #"{"min_time": "5s"}"#, 422),
    ("PATCH", "/settings", #"{"device_id": ["x"]}"#, 422),
    ("PATCH", "/settings", #"{"api.token": ["x"]}"#, 422),
    ("PATCH", "/settings", #"{"storage.directory": "/x"}"#, 422),
    ("POST", "/send?destination=x", "", 404), ("POST", "/send", #"{"name":"x"}"#, 400),
    ("POST", "/drop?destination=x&destination=y", "", 400),
    ("POST", "/drop", "", 400), ("POST", "/drop?destination=x", "", 404), ("GET", "/drop", nil, 405),
    ("POST", "/update", "", 400), ("POST", "/update", #"{"version":"0.3.0"}"#, 400),
    ("POST", "/update", #"{"version":"0.3.0","previous_version":"a\nb"}"#, 400),
    ("POST", "/trips", #"{"action":"fly"}"#, 400),
    ("POST", "/trips", #"{"action":"start","mode":"rocket"}"#, 422),
    ("POST", "/trips", #"{"action":"stop"}"#, 409), ("GET", "/coordinates?lookback_hours=0", nil, 400),
    ("GET", "/coordinates?lookback_hours=x", nil, 400), ("GET", "/events?after=-1", nil, 400),
    ("GET", "/coordinates?date=2026-02-30", nil, 400), ("GET", "/events?after=0&limit=-1", nil, 400),
    ("GET", "/status?x", nil, 400), ("PATCH", "/settings", String(repeating: " ", count: 65_537), 413),
  ]

  @Test(arguments: problems)
  func anInvalidRequestIsAnsweredWithAProblemAndItsRemedy(
    method: String, target: String, body: String?, status: Int
  ) throws {
    let running = try Self.logger(locations: 1)
    defer { running.logger.stop() }
    #expect(try running.bench.run { running.logger.supervision.isReady })
    let answer = try Self.ask(running, method, target, body: body)
    #expect(answer.status == status)
    #expect(answer.headers["content-type"] == "application/problem+json")
    let problem = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
    let title = problem?["title"] as? String
    #expect(problem?["status"] as? Int == status && title != nil && title != "Error")
    let detail = try #require(problem?["detail"] as? String, "\(answer.text)")
    let request = "\(method) \(target)" + (body?.isEmpty == false && status != 413 ? " \(body ?? "")" : "")
    #expect(detail == Self.texts.expected("problem \(status): \(request)", detail))
    #expect(answer.headers["access-control-allow-origin"] == nil)
  }

  @Test func theOutcomeOfATrialIsAnEvent() throws {
    let running = try Self.logger()
    defer { running.logger.stop() }
    #expect(try running.bench.run { running.logger.supervision.isReady })
    let bodies = [
      #"{"version":"0.3.0","previous_version":"0.2.0"}"#,
      #"{"version":"0.4.0","previous_version":"0.2.0","reason":"nothing delivered to home"}"#,
    ]
    for body in bodies {
      #expect(try Self.ask(running, "POST", "/update", body: body).text == #"{"recorded": true}"#)
    }
    let isWritten = { [logger = running.logger] in
      logger.log.recordsWaiting == 0
    }
    #expect(try running.bench.run(until: isWritten))
    let events = try Self.ask(running, "GET", "/events?after=0").text
    #expect(
      events.contains(#""updated""#) && events.contains(#""update_rolled_back""#)
        && events.contains("nothing delivered to home"), "\(events)")
  }

  @Test func theFailureOfAnEarlierWriteIsNotReportedForTheNext() throws {
    let running = try Self.logger()
    defer { running.logger.stop() }
    #expect(try running.bench.run { running.logger.supervision.isReady })
    let path = running.bench.directory + "/log/settings.json"
    try FileManager.default.createDirectory(atPath: path + "/in the way", withIntermediateDirectories: true)
    _ = running.logger.changeSettings(Array(#"{"main.min_time": "7s"}"#.utf8), queue: nil)
    #expect(try running.bench.run { running.logger.settingsController.saveFailure != nil })
    try FileManager.default.removeItem(atPath: path)
    let outcome = running.logger.changeSettings(Array(#"{"main.min_time": "8s"}"#.utf8), queue: nil)
    guard case .done(let json) = outcome else { return #expect(Bool(false), "\(outcome)") }
    let listing = SettingsListing(json: Array(json.utf8))
    #expect(listing?.isDurable == false && listing?.trouble == nil, "the write is in progress")
    #expect(try running.bench.run { running.logger.settingsController.isDurable })
    #expect(try String(contentsOfFile: path, encoding: .utf8).contains("8s"))
  }

  @Test func settingsThatCouldNotBeWrittenAreWrittenAtTheStop() throws {
    let running = try Self.logger()
    #expect(try running.bench.run { running.logger.supervision.isReady })
    let path = running.bench.directory + "/log/settings.json"
    try FileManager.default.createDirectory(atPath: path + "/in the way", withIntermediateDirectories: true)
    #expect(try Self.ask(running, "PATCH", "/settings", body: #"{"main.min_time": "7s"}"#).status == 200)
    #expect(try running.bench.run { running.logger.settingsController.saveFailure != nil })
    let listing = SettingsListing(json: try Self.ask(running, "GET", "/settings").body)
    #expect(listing?.isDurable == false)
    let trouble = try #require(listing?.trouble).replacing(
      running.bench.directory, with: "DIRECTORY")
    #expect(trouble == Self.texts.expected("settings that cannot be written", trouble))
    let status = StatusReport(json: try Self.ask(running, "GET", "/status").body)
    #expect(status?.settings_trouble == listing?.trouble)
    try FileManager.default.removeItem(atPath: path)
    running.logger.stop()
    #expect(try String(contentsOfFile: path, encoding: .utf8).contains("7s"))
  }

  @Test func settingsAreChangedAtomicallyAndStored() throws {
    let running = try Self.logger()
    defer { running.logger.stop() }
    #expect(try running.bench.run { running.logger.supervision.isReady })
    let answer = try Self.ask(
      running, "PATCH", "/settings", body: #"{"main": {"min_time": "5s", "batch_size": 50}, "device_id": ""}"#
    )
    #expect(answer.status == 200)
    let rows = try #require(SettingsListing(json: answer.body)).rows
    let row = rows.first { $0.key == "main.batch_size" }
    #expect(row?.json == "50" && row?.origin == "operator")
    #expect(
      try running.bench.run { SettingsListing(json: Array(running.logger.settings.utf8))?.isDurable == true })
    let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(running.bench.directory)/log/settings.json"))
    #expect(
      (try? StoredSettings(json: Array(bytes)))?.operator
        == ["main.min_time": "5s", "main.batch_size": "50", "device_id": ""])
    _ = try Self.ask(running, "PATCH", "/settings", body: #"{"main.batch_size": null}"#)
    #expect(
      SettingsListing(json: Array(running.logger.settings.utf8))?.rows.contains {
        $0.key == "main.batch_size" && $0.origin == "default"
      } == true)
  }

  @Test func aPrivacyZoneHidesThePositionOfTheStatusImmediately() throws {
    let running = try Self.logger(locations: 3)
    defer { running.logger.stop() }
    #expect(try running.bench.run { running.logger.supervision.isReady })
    func position() throws -> StatusReport.Position? {
      try #require(StatusReport(json: try Self.ask(running, "GET", "/status").body)).position
    }
    #expect(try position()?.latitude == 52.000002)
    let zones = #"{"privacy_zones": [{"name": "home", "latitude": 52, "longitude": 13, "radius": "100m"}]}"#
    #expect(try Self.ask(running, "PATCH", "/settings", body: zones).status == 200)
    #expect(try position()?.latitude == nil)
  }

  @Test func aDestinationIsNewUntilItHasTheOlderRecords() throws {
    let running = try Self.logger(locations: 6, extra: ["send_interval=1d"])
    defer { running.logger.stop() }
    let server = try ScriptedServer(running.bench.loop, [])
    server.answer = { _ in .answer(503) }
    #expect(try running.bench.run { running.logger.supervision.isReady })
    let destinations = #"{"destinations": [{"name": "home", "kind": "overland", "url": "\#(server.url())"}]}"#
    #expect(try Self.ask(running, "PATCH", "/settings", body: destinations).status == 200)
    #expect(try running.bench.run { !server.requests.isEmpty })
    func home() throws -> StatusReport.Destination? {
      try #require(StatusReport(json: try Self.ask(running, "GET", "/status").body)).destinations.first
    }
    #expect(try home()?.new_through_id == 6)
    server.answer = { _ in .answer(200, body: #"{"result":"ok"}"#) }
    _ = try Self.ask(running, "POST", "/send")
    #expect(try running.bench.run { running.logger.status.destinations.first?.new_through_id == nil })
    #expect(try home()?.acknowledged_id == 6)
  }

  /// The zone is set after the positions inside were written.
  @Test func coordinatesOmitPositionsInAPrivacyZoneThatIsSetLater() throws {
    let running = try Self.logger(locations: 5000)
    defer { running.logger.stop() }
    #expect(try running.bench.run { running.logger.supervision.isReady })
    func latitudes() throws -> [Double] {
      let rows = try Self.chunked(running, "/coordinates")["coordinates"] as? [[Any]]
      return rows?.compactMap { $0[1] as? Double } ?? []
    }
    let whole = try latitudes()
    let zones = #"{"privacy_zones": [{"name": "home", "latitude": 52, "longitude": 13, "radius": "200m"}]}"#
    #expect(try Self.ask(running, "PATCH", "/settings", body: zones).status == 200)
    let listed = try latitudes()
    let isOutside = { (latitude: Double) in (latitude - 52) * 111_195 > 199 }
    #expect(whole.contains { !isOutside($0) } && whole.contains(where: isOutside))
    #expect(listed.allSatisfy(isOutside) && Set(listed).isSubset(of: Set(whole)))
    // Without an accuracy a position may be 100 m away.
    let certain = whole.filter { ($0 - 52) * 111_195 > 301 }
    #expect(listed.count > certain.count * 9 / 10, "positions outside are listed")
  }

  @Test func coordinatesAndEventsAreCompleteForALargeLog() throws {
    let running = try Self.logger(locations: 5000)
    defer { running.logger.stop() }
    #expect(try running.bench.run { running.logger.supervision.isReady })
    let client = try RawHTTPClient(loop: running.bench.loop, port: running.port)
    client.send(
      "GET /coordinates HTTP/1.0\r\nHost: h\r\nAuthorization: Bearer sesame\r\n\r\n")
    var turns = 0
    running.bench.loop.everyTurn { _ in turns += 1 }
    #expect(try running.bench.run { client.isClosed })
    #expect(turns > 4, "the response is not streamed in slices: \(turns) turns")
    let text = String(decoding: client.received, as: UTF8.self)
    let body = try #require(text.components(separatedBy: "\r\n\r\n").last)
    let answer = try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any]
    #expect(answer?["count"] as? Int == (answer?["coordinates"] as? [Any])?.count)
    #expect((answer?["count"] as? Int ?? 0) > 4000, "\(body.prefix(200))")
    let events = try Self.chunked(running, "/events")
    #expect((events["events"] as? [[String: Any]])?.contains { $0["kind"] as? String == "started" } == true)
  }

  @Test func historyRequestsAreLimitedAndFurtherOnesGetRetryAfter() throws {
    let running = try Self.logger(locations: 5000)
    defer { running.logger.stop() }
    #expect(try running.bench.run { running.logger.supervision.isReady })
    let clients = try (0..<7).map { _ in try RawHTTPClient(loop: running.bench.loop, port: running.port) }
    for client in clients {
      client.send("GET /coordinates HTTP/1.0\r\nHost: h\r\nAuthorization: Bearer sesame\r\n\r\n")
    }
    #expect(try running.bench.run { clients.allSatisfy(\.isClosed) })
    let answers = clients.map { String(decoding: $0.received, as: UTF8.self) }
    let refused = answers.filter { $0.hasPrefix("HTTP/1.1 503") || $0.hasPrefix("HTTP/1.0 503") }
    #expect(refused.count == 3)
    #expect(refused.allSatisfy { $0.contains("Retry-After: ") && $0.contains("application/problem+json") })
    let listed = answers.filter { !refused.contains($0) }
    #expect(Set(listed.map { $0.components(separatedBy: "\r\n\r\n").last }).count == 1)
    #expect(listed.allSatisfy { $0.contains(#","count":"#) })
    #expect(try Self.chunked(running, "/coordinates")["count"] != nil)
  }

  @Test func guestsLeaveHistoryRequestsToOperators() throws {
    let running = try Self.logger(locations: 5000, extra: ["api.guest=positions"])
    defer { running.logger.stop() }
    #expect(try running.bench.run { running.logger.supervision.isReady })
    let tokens = ["", "", "", "Authorization: Bearer sesame\r\n", "Authorization: Bearer sesame\r\n"]
    let clients = try tokens.map { _ in try RawHTTPClient(loop: running.bench.loop, port: running.port) }
    for (client, token) in zip(clients, tokens) {
      client.send("GET /coordinates HTTP/1.0\r\nHost: 127.0.0.1:\(running.port)\r\n\(token)\r\n")
    }
    #expect(try running.bench.run { clients.allSatisfy(\.isClosed) })
    let refused = clients.map { String(decoding: $0.received.prefix(12), as: UTF8.self).hasSuffix("503") }
    #expect(refused == [false, false, true, false, false])
  }

  private static func chunked(_ running: Running, _ target: String) throws -> [String: Any] {
    let client = try RawHTTPClient(loop: running.bench.loop, port: running.port)
    client.send("GET \(target) HTTP/1.0\r\nHost: h\r\nAuthorization: Bearer sesame\r\n\r\n")
    _ = try running.bench.run { client.isClosed }
    let text = String(decoding: client.received, as: UTF8.self)
    let body = text.components(separatedBy: "\r\n\r\n").last ?? ""
    return try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any] ?? [:]
  }

  @Test func aTripSwitchesTrackingOnAndItsEndRestoresIt() throws {
    let running = try Self.logger()
    defer { running.logger.stop() }
    _ = try Self.ask(running, "PATCH", "/settings", body: #"{"tracking": false}"#)
    #expect(running.logger.status.tracking == false)
    let started = try Self.ask(running, "POST", "/trips", body: #"{"action":"start","mode":"car"}"#)
    #expect(started.status == 200)
    #expect(running.logger.status.tracking == true)
    #expect(running.logger.tracking.tracker.places.trips.running?.mode == .car)
    let again = try Self.ask(running, "POST", "/trips", body: #"{"action":"start"}"#)
    #expect(again.status == 409)
    let ended = try Self.ask(running, "POST", "/trips", body: #"{"action":"stop"}"#)
    #expect(ended.status == 200)
    #expect(running.logger.status.tracking == false)
    _ = try Self.ask(running, "PATCH", "/settings", body: #"{"tracking": true}"#)
    _ = try Self.ask(running, "POST", "/trips", body: #"{"action":"start"}"#)
    _ = try Self.ask(running, "POST", "/trips", body: #"{"action":"stop"}"#)
    #expect(
      running.logger.status.tracking == true, "a trip that did not switch tracking on does not switch it off")
  }

  @Test func trackingThatIsSwitchedOnDuringATripStaysOn() throws {
    let running = try Self.logger()
    defer { running.logger.stop() }
    _ = try Self.ask(running, "PATCH", "/settings", body: #"{"tracking": false}"#)
    _ = try Self.ask(running, "POST", "/trips", body: #"{"action":"start"}"#)
    _ = try Self.ask(running, "PATCH", "/settings", body: #"{"tracking": true}"#)
    _ = try Self.ask(running, "POST", "/trips", body: #"{"action":"stop"}"#)
    #expect(running.logger.status.tracking == true)
  }

  @Test func aChangedURLRequiresADecisionAboutTheQueue() throws {
    let running = try Self.logger()
    defer { running.logger.stop() }
    func ask(_ port: Int, _ query: String = "") throws -> HTTPAnswer {
      let url = "http://127.0.0.1:\(port)/"
      return try Self.ask(
        running, "PATCH", "/settings\(query)",
        body: #"{"destinations": [{"name": "home", "kind": "overland", "url": "\#(url)"}]}"#)
    }
    #expect(try ask(9).status == 200)
    let refused = try ask(10)
    #expect(refused.status == 409 && refused.text.contains("home") && refused.text.contains("?queue=keep"))
    #expect(running.logger.context.configuration.destinations.first?.url.text == "http://127.0.0.1:9/")
    for (port, choice) in [(10, "keep"), (11, "drop")] {
      let answer = try ask(port, "?queue=\(choice)")
      #expect(answer.status == 200)
      #expect(
        running.logger.context.configuration.destinations.first?.url.text == "http://127.0.0.1:\(port)/")
    }
    #expect(try ask(12, "?queue=lose").status == 400)
  }

  /// The end of a trip that switched tracking on must not restore its own batch size.
  @Test(arguments: [true, false])
  func theBatchSizeOfTripsAppliesFromStartToEnd(tracking: Bool) throws {
    let running = try Self.logger(extra: [
      #"destinations=[{ name: "server", kind: "overland", url: "http://127.0.0.1:9/" }]"#,
      "main.batch_size=50", "trip.batch_size=7",
    ])
    defer { running.logger.stop() }
    try #require(try running.bench.run { running.logger.log.isOpen })
    _ = try Self.ask(running, "PATCH", "/settings", body: #"{"tracking": \#(tracking)}"#)
    func batchSize() -> Int? { running.logger.delivery.pipelines["server"]?.delivery?.machine.batchSize }
    #expect(batchSize() == (tracking ? 50 : nil))
    _ = try Self.ask(running, "POST", "/trips", body: #"{"action":"start"}"#)
    #expect(batchSize() == 7)
    _ = try Self.ask(running, "POST", "/trips", body: #"{"action":"stop"}"#)
    #expect(batchSize() == (tracking ? 50 : nil))
    _ = try Self.ask(running, "PATCH", "/settings", body: #"{"tracking": true}"#)
    #expect(batchSize() == 50)
  }
}
