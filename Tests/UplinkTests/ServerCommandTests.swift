import MQTTClient
import Quantities
import Records
import TestSupport
import Testing
import Uplink

/// The commands of OwnTracks servers.
@Suite struct ServerCommandTests {
  static let request = #"{"_type":"cmd","action":"reportLocation"}"#

  static let texts: [(String, [ServerCommand])] = [
    (request, [.reportLocation]), ("[\(request)]", [.reportLocation]),
    (#"[{"_type":"location","lat":1},\#(request),{"_type":"card"}]"#, [.reportLocation]),
    (#"{"_type":"cmd","action":"setWaypoints","waypoints":{"_type":"waypoints"}}"#, [.other("setWaypoints")]),
    (#"{"_type":"cmd","action":"report\u0000Location"}"#, [.other("reportLocation")]),
    (#"{"_type":"cmd","action":"REPORTLOCATION"}"#, [.other("REPORTLOCATION")]),
    (#"{"_type":"cmd"}"#, [.unreadable("no action")]),
    (#"{"_type":"cmd","action":7}"#, [.unreadable("no action")]),
    ("", []), ("[]", []), ("reportLocation", []), (#"{"_type":"location","lat":1}"#, []),
    (#"{"_type":["cmd"],"action":"reportLocation"}"#, []), (#"["cmd","reportLocation"]"#, []),
    (#"{"set":{"cmd":{"_type":"cmd","action":"reportLocation"}}}"#, []),
  ]

  @Test(arguments: texts)
  func aTextIsReadAsItsCommands(text: String, expected: [ServerCommand]) {
    #expect(ServerCommand.read(Array(text.utf8)) == expected)
  }

  private static func isUnreadable(_ text: String) -> Bool {
    let commands = ServerCommand.read(Array(text.utf8))
    guard let first = commands.first, case .unreadable = first else { return false }
    return commands.count == 1
  }

  @Test func hostileTextsAreBounded() {
    let deep = String(repeating: "[", count: 20_000) + #""cmd""# + String(repeating: "]", count: 20_000)
    #expect(Self.isUnreadable(deep))
    let large = #"{"_type":"cmd","action":""# + String(repeating: "a", count: 100_000) + #""}"#
    #expect(Self.isUnreadable(large))
    let long = #"{"_type":"cmd","action":""# + String(repeating: "a", count: 1000) + #""}"#
    #expect(ServerCommand.read(Array(long.utf8)) == [.other(String(repeating: "a", count: 120))])
    let many = "[" + Array(repeating: Self.request, count: 500).joined(separator: ",") + "]"
    #expect(ServerCommand.read(Array(many.utf8)).count == 10)
    for text in [
      "{\"_type\":\"cmd\",", "\"cmd\"", "{\"_type\":\"cmd\",\"action\":\"\u{FFFF}", "[\"cmd\",1e999]",
    ] {
      let commands = ServerCommand.read(Array(text.utf8))
      #expect(!commands.contains(.reportLocation), "\(text)")
    }
    #expect(ServerCommand.read([0xFF, 0xFE] + Array(#""cmd""#.utf8)).contains(.reportLocation) == false)
  }

  // MARK: Limits

  static let time = Timestamp(milliseconds: 1_772_360_102_000)

  /// The seconds of the commands, and of those that are accepted.
  static let series: [([Int64], [Int64])] = [
    ([0], [0]), ([0, 1, 59, 60, 61], [0, 60]), ([0, 60, 120], [0, 60, 120]),
    (Array(stride(from: 0, to: 3600, by: 60)), Array(stride(from: 0, to: 720, by: 60))),
    (Array(stride(from: 0, to: 7200, by: 300)), Array(stride(from: 0, to: 7200, by: 300))),
    (Array(stride(from: 0, through: 3660, by: 60)), Array(stride(from: 0, to: 720, by: 60)) + [3600, 3660]),
  ]

  @Test(arguments: series)
  func atMostOneRequestAMinuteAndTwelveAnHourAreAccepted(seconds: [Int64], accepted: [Int64]) {
    var requests = PositionRequests()
    let taken = seconds.filter { second in
      let outcome = requests.handle(
        .reportLocation, newest: .zero, now: .zero + .seconds(second))
      return outcome == .accepted
    }
    #expect(taken == accepted)
  }

  @Test func everyKindOfIgnoredCommandIsReportedOnce() {
    var requests = PositionRequests()
    func outcome(_ command: ServerCommand, _ second: Int64) -> PositionRequests.Outcome {
      requests.handle(command, newest: .zero, now: .zero + .seconds(second))
    }
    #expect(outcome(.other("dump"), 0) == .ignored(reason: "action dump is not supported"))
    #expect(outcome(.other("reportSteps"), 1) == .ignored(reason: nil))
    guard case .ignored(.some) = outcome(.unreadable("no action"), 2) else {
      Issue.record("not reported")
      return
    }
    #expect(outcome(.unreadable("no action"), 3) == .ignored(reason: nil))
    #expect(outcome(.reportLocation, 4) == .accepted)
    guard case .ignored(.some) = outcome(.reportLocation, 5) else {
      Issue.record("not reported")
      return
    }
    #expect(outcome(.reportLocation, 6) == .ignored(reason: nil))
    #expect(outcome(.reportLocation, 64) == .accepted)
  }

  @Test func onlyTheFirstLocationAfterARequestAnswersIt() throws {
    func location(_ id: Int64, _ second: Int64, moment: Int64? = nil) throws -> StoredRecord {
      let coordinate = try #require(Coordinate(latitudeE7: 525_000_000, longitudeE7: 133_000_000))
      return StoredRecord(
        id: RecordID(id), boot: 1,
        record: LogRecord(
          moment: .zero + .seconds(moment ?? second), time: Self.time + .seconds(second),
          timeQuality: .receiver,
          body: .location(LocationRecord(coordinate: coordinate, deviceID: "van"))))
    }
    var requests = PositionRequests()
    let before = try location(1, 99)
    let isAnswered = requests.isAnswer(before)
    #expect(!isAnswered)
    _ = requests.handle(.reportLocation, newest: RecordID(2), now: .zero + .seconds(100))
    let earlierBoot = try location(2, -5000, moment: 9000)
    let (answer, later) = (try location(3, 103), try location(4, 104))
    let answers = [before, earlierBoot, answer, later, answer].map { requests.isAnswer($0) }
    #expect(answers == [false, false, true, false, true])
  }

  // MARK: MQTT

  final class Commands {
    var texts: [String] = []
    var rejections: [String] = []

    var channel: CommandChannel {
      CommandChannel(
        handle: { [unowned self] in texts.append(String(decoding: $0, as: UTF8.self)) },
        rejected: { [unowned self] in rejections.append($0) })
    }
  }

  /// A transport of its own for each connection, as after a restart.
  static func delivery(_ bench: MQTTTests.Bench, _ commands: Commands) -> Delivery {
    var settings = DeliveryMachine.Settings()
    (settings.pacing, settings.batchSize) = (.whenDue, 10)
    return Delivery(
      name: "broker",
      transport: MQTTTransport(
        bench.broker, deviceID: "fleet/van7", trackerID: nil, isNewestOnly: false, acceptsUnrouted: true,
        inFlight: 20, loop: bench.http.loop, commands: commands.channel),
      settings: settings, loop: bench.http.loop, log: bench.log, seed: 1)
  }

  static let topic = "owntracks/fleet/van7/cmd"

  @Test(.enabled(if: MosquittoProgram.isInstalled, "mosquitto is absent: sudo apt-get install mosquitto"))
  func aCommandOfTheTimeWithoutAConnectionArrivesWithTheNextOne() throws {
    let bench = try MQTTTests.Bench(records: 2, isEncrypted: false)
    let sender = try #require(MQTTListener(port: bench.program.port))
    let commands = Commands()
    // The first connection begins the session. A retained message of before is not a command.
    sender.publish(Self.request, to: Self.topic, isRetained: true)
    #expect(try bench.received(1, by: sender))
    let first = Self.delivery(bench, commands)
    first.start()
    #expect(try bench.http.run { bench.log.acknowledged == RecordID(2) })
    first.end()
    try bench.http.run(for: .milliseconds(200))
    #expect(commands.texts.isEmpty, "retained")
    sender.publish("first", to: Self.topic)
    sender.publish(Self.request, to: Self.topic)
    sender.publish("other", to: "owntracks/fleet/van8/cmd")
    #expect(try bench.received(6, by: sender), "\(sender.messages)")
    bench.log.acknowledged = .zero
    let second = Self.delivery(bench, commands)
    second.start()
    #expect(try bench.http.run { bench.log.acknowledged == RecordID(2) && commands.texts.count == 2 })
    #expect(commands.texts == ["first", Self.request] && commands.rejections.isEmpty)
    second.end()
  }

  @Test(.enabled(if: MosquittoProgram.isInstalled, "mosquitto is absent: sudo apt-get install mosquitto"))
  func withoutPermissionThereIsNoSubscription() throws {
    let bench = try MQTTTests.Bench(records: 2, isEncrypted: false)
    let delivery = bench.delivery(batchSize: 10)
    delivery.start()
    #expect(try bench.http.run { bench.log.acknowledged == RecordID(2) })
    let broker = try #require(ScriptedBroker([.acknowledge(0)]))
    bench.log.acknowledged = .zero
    let other = bench.delivery(batchSize: 10) { $0.port = broker.port }
    other.start()
    #expect(try bench.http.run { bench.log.acknowledged == RecordID(2) })
    #expect(broker.received.publications.allSatisfy { !$0.topic.hasSuffix("/cmd") })
  }

  // MARK: HTTP

  @Test func theResponseOfAnHTTPServerMayHaveACommand() throws {
    let bench = try DeliveryTests.Bench(
      [.answer(200, body: "[\(Self.request)]"), .answer(503, body: "[\(Self.request)]"), .answer(200)],
      records: 3)
    let commands = Commands()
    var endpoint = HTTPEndpoint(url: bench.server.url("/pub"))
    endpoint.form = .ownTracks(trackerID: nil, deviceID: "van")
    var settings = DeliveryMachine.Settings()
    (settings.batchSize, settings.largestRequest, settings.pacing) = (1, 1, .whenDue)
    let delivery = Delivery(
      name: "home",
      transport: HTTPTransport(
        endpoint, loop: bench.loop, client: bench.client, version: "1", commands: commands.channel),
      settings: settings, loop: bench.loop, log: bench.log, seed: 1)
    bench.log.retriesAtOnce = true
    delivery.start()
    #expect(try bench.loop.runUntilStopped())
    let texts = commands.texts.filter { !$0.isEmpty }
    #expect(texts == ["[\(Self.request)]"], "only of a successful response")
  }
}
