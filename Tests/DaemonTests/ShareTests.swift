import Devices
import EventLoop
import Foundation
import GNSSProtocol
import GNSSReport
import LocalAPI
import Quantities
import Settings
import Simulation
import TestSupport
import Testing
@testable import Daemon

/// gpsd's protocol, served by a running logger.
@Suite struct ShareTests {
  private static let address = "share.gpsd=127.0.0.1:0"
  private static let watch = #"?WATCH={"enable":true,"json":true};"#
  private static let zone = #"privacy_zones=[{name: "home", latitude: 52.5, longitude: 13.4, radius: "5km"}]"#

  private static func running(_ extra: [String] = [address], on given: HTTPBench? = nil) throws
    -> (HTTPBench, Logger)
  {
    let bench = try given ?? HTTPBench()
    let logger = try StatusKeysTests.logger(bench, extra)
    #expect(try bench.run { logger.supervision.isReady })
    return (bench, logger)
  }

  /// The port that is served.
  private static func port(_ logger: Logger) throws -> UInt16 {
    let address = try #require(logger.serving.share.report?.gpsd.address)
    return try #require(address.split(separator: ":").last.flatMap { UInt16($0) })
  }

  private static func connect(_ logger: Logger, _ bench: HTTPBench, _ requests: String = "") throws
    -> RawHTTPClient
  {
    let client = try RawHTTPClient(loop: bench.loop, port: port(logger))
    #expect(try bench.run { text(client).contains("VERSION") })
    guard !requests.isEmpty else { return client }
    client.send(requests)
    #expect(try bench.run { text(client).contains("WATCH") })
    return client
  }

  private static func text(_ client: RawHTTPClient) -> String {
    String(decoding: client.received, as: UTF8.self)
  }

  private static func objects(_ client: RawHTTPClient, _ name: String) -> [[String: Any]] {
    text(client).components(separatedBy: "\r\n").compactMap { line in
      let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return object?["class"] as? String == name ? object : nil
    }
  }

  /// Lets the logger process an epoch as if the receiver had sent it.
  private static func epoch(_ logger: Logger, _ bench: HTTPBench, _ second: Int64, latitude: Double? = nil) {
    var fix = StatusKeysTests.fix(second)
    if let latitude { fix.latitude = latitude }
    logger.tracking.process(.epoch(fix, systemClock: Timestamp(milliseconds: 0)), now: bench.loop.now)
    logger.receiver.outputs.epochTaken(fix)
    bench.loop.callNextTurn {}
  }

