import Foundation
import LocalAPI
import Quantities
import Records
import Settings
import TestSupport
import Testing
import TextSnapshots
@testable import Daemon

/// Wi-Fi zones in a logger without a receiver.
@Suite struct WifiZoneSendTests {
  private static let zone = "wifi_zones=[{ name: 'home', ssid: 'net', latitude: 52.6, longitude: 13.5 }]"

  @Test func sendingByHandSendsThePositionOfTheZoneImmediately() throws {
    let bench = try HTTPBench.simulated()
    let server = try ScriptedServer(bench.loop, [.answer(200, body: #"{"result":"ok"}"#)])
    let logger = try SendPositionTests.logger(bench, server, nil, [Self.zone, "main.tracking_mode=off"])
    logger.start()
    defer { logger.stop() }
    #expect(try bench.run { logger.supervision.isReady })
    let now = Timestamp(milliseconds: 1_900_000_000_000)
    logger.tracking.process(.network(JoinedNetwork(name: "net", accessPoint: nil)), now: bench.loop.now)
    logger.tracking.process(.systemTime(now, quality: .network), now: bench.loop.now)
    #expect(logger.tracking.tracker.locations.count == 0)
    let outcome = logger.send(to: nil)
    #expect(outcome == .done(#"{"destinations": 1, "position_awaited": true}"#))
    #expect(logger.tracking.tracker.locations.count == 1, "the position is available immediately")
    #expect(try bench.run(for: .seconds(30)) { logger.status.destinations.first?.delivered ?? 0 > 0 })
    let bodies = server.requests.map { String(decoding: $0.body, as: UTF8.self) }
    #expect(bodies.contains { $0.contains(#""coordinates":[13.5,52.6]"#) && $0.contains(#""wifi":"net""#) })
    #expect(bodies.contains { $0.contains(#""speed":-1"#) && $0.contains(#""horizontal_accuracy":1,"#) })
  }

  /// Requires a host without a wireless interface.
  @Test(
    .enabled(
      if: !WifiZoneSendTests.hasWireless,
      "this machine has a wireless interface; run the test on one without"))
  func zonesWithoutAWirelessInterfaceAreReportedOnce() throws {
    let bench = try HTTPBench.simulated()
    let server = try ScriptedServer(bench.loop, [])
    for (settings, count) in [([Self.zone], 1), ([], 0)] {
      let lines = DestinationNameTests.Lines()
      let journal = Journal(threshold: .warning, hasPriorities: false) { lines.add($0) }
      let logger = try SendPositionTests.logger(bench, server, nil, settings, journal: journal)
      logger.start()
      logger.stop()
      let warnings = lines.all.filter { $0.hasPrefix("warning: wifi_zones: ") }
      #expect(warnings.count == count, "\(lines.all)")
      for line in warnings {
        #expect(line == TextSnapshot("daemon").expected("zones without a wireless interface", line))
      }
    }
  }

  static var hasWireless: Bool { FileManager.default.fileExists(atPath: "/sys/class/ieee80211") }
}
