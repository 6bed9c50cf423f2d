import Daemon
import Foundation
import LoggerConfiguration
import Quantities
import Records
import Settings
import Store
import TestSupport
import Testing

/// A privacy zone that is set over the last position, which brokers keep for later subscribers.
@Suite struct RetainedZoneTests {
  private static let zone = "privacy_zones=[{ name: 'z', latitude: 52, longitude: 13, radius: '100km' }]"

  private static func logger(_ bench: HTTPBench, _ ports: [UInt16], _ more: [String] = []) throws -> Logger {
    let destinations = ports.map {
      #"{ name: "p\#($0)", kind: "owntracks", url: "mqtt://127.0.0.1:\#($0)" }"#
    }
    let sources = ConfigurationSources(
      overrides: [
        "storage.directory=\(bench.directory)/log", "storage.allow_volatile=true", "api.enabled=false",
        "storage.commit_interval=0s", "send_interval=1s",
        "destinations=[\(destinations.joined(separator: ","))]",
      ] + more, fallbacks: Fallbacks(deviceID: "van", apiSocket: "/nowhere"))
    let logger = try Logger(
      loop: bench.loop, configuration: try sources.configuration(), sources: sources,
      stored: StoredSettings(),
      journal: LoggerTests.quiet)
    logger.start()
    return logger
  }

  private static func isErased(at broker: HostileBroker) -> Bool {
    broker.received.payloads.last == "" && broker.received.payloads.count > 1
  }

  @Test func everyBrokerForgetsThePositionAlsoAfterARestartAndWithoutTheZone() throws {
    let bench = try HTTPBench()
    LoggerTests.fill(bench, count: 3)
    let near = try #require(HostileBroker(at: .connect, .close(abruptly: false)))
    let far = try #require(HostileBroker(at: .connect, .close(abruptly: false)))
    for broker in [near, far] { broker.behave() }
    let ports = [near.port, far.port]
    let first = try Self.logger(bench, ports)
    #expect(try bench.run { first.status.destinations.allSatisfy { $0.acknowledged_id == 3 } })
    first.stop()
    for broker in [near, far] { #expect(broker.received.payloads.last?.contains("location") == true) }
    // The zone comes while one broker is unreachable.
    far.behave(false)
    let second = try Self.logger(bench, ports, [Self.zone])
    #expect(try bench.run { Self.isErased(at: near) })
    try bench.run(for: .milliseconds(300))
    second.stop()
    #expect(!Self.isErased(at: far))
    let atNear = near.received.payloads.count
    // The zone is gone, but the position was not to be there.
    far.behave()
    let third = try Self.logger(bench, ports)
    #expect(try bench.run { Self.isErased(at: far) })
    try bench.run(for: .milliseconds(300))
    third.stop()
    #expect(near.received.payloads.count == atNear, "once")
  }

  @Test func aPositionOutsideOfTheZoneStays() throws {
    let bench = try HTTPBench()
    LoggerTests.fill(bench, count: 3)
    let broker = try #require(HostileBroker(at: .connect, .silence))
    broker.behave()
    let first = try Self.logger(bench, [broker.port])
    #expect(try bench.run { first.status.destinations.allSatisfy { $0.acknowledged_id == 3 } })
    first.stop()
    let count = broker.received.payloads.count
    let second = try Self.logger(
      bench, [broker.port], ["privacy_zones=[{ name: 'z', latitude: 10, longitude: 10, radius: '100m' }]"])
    try bench.run(for: .seconds(2))
    second.stop()
    #expect(broker.received.payloads.count == count)
  }
}