  @Test func aWatchingClientGetsTheEpochsAndSatellites() throws {
    let (bench, logger) = try Self.running()
    defer { logger.stop() }
    #expect(!logger.serving.share.wantsReports)
    let client = try Self.connect(logger, bench, Self.watch)
    #expect(logger.serving.share.wantsReports && !logger.serving.share.wantsSentences)
    Self.epoch(logger, bench, 1)
    Self.epoch(logger, bench, 2)
    logger.receiver.outputs.satellites(Array(#"{"class":"SKY","nSat":0,"uSat":0,"satellites":[]}"#.utf8))
    #expect(try bench.run { !Self.objects(client, "SKY").isEmpty })
    let epochs = Self.objects(client, "TPV")
    #expect(epochs.count == 2 && epochs.allSatisfy { $0["mode"] as? Int == 3 })
    #expect(epochs[1]["time"] as? String == "2026-03-21T10:00:02.000Z")
    client.send("?POLL;")
    #expect(try bench.run { !Self.objects(client, "POLL").isEmpty })
    let poll = try #require(Self.objects(client, "POLL").first)
    #expect((poll["tpv"] as? [Any])?.count == 1 && (poll["sky"] as? [Any])?.count == 1)
    #expect(logger.status.share?.gpsd.clients == 1 && logger.status.share?.gpsd.watching == 1)
    client.send(#"?WATCH={"enable":false};"#)
    #expect(try bench.run { !logger.serving.share.wantsReports })
    client.close()
    #expect(try bench.run { logger.status.share?.gpsd.clients == 0 })
  }

  /// gpsd-py3 polls at once after it connected, and reads the last TPV and SKY of the answer.
  @Test func aClientThatOnlyPollsGetsTheLastEpochAndTheSatellites() throws {
    let (bench, logger) = try Self.running()
    defer { logger.stop() }
    Self.epoch(logger, bench, 1)
    #expect(!logger.serving.share.wantsSatellites)
    let client = try Self.connect(logger, bench, #"?WATCH={"enable":true}"# + "\n")
    func poll(_ count: Int) throws -> (tpv: [String: Any], sky: [String: Any]) {
      client.send("?POLL;\n")
      #expect(try bench.run { Self.objects(client, "POLL").count == count })
      let poll = try #require(Self.objects(client, "POLL").last)
      return (
        try #require((poll["tpv"] as? [[String: Any]])?.last),
        try #require((poll["sky"] as? [[String: Any]])?.last)
      )
    }
    let first = try poll(1)
    #expect(first.tpv["time"] as? String == "2026-03-21T10:00:01.000Z" && first.tpv["lat"] is Double)
    #expect(first.sky["satellites"] == nil)
    #expect(logger.serving.share.wantsSatellites && !logger.serving.share.wantsReports)
    logger.receiver.outputs.satellites(Array(#"{"class":"SKY","nSat":0,"uSat":0,"satellites":[]}"#.utf8))
    #expect(try poll(2).sky["satellites"] as? [Any] != nil)
    #expect(Self.objects(client, "TPV").isEmpty && Self.objects(client, "SKY").isEmpty)
    #expect(logger.status.share?.gpsd.watching == 1)
    client.close()
    #expect(try bench.run { !logger.serving.share.wantsSatellites })
  }

  /// The loop of an idle logger wakes up as often as without clients: no timer is armed for them.
  @Test func aWatchingClientCausesNoWakeUp() throws {
    func turns(_ hasClient: Bool) throws -> UInt64 {
      let (bench, logger) = try Self.running(on: HTTPBench.simulated())
      defer { logger.stop() }
      let client = hasClient ? try Self.connect(logger, bench, Self.watch) : nil
      try bench.run(for: .seconds(60))
      let before = bench.loop.turn
      try bench.run(for: .seconds(3600))
      #expect(client?.isClosed != true)
      return bench.loop.turn - before
    }
    let (without, with) = (try turns(false), try turns(true))
    // The replies of the store's thread vary a little.
    #expect(with < without + 20, "\(with) turns with a client, \(without) without")
  }

  @Test func inAPrivacyZoneThereIsNeitherPositionNorSkyNorSentence() throws {
    let (bench, logger) = try Self.running([Self.address, Self.zone])
    defer { logger.stop() }
    let client = try Self.connect(logger, bench, #"?WATCH={"json":true,"nmea":true};"#)
    #expect(logger.serving.share.wantsSentences)
    Self.epoch(logger, bench, 1)
    logger.receiver.outputs.satellites(Array(#"{"class":"SKY"}"#.utf8))
    logger.receiver.outputs.rawLine(.sentence(Array("GNGLL,5230.0000,N".utf8)))
    client.send("?POLL;")
    #expect(try bench.run { !Self.objects(client, "POLL").isEmpty && !Self.objects(client, "TPV").isEmpty })
    let report = try #require(Self.objects(client, "TPV").first)
    #expect(Set(report.keys) == ["class", "mode", "time"])
    let text = Self.text(client)
    #expect(!text.contains("lat") && !text.contains("satellites") && !text.contains("GLL"), "\(text)")
    #expect(Self.objects(client, "SKY").isEmpty, "\(text)")
    // Outside of the zone all of them return.
    for second in 2...4 as ClosedRange<Int64> { Self.epoch(logger, bench, second, latitude: 53) }
    #expect(try bench.run { Self.text(client).contains(#""lat":53"#) })
    logger.receiver.outputs.rawLine(.sentence(Array("GNGLL,5300.0000,N".utf8)))
    bench.loop.callNextTurn {}
    #expect(try bench.run { Self.text(client).contains("$GNGLL,5300.0000,N*") })
  }

  /// A fix that a filter rejects does not change the place of the device for the tracker.
  @Test func aRejectedFixInAZoneIsNotShown() throws {
    let (bench, logger) = try Self.running([Self.address, Self.zone, "main.max_accuracy=10m"])
    defer { logger.stop() }
    let client = try Self.connect(logger, bench, Self.watch)
    var fix = StatusKeysTests.fix(1)
    fix.horizontalAccuracy = 500
    logger.tracking.process(.epoch(fix, systemClock: Timestamp(milliseconds: 0)), now: bench.loop.now)
    #expect(logger.tracking.tracker.privacy.isHidden == false)
    logger.receiver.outputs.epochTaken(fix)
    bench.loop.callNextTurn {}
    #expect(try bench.run { !Self.objects(client, "TPV").isEmpty })
    #expect(!Self.text(client).contains("lat"), "\(Self.text(client))")
  }

  /// The zone is in effect from the moment it is set, also for the last reports.
  @Test func aZoneThatIsSetAroundTheDeviceHidesWhatWasShown() throws {
    let running = try LocalAPITests.logger(extra: [Self.address])
    let (bench, logger) = (running.bench, running.logger)
    defer { logger.stop() }
    #expect(try bench.run { logger.supervision.isReady })
    let client = try Self.connect(logger, bench, #"?WATCH={"enable":true};"#)
    Self.epoch(logger, bench, 1)
    client.send("?POLL;")
    #expect(try bench.run { Self.text(client).contains(#""lat":52.5"#) })
    let zone = #"{"privacy_zones": [{"name": "home", "latitude": 52.5, "longitude": 13.4, "radius": "5km"}]}"#
    #expect(try LocalAPITests.ask(running, "PATCH", "/settings", body: zone).status == 200)
    let before = client.received.count
    client.send("?POLL;")
    #expect(try bench.run { client.received.count > before })
    let poll = String(decoding: client.received[before...], as: UTF8.self)
    #expect(poll.contains(#""mode":1"#) && !poll.contains("lat"), "\(poll)")
  }

  // MARK: Limits

  @Test func aNinthClientTakesThePlaceOfOneThatOnlyConnected() throws {
    let (bench, logger) = try Self.running()
    defer { logger.stop() }
    var clients = try (0..<8).map { try Self.connect(logger, bench, $0 == 3 ? "" : Self.watch) }
    #expect(logger.status.share?.gpsd.clients == 8 && logger.status.share?.gpsd.watching == 7)
    clients.append(try Self.connect(logger, bench, Self.watch))
    #expect(try bench.run { clients[3].isClosed })
    #expect(clients.filter(\.isClosed).count == 1 && logger.status.share?.gpsd.watching == 8)
    // All of them watch.
    let tenth = try RawHTTPClient(loop: bench.loop, port: Self.port(logger))
    #expect(try bench.run { tenth.isClosed })
    #expect(clients.filter(\.isClosed).count == 1)
  }

  @Test func aClientThatDoesNotReadIsDisconnectedAndHindersNoOther() throws {
    let (bench, logger) = try Self.running()
    defer { logger.stop() }
    let (slow, quick) = (
      try Self.connect(logger, bench, Self.watch), try Self.connect(logger, bench, Self.watch)
    )
    slow.stopReading()
    let sky = Array((#"{"class":"SKY","x":""# + String(repeating: "1", count: 8000) + "\"}\n").utf8)
    var sent = 0
    while logger.serving.share.report?.gpsd.clients == 2, sent < 600 {
      let before = quick.received.count
      logger.receiver.outputs.satellites(sky)
      bench.loop.callNextTurn {}
      #expect(try bench.run { quick.received.count > before + 8000 })
      sent += 1
    }
    #expect(sent < 600 && !quick.isClosed)
  }

  @Test func aRequestWithoutEndIsCut() throws {
    let (bench, logger) = try Self.running()
    defer { logger.stop() }
    let client = try Self.connect(logger, bench)
    client.send([UInt8](repeating: UInt8(ascii: "{"), count: 5000))
    #expect(try bench.run { client.isClosed })
    let half = try Self.connect(logger, bench)
    half.send("?WATCH={\"enable")
    half.close(reset: true)
    #expect(try bench.run { logger.status.share?.gpsd.clients == 0 })
  }

  // MARK: The setting

  @Test func theSettingAppliesAtOnceInBothDirections() throws {
    let running = try LocalAPITests.logger()
    let (bench, logger) = (running.bench, running.logger)
    defer { logger.stop() }
    #expect(try bench.run { logger.supervision.isReady })
    #expect(logger.status.share == nil)
    #expect(
      try LocalAPITests.ask(running, "PATCH", "/settings", body: #"{"share.gpsd": "127.0.0.1:0"}"#).status
        == 200)
    let client = try Self.connect(logger, bench, Self.watch)
    #expect(
      try LocalAPITests.ask(running, "PATCH", "/settings", body: #"{"share.gpsd": "off"}"#).status == 200)
    #expect(try bench.run { client.isClosed })
    #expect(logger.status.share == nil && !logger.serving.share.wantsReports)
  }

  @Test func aPortInUseIsReportedAndTriedAgainWhenSettingsChange() throws {
    let other = try Self.running()
    let taken = try Self.port(other.1)
    let running = try LocalAPITests.logger(extra: ["share.gpsd=127.0.0.1:\(taken)"])
    let (bench, logger) = (running.bench, running.logger)
    defer { logger.stop() }
    #expect(try bench.run { logger.supervision.isReady })
    let trouble = try #require(logger.status.share?.gpsd.trouble)
    #expect(trouble.contains("in use by another process"))
    let access = try LocalAPITests.ask(running, "GET", "/access").text
    #expect(access.contains(#""failed":[{"address":"127.0.0.1:\#(taken)","reason":""#), "\(access)")
    // A change of anything else is an occasion, too.
    func change() throws {
      let answer = try LocalAPITests.ask(
        running, "PATCH", "/settings", body: #"{"main.min_time": "\#(Int.random(in: 2...900))s"}"#)
      #expect(answer.status == 200)
    }
    try change()
    #expect(logger.status.share?.gpsd.trouble == trouble)
    other.1.stop()
    try change()
    #expect(logger.status.share?.gpsd.trouble == nil)
    #expect(try LocalAPITests.ask(running, "GET", "/access").text.contains(#""failed":[]"#))
    _ = try Self.connect(logger, bench)
  }

  @Test(arguments: [
    ("127.0.0.1:2947", false), ("localhost:2947", false), ("[::1]:2947", false), ("0.0.0.0:2947", true),
    ("192.168.4.1:2947", true), ("[::]:2947", true), ("off", false),
  ])
  func anAddressThatOthersReachIsWarnedAbout(address: String, isOpen: Bool) throws {
    let configuration = try Configuration.read(
      board: nil, file: nil, overrides: ["share.gpsd=\(address)"],
      fallbacks: Fallbacks(deviceID: "van", apiSocket: "/nowhere"))
    #expect(configuration.warnings.contains { $0.hasPrefix("share.gpsd: ") } == isOpen)
  }

  // MARK: A receiver

  /// A logger with a receiver, and the port at which it shares it.
  private static func sharing(_ model: ModuleModel, _ extra: [String] = []) throws
    -> (HTTPBench, ModuleTalker, Logger)
  {
    let bench = try HTTPBench()
    let talker = try ModuleTalker(loop: bench.loop, model) { $0.savedSpeed = 115_200 }
    let (_, logger) = try running(
      [address, "receiver.port=\(talker.terminal.path)", "receiver.speed=115200"] + extra, on: bench)
    return (bench, talker, logger)
  }

  @Test func aClientOfAnNMEAReceiverGetsItsSentences() throws {
    let (bench, talker, logger) = try Self.sharing(.airoha)
    defer { logger.stop() }
    let client = try Self.connect(logger, bench, #"?WATCH={"nmea":true};"#)
    #expect(try bench.run { Self.text(client).components(separatedBy: "GGA,").count > 2 })
    for line in Self.text(client).components(separatedBy: "\r\n") where line.hasPrefix("$") {
      let parts = line.dropFirst().split(separator: "*")
      #expect(
        parts.count == 2 && UInt8(parts[1], radix: 16) == parts[0].utf8.reduce(0) { $0 ^ $1 }, "\(line)")
    }
    #expect(Self.objects(client, "TPV").isEmpty)
    withExtendedLifetime(talker) {}
  }

  @Test func satellitesAreRequestedWhileAClientWatchesOnly() throws {
    let (bench, talker, logger) = try Self.sharing(.ublox10)
    defer { logger.stop() }
    #expect(try bench.run { logger.receiver.hasHadFix && logger.receiver.line?.state == .running })
    #expect(logger.receiver.line?.reportsSignalStrength == false)
    let client = try Self.connect(logger, bench, Self.watch)
    #expect(logger.receiver.line?.reportsSignalStrength == true)
    #expect(try bench.run { !Self.objects(client, "SKY").isEmpty && !Self.objects(client, "TPV").isEmpty })
    let device = try #require(
      (Self.objects(client, "DEVICES").first?["devices"] as? [[String: Any]])?.first)
    #expect(device["path"] as? String == talker.terminal.path && device["driver"] as? String == "u-blox")
    #expect(device["bps"] as? Int == 115_200 && device["activated"] is String)
    client.close()
    #expect(try bench.run { logger.receiver.line?.reportsSignalStrength == false })
    // A client that polls gets them, too.
    let poller = try Self.connect(logger, bench, #"?WATCH={"enable":true}"# + "\n")
    #expect(logger.receiver.line?.reportsSignalStrength == true)
    var polls = 0
    #expect(
      try bench.run {
        let answers = Self.objects(poller, "POLL")
        if answers.count == polls {
          polls += 1
          poller.send("?POLL;\n")
        }
        return (answers.last?["sky"] as? [[String: Any]])?.last?["satellites"] as? [Any] != nil
      })
  }

  /// The logger's own source of gpsd reads a receiver that another logger shares.
  @Test(arguments: [ModuleModel.ublox10, .airoha])
  func anotherLoggerReadsTheSharedReceiver(model: ModuleModel) throws {
    let (bench, talker, logger) = try Self.sharing(model)
    defer { logger.stop() }
    #expect(try bench.run { logger.receiver.hasHadFix })
    var own: [Timestamp: Fix] = [:]
    let taken = logger.receiver.outputs.epochTaken
    logger.receiver.outputs.epochTaken = { fix in
      if let time = fix.timestamp { own[time] = fix }
      taken(fix)
    }
    let source = GPSDSource(loop: bench.loop, host: "127.0.0.1", port: try Self.port(logger))
    defer { source.stop() }
    var read: [Fix] = []
    source.onEpoch = { fix, _ in read.append(fix) }
    source.start()
    #expect(try bench.run { read.count > 3 })
    #expect(source.release == "3.25" && source.device?.path == talker.terminal.path)
    for fix in read.prefix(3) {
      let original = try #require(fix.timestamp.flatMap { own[$0] })
      #expect(fix.kind == original.kind)
      #expect(abs((fix.latitude ?? 0) - (original.latitude ?? 1)) < 1e-8)
      #expect(abs((fix.horizontalAccuracy ?? 0) - (original.horizontalAccuracy ?? 1000)) < 0.01, "\(fix)")
    }
  }
}
