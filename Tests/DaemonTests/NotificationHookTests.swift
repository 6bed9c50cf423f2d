import Foundation
import HTTPClient
import Quantities
import Records
import Scheduling
import Settings
import Store
import TestSupport
import Testing
@testable import Daemon

/// Several hooks with their own choice, form and limits, and the last word of a device that goes down.
@Suite struct NotificationHookTests {
  static func run(_ logger: Logger, _ bench: HTTPBench, _ events: EventRecord...) {
    for event in events { logger.tracking.process(.occurred(event), now: bench.loop.now) }
  }

  static func text(_ request: ScriptedServer.Request?) -> String {
    String(decoding: request?.body ?? [], as: UTF8.self)
  }

  /// All notifications of a hook at `server`, with these further members.
  static func logger(_ bench: HTTPBench, _ server: ScriptedServer, _ members: String) throws -> Logger {
    try NotificationTests.logger(
      bench, "{ to: '\(server.url("/topic"))', \(members) }", NotificationTests.Lines())
  }

  // MARK: The wire

  @Test func theTextFormIsTheSentenceWithHeaders() throws {
    let bench = try HTTPBench()
    let server = try ScriptedServer(bench.loop, [.answer(200)])
    let logger = try Self.logger(
      bench, server,
      "form: 'text', kinds: ['zones', 'receiver'], headers: { Authorization: 'Bearer tk_secret' }")
    logger.start()
    Self.run(logger, bench, EventRecord(.receiverLost, [.port: "/dev/serial0", .reason: "EIO"]))
    #expect(try bench.run { logger.notifications.notifier?.queue.handedOver == 1 })
    let request = try #require(server.requests.first)
    #expect(request.line == "POST /topic HTTP/1.1")
    #expect(request.headers["content-type"] == "text/plain; charset=utf-8")
    #expect(request.headers["title"] == "van: receiver lost")
    #expect(request.headers["priority"] == "4")
    #expect(request.headers["tags"] == "warning,receiver,receiver_lost")
    #expect(request.headers["authorization"] == "Bearer tk_secret")
    #expect(Self.text(request).hasPrefix("receiver: ") && Self.text(request).contains("/dev/serial0"))
    #expect(!"\(logger.status)".contains("tk_secret"))
    logger.stop()
  }

  static let titles: [(text: String, header: String)] = [
    ("van: zone left", "van: zone left"), ("Büro", "=?UTF-8?B?QsO8cm8=?="),
    ("a\r\nX: y", "=?UTF-8?B?YQ0KWDogeQ==?="),
    ("é", "=?UTF-8?B?w6k=?="), ("日本", "=?UTF-8?B?5pel5pys?="), ("", ""),
  ]
  @Test(arguments: titles) func aTitleIsAHeaderLine(text: String, header: String) {
    #expect(HookQueue.Event.headerText(text) == header)
  }

