import Chips
import Devices
import Foundation
import Quantities
import Records
import Settings
import Simulation
import TestSupport
import Testing
@testable import Daemon

/// A short day of the whole logger: a module on a pseudo-terminal and an accelerometer on a virtual bus are stationary, sleep, and
/// are driven away.
@Suite struct LiveDayTests {
  private struct Point: Hashable {
    var time: String
    var latitude: Double
    var longitude: Double
  }

  private static func points(_ requests: [ScriptedServer.Request]) throws -> [Point] {
    try requests.flatMap { request -> [Point] in
      let body = try JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any]
      let features = body?["locations"] as? [[String: Any]] ?? []
      return features.compactMap { feature in
        let coordinates = (feature["geometry"] as? [String: Any])?["coordinates"] as? [Double] ?? []
        let properties = feature["properties"] as? [String: Any]
        guard coordinates.count == 2, let time = properties?["timestamp"] as? String,
          properties?["type"] as? String == nil
        else { return nil }
        return Point(time: time, latitude: coordinates[1], longitude: coordinates[0])
      }
    }
  }

  /// The departure of the vehicle, in s after the start.
  private static let departure = 60.0

  @Test func aStationaryReceiverSleepsAndIsAwakeAtTheDeparture() throws {
    let bench = try HTTPBench.simulated()
    let server = try ScriptedServer(bench.loop, [.answer(200, body: #"{"result":"ok"}"#)])
    let talker = try ModuleTalker(loop: bench.loop, .ublox10) { options in
      options.route.legs[0].wait = Self.departure
    }
    let address = try #require(I2CAddress(0x18))
    var track = AccelerationTrack([(0, .stationary), (Self.departure, .driving)], seed: 7)
    track.start = bench.loop.now
    let bus = LiveBus(loop: bench.loop)
    bus.bus.attach(VirtualLIS3DH(track: track), at: address)
    let configuration = try Configuration.read(
      board: nil, file: nil,
      overrides: [
        "storage.directory=\(bench.directory)/log", "storage.allow_volatile=true", "api.enabled=false",
        "storage.commit_interval=200ms", "send_interval=1s", "receiver.port=\(talker.terminal.path)",
        "accelerometer={ chip: \"lis3dh\", bus: \"/dev/i2c-1\" }", "main.tracking_mode=both",
        "main.pause_automatically=true", "main.pause_delay=2s", "main.desired_accuracy=best",
        "destinations=[{ name: \"home\", kind: \"overland\", url: \"\(server.url())\" }]",
      ], fallbacks: Fallbacks(deviceID: "van", apiSocket: "/nowhere"))
    let logger = try Logger(
      loop: bench.loop, configuration: configuration, journal: LoggerTests.quiet
    ) { _, _ throws(I2CError) in bus }
    logger.start()
    defer { logger.stop() }

    #expect(try bench.run(for: .seconds(58)) { talker.module.isAsleep })
    #expect(logger.receiver.isAsleep)
    // RXM-PMREQ: class 02, ID 41.
    let request: [UInt8] = [0xB5, 0x62, 0x02, 0x41]
    #expect(talker.received.indices.contains { talker.received[$0...].starts(with: request) })
    let whileStationary = logger.tracking.tracker.locations.count
    #expect(whileStationary > 0)
    // A request for a position wakes the sleeping receiver, only for that position.
    logger.tracking.process(.positionRequested, now: bench.loop.now)
    #expect(try bench.run(for: .seconds(25)) { logger.tracking.tracker.locations.count > whileStationary })
    let beforeDeparture = logger.tracking.tracker.locations.count
    #expect(
      try bench.run(for: .seconds(60)) {
        logger.tracking.tracker.locations.count >= beforeDeparture + 5
          && logger.tracking.tracker.motion.evidence.isMoving
      })
    #expect(!logger.receiver.isAsleep)
    let kept = Int(logger.tracking.tracker.locations.count)
    #expect(
      try bench.run(for: .seconds(10)) {
        logger.status.destinations.first.map { $0.delivered >= kept } ?? false
      })
    let points = try Self.points(server.requests)
    #expect(Set(points).count == points.count, "every location once")
    #expect(points.count >= kept)
    let start = try #require(points.first)
    let end = try #require(points.last)
    #expect(start.latitude != end.latitude || start.longitude != end.longitude)
  }
}
