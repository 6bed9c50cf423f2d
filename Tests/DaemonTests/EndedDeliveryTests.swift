import Quantities
import TestSupport
import Testing
@testable import Daemon

/// A destination whose settings change while its server fails.
@Suite struct EndedDeliveryTests {
  private static func overrides(_ server: ScriptedServer, _ more: String = "") -> [String] {
    [
      "send_interval=1s",
      "destinations=[{ name: 'home', kind: 'overland', url: '\(server.url())' \(more) }]",
    ]
  }

  private static func drive(_ logger: Logger, _ seconds: Range<Int64>) {
    for second in seconds {
      logger.tracking.process(
        .epoch(PowerTests.fix(second), systemClock: Timestamp(milliseconds: 0)), now: logger.context.loop.now)
    }
  }

  /// The start of the line that reports a failure.
  private static let failure = "warning: upload home: http://"
  private static let zone = "privacy_zones=[{ name: 'z', latitude: 10, longitude: 10, radius: '100m' }]"

  @Test func aFailureAndItsEndAreReportedOnceEach() throws {
    let box = try ServerSettingsTests.Bench([])
    let server = try ScriptedServer(box.bench.loop, [])
    server.answer = { _ in .answer(503) }
    box.reload(Self.overrides(server))
    Self.drive(box.logger, 0..<5)
    #expect(try box.bench.run { box.logger.delivery.pipelines["home"]?.failure != nil })
    for more in [", headers: { 'X-A': '1' }", ", headers: { 'X-A': '2' }"] {
      let count = server.requests.count
      box.reload(Self.overrides(server, more))
      #expect(box.logger.delivery.pipelines["home"]?.failure != nil, "the delivery still fails")
      #expect(try box.bench.run { server.requests.count > count }, "and is retried immediately")
    }
    box.reload(Self.overrides(server) + [Self.zone])
    #expect(box.logged(Self.failure).count == 1)
    server.answer = { _ in .answer(200, body: #"{"result":"ok"}"#) }
    _ = box.logger.send(to: nil)
    #expect(try box.bench.run { box.logger.delivery.pipelines["home"]?.failure == nil })
    #expect(box.logged("upload home: ").count { !$0.hasPrefix("warning: ") } == 1)
  }

  @Test(arguments: ["headers", "zone", "switch", "drop", "url"])
  func retryAfterSurvivesAChangedConfiguration(change: String) throws {
    let box = try ServerSettingsTests.Bench([])
    let server = try ScriptedServer(box.bench.loop, [])
    server.answer = { _ in .answer(429, headers: ["Retry-After: 3600"]) }
    box.reload(Self.overrides(server))
    Self.drive(box.logger, 0..<5)
    #expect(try box.bench.run { box.logger.delivery.pipelines["home"]?.failure != nil })
    let count = server.requests.count
    switch change {
    case "headers": box.reload(Self.overrides(server, ", headers: { 'X-A': '1' }"))
    case "zone": box.reload(Self.overrides(server) + [Self.zone])
    case "switch":
      box.reload(Self.overrides(server) + ["tracking=false"])
      box.reload(Self.overrides(server))
    case "drop": _ = box.logger.dropQueue(of: "home")
    default:
      let other = try ScriptedServer(box.bench.loop, [.answer(200, body: #"{"result":"ok"}"#)])
      box.reload(Self.overrides(other))
      Self.drive(box.logger, 5..<9)
      #expect(try box.bench.run { !other.requests.isEmpty }, "Retry-After does not apply to another server")
      #expect(box.logger.delivery.pipelines["home"]?.failure == nil)
      return
    }
    Self.drive(box.logger, 5..<9)
    try box.bench.run(for: .milliseconds(1500))
    #expect(server.requests.count == count)
    #expect(box.logger.delivery.pipelines["home"]?.failure != nil)
    #expect(box.logged(Self.failure).count == 1)
  }
}