  @Test func severalNotificationsAreOneObjectOrOneText() throws {
    let items = ["yard", "depot"].map { name in
      Scheduling.Notification(
        EventRecord(.zoneEntered, [.zone: .text(name)]), json: Array(#"{"kind":"zone_entered"}"#.utf8))
    }
    let message = NotificationMessage(items, more: 3)
    let json = HookQueue.Event(message, deviceID: "van", asText: false)
    #expect(
      String(decoding: json.body, as: UTF8.self)
        == #"{"kind":"summary","device_id":"van","detail":"5 notifications","more":3,"#
        + #""events":[{"kind":"zone_entered"},{"kind":"zone_entered"}]}"#)
    #expect(json.kind == "summary" && json.headers.isEmpty)
    let text = HookQueue.Event(message, deviceID: "van", asText: true)
    #expect(
      String(decoding: text.body, as: UTF8.self) == "zone entered: yard\nzone entered: depot\nand 3 more")
    #expect(text.headers.map(\.value) == ["van: 5 notifications", "3", "zones"])
  }

  @Test func aLongSummaryFitsTheInputOfAProgram() throws {
    let items = (0..<8).map { number in
      Scheduling.Notification(
        EventRecord(.zoneEntered, detail: "\(number)"),
        json: [UInt8](repeating: UInt8(ascii: "x"), count: 1000))
    }
    let event = HookQueue.Event(NotificationMessage(items), deviceID: "van", asText: false)
    #expect(event.body.count <= 4096)
    #expect(String(decoding: event.body, as: UTF8.self).contains(#""more":4"#))
  }

  // MARK: Several hooks

  @Test func everyHookHasItsOwnChoiceAndItsOwnQueue() throws {
    let bench = try HTTPBench()
    let hanging = try ScriptedServer(bench.loop, [.silence])
    let failing = try ScriptedServer(bench.loop, [.answer(500)])
    let healthy = try ScriptedServer(bench.loop, [.answer(200)])
    let logger = try NotificationTests.logger(
      bench,
      "[{ to: '\(hanging.url("/a"))' }, { to: '\(failing.url("/b"))' }, "
        + "{ to: '\(healthy.url("/c"))', kinds: ['zones'] }, '\(healthy.url("/plain"))']",
      NotificationTests.Lines())
    logger.start()
    for number in 0..<500 { Self.run(logger, bench, NotificationTests.entered("\(number)")) }
    let queues = { logger.notifications.notifiers.map(\.queue) }
    // What was too much is dropped, and counted.
    #expect(
      queues().allSatisfy { $0.failures == Int64(500 - HookQueue.mostCalls - HookQueue.mostWaiting) })
    let waiting = Int64(HookQueue.mostCalls + HookQueue.mostWaiting)
    #expect(try bench.run { queues()[2].handedOver == waiting && queues()[3].handedOver == waiting })
    #expect(try bench.run { queues()[1].failures == 500 })
    #expect(queues()[0].handedOver == 0 && queues()[0].isBusy)
    let report = try #require(logger.status.notifications)
    #expect(report.hooks?.count == 4 && report.handed_over == Int(2 * waiting))
    #expect(report.hooks?[1].trouble == "status 500" && report.hooks?[2].kinds == ["zones"])
    #expect(report.hooks?[2].last_answer?.text == "status 200" && report.hooks?[0].last_answer == nil)
    logger.stop()
  }

  @Test func aFailingHookIsReportedToTheOthers() throws {
    let bench = try HTTPBench()
    let failing = try ScriptedServer(bench.loop, [.answer(500)])
    let healthy = try ScriptedServer(bench.loop, [.answer(200)])
    let kinds = "kinds: ['zones', 'delivery']"
    let logger = try NotificationTests.logger(
      bench, "[{ to: '\(failing.url("/a"))', \(kinds) }, { to: '\(healthy.url("/b"))', \(kinds) }]",
      NotificationTests.Lines())
    logger.start()
    Self.run(logger, bench, NotificationTests.entered("yard"))
    #expect(try bench.run { healthy.requests.count == 2 })
    #expect(Self.text(healthy.requests.last).contains("notification_failing"))
    #expect(try bench.run { !logger.notifications.isBusy } && failing.requests.count == 1)
    logger.stop()
  }

  @Test func aChangedHookStartsAgain() throws {
    let bench = try HTTPBench()
    let server = try ScriptedServer(bench.loop, [.answer(200)])
    let logger = try Self.logger(bench, server, "kinds: ['trips']")
    logger.start()
    Self.run(logger, bench, NotificationTests.entered("yard"))
    #expect(logger.notifications.notifier?.queue.isBusy == false)
    logger.apply(
      try PowerTests.configuration([
        "storage.directory=\(bench.directory)/log",
        "notifications={ to: '\(server.url("/other"))', kinds: ['zones'] }",
      ]))
    Self.run(logger, bench, NotificationTests.entered("yard"))
    #expect(try bench.run { server.requests.first?.line == "POST /other HTTP/1.1" })
    logger.stop()
  }

  // MARK: A restart

  @Test func whatIsHeldBackSurvivesARestartAndComesOnce() throws {
    let bench = try HTTPBench.simulated()
    let server = try ScriptedServer(bench.loop, [.answer(200)])
    let hooks =
      "[{ to: '\(server.url("/a"))', kinds: ['trips'] }, "
      + "{ to: '\(server.url("/b"))', kinds: ['zones'], quiet: '00:00-23:59' }]"
    func started(at second: Int64) throws -> Logger {
      let logger = try NotificationTests.logger(bench, hooks, NotificationTests.Lines())
      logger.start()
      #expect(try bench.run { logger.log.isOpen })
      StatusKeysTests.drive(logger, second...second + 2, bench)
      return logger
    }
    let first = try started(at: 0)
    for number in 0..<10 { Self.run(first, bench, NotificationTests.entered("zone \(number)")) }
    #expect(first.notifications.notifiers.last?.gate.heldCount == 10)
    first.stop()
    let second = try started(at: 60)
    #expect(second.notifications.notifiers.last?.gate.heldCount == 10 && server.requests.isEmpty)
    try bench.loop.advance(by: .seconds(86_400))
    #expect(server.requests.map(\.line) == ["POST /b HTTP/1.1"])
    let text = Self.text(server.requests.first)
    #expect(text.contains(#""more":2"#) && text.contains("zone 9") && !text.contains("zone 1\""), "\(text)")
    #expect(!text.contains("latitude"), "\(text)")
    second.stop()
    let third = try started(at: 90_000)
    #expect(third.notifications.notifiers.last?.gate.heldCount == 0)
    third.stop()
  }

  static let savedTexts: [(text: String, hooks: [HeldNotifications.Hook])] = [
    ("", []),
    ("0=12,15+3 2=15", [.init(index: 0, ids: [12, 15], more: 3), .init(index: 2, ids: [15], more: 0)]),
    ("1=+4", [.init(index: 1, ids: [], more: 4)]), ("x=1 0 =2 -=", []),
    ("0=a,-3,0,7+b", [.init(index: 0, ids: [7], more: 0)]),
    ("0=99999999999999999999,5", [.init(index: 0, ids: [5], more: 0)]),
    ("0=1,2,3,4,5,6,7,8,9", [.init(index: 0, ids: [1, 2, 3, 4, 5, 6, 7, 8], more: 0)]),
  ]
  @Test(arguments: savedTexts) func theSavedTextIsReadAndDamageIgnored(
    text: String, hooks: [HeldNotifications.Hook]
  ) {
    #expect(HeldNotifications(text).hooks == hooks)
  }

  // MARK: The test

  @Test func aTestCallsEveryHookAndShowsItsAnswer() throws {
    let bench = try HTTPBench()
    let server = try ScriptedServer(bench.loop, [.answer(403)])
    let script = try NotificationTests.script(bench, "test \"$1\" = test && grep -q asked")
    let logger = try NotificationTests.logger(
      bench, "[{ to: '\(server.url("/a"))', kinds: ['trips'], quiet: '00:00-23:59' }, '\(script)']",
      NotificationTests.Lines())
    logger.start()
    #expect(logger.testNotifications() == .done(#"{"hooks": 2}"#))
    let hooks = { logger.status.notifications?.hooks ?? [] }
    #expect(try bench.run { hooks().allSatisfy { $0.last_test != nil } })
    #expect(hooks().map(\.last_test?.ok) == [false, true])
    #expect(hooks().map(\.last_test?.text) == ["status 403", "exited with status 0"])
    logger.stop()
  }

  @Test func withoutHooksATestIsRejected() throws {
    let bench = try HTTPBench()
    let logger = try NotificationTests.logger(bench, "off", NotificationTests.Lines())
    logger.start()
    guard case .refused(let problem) = logger.testNotifications() else {
      Issue.record("accepted")
      return
    }
    #expect(problem.status == 409)
    logger.stop()
  }

  static let remedies: [(form: String, failure: String, part: String)] = [
    ("json", "status 401", "headers"), ("json", "status 415", "form to text"),
    ("text", "status 400", "form to json"),
    ("json", "status 404", "path"), ("json", "status 429", "at_most"), ("json", "status 503", "service"),
    ("json", "timeout", "network"),
  ]
  @Test(arguments: remedies) func aFailedTestHasARemedy(form: String, failure: String, part: String) throws {
    let configuration = try PowerTests.configuration([
      "notifications={ to: 'https://h/', form: '\(form)' }"
    ])
    let hook = try #require(configuration.notifications.first)
    #expect(NotificationTest.remedy(of: hook, failure).contains(part))
  }

  // MARK: The last word

  /// The kinds of the stored events.
  static func stored(_ bench: HTTPBench) -> [EventKind] {
    let records = try? LogReader(directory: bench.directory + "/log").records(after: .zero, limit: 1000)
    return (records ?? []).compactMap {
      if case .event(let event) = $0.record.body { event.kind } else { nil }
    }
  }

  @Test func theLastWordOfABrownOutFollowsItsRecord() throws {
    let bench = try HTTPBench()
    let server = try ScriptedServer(bench.loop, [.answer(200)])
    let logger = try Self.logger(bench, server, "quiet: '00:00-23:59', at_most: '1 per 1d'")
    logger.start()
    #expect(try bench.run { logger.log.isOpen })
    var before: [EventKind] = []
    server.onRequest = { before = Self.stored(bench) }
    Self.run(logger, bench, EventRecord(.brownOut, [.cause: "now"]))
    #expect(try bench.run { logger.notifications.notifier?.queue.handedOver == 1 })
    #expect(before.contains(.brownOut), "the log is durable first")
    #expect(Self.text(server.requests.first).contains("brown_out"))
    logger.stop()
  }

  @Test func aLastWordWaitsForItsOwnRecordAndForTheNetwork() throws {
    let bench = try HTTPBench()
    let client = try HTTPClient(loop: bench.loop)
    let notifiers = ["https://h/", "/bin/true"].map { hook in
      let to = Endpoint(hook).map(NotificationHook.url) ?? .command(hook)
      return Notifier(NotificationSettings(plain: to), loop: bench.loop, client: client, version: "1")
    }
    defer { for notifier in notifiers { notifier.stop() } }
    var finals = FinalNotifications()
    for notifier in notifiers { finals.add(NotificationTests.event("brown_out"), of: notifier) }
    let unknown = finals.release(through: 6, isNetworkUp: true)
    #expect(unknown.isEmpty, "the record is not known yet")
    finals.wait(for: 7)
    let early = finals.release(through: 6, isNetworkUp: true)
    #expect(early.isEmpty, "an earlier group was committed")
    let offline = finals.release(through: 7, isNetworkUp: false)
    #expect(offline.count == 1 && offline.first?.0 === notifiers[1], "a program needs no network")
    let online = finals.release(through: 0, isNetworkUp: true)
    #expect(online.count == 1 && online.first?.0 === notifiers[0] && !finals.isWaiting)
    finals.add(NotificationTests.event("brown_out"), of: notifiers[0])
    finals.giveUpLog()
    let unwritten = finals.release(through: 0, isNetworkUp: true)
    #expect(unwritten.count == 1, "the log cannot be written")
  }

  @Test(arguments: ["stopping", "running", ""])
  func aShutdownOfTheHostIsNotifiedOnceTheLogIsClosed(state: String) throws {
    let bench = try HTTPBench()
    let server = try ScriptedServer(bench.loop, [.answer(200)])
    let logger = try Self.logger(bench, server, "form: 'text'")
    logger.notifications.systemState = "echo \(state)"
    logger.start()
    #expect(try bench.run { logger.log.isOpen })
    var before: [EventKind] = []
    server.onRequest = { before = Self.stored(bench) }
    logger.stop()
    guard state == "stopping" else {
      #expect(server.requests.isEmpty, "a restart of the logger is no news")
      return
    }
    #expect(server.requests.count == 1 && before.last == .stopped)
    #expect(server.requests.first?.headers["priority"] == "5")
    #expect(server.requests.first?.headers["title"] == "van: stopped")
  }

  @Test func aHookThatHangsDelaysTheStopByFiveSecondsAtMost() throws {
    let bench = try HTTPBench.simulated()
    let server = try ScriptedServer(bench.loop, [.silence])
    let logger = try Self.logger(bench, server, "quiet: 'off'")
    logger.notifications.systemState = "echo stopping"
    logger.start()
    #expect(try bench.run { logger.log.isOpen })
    let start = bench.loop.now
    logger.stop()
    #expect(server.requests.count == 1 && bench.loop.now - start <= .seconds(6))
    #expect(Self.stored(bench).last == .stopped)
  }

  @Test func thePlainFormHasNoLastWord() throws {
    let bench = try HTTPBench()
    let server = try ScriptedServer(bench.loop, [.answer(200)])
    let logger = try NotificationTests.logger(bench, server.url("/a"), NotificationTests.Lines())
    logger.notifications.systemState = "echo stopping"
    logger.start()
    #expect(try bench.run { logger.log.isOpen })
    logger.stop()
    #expect(server.requests.isEmpty)
  }
}
