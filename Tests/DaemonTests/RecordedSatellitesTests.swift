import Devices
import EventLoop
import Foundation
import GNSSProtocol
import GNSSReceiver
import GNSSReport
import LocalAPI
import Quantities
import TestSupport
import Testing
@testable import Daemon

/// The satellites that the page shows while a receiver sends what a real one has sent.
@Suite(
  .enabled(
    if: SharedRecordings.arePresent,
    "recordings are absent: put them in ../shared, or name their folder in OUTRIDER_SHARED"))
struct RecordedSatellitesTests {
  private static let names = [
    "casic-l76k-dual.bin", "quectel-eg25-pqgsv.nmea", "skytraq-dgps.nmea", "st-teseo-liv3f.nmea",
    "telit-he910-nofix-to-fix.nmea", "ublox-neo-m9n.nmea", "unicore-um621.nmea",
  ]

  /// The SKY objects of `outrider decode --sky`, and the number of epochs.
  private static func decoded(_ bytes: [UInt8]) -> (sky: [String], epochs: Int) {
    var decoder = ReceiverDecoder()
    decoder.reportsSatellites = true
    var sky: [String] = []
    var epochs = 0
    func take(_ reception: Reception) {
      switch reception {
      case .satelliteReport(let report):
        var text: [UInt8] = []
        SKY.append(report, to: &text)
        sky.append(String(decoding: text, as: UTF8.self))
      case .epoch: epochs += 1
      case .answer: break
      }
    }
    bytes.withUnsafeBytes { decoder.decode($0, at: .zero, take) }
    decoder.finish(take)
    return (sky, epochs)
  }

  @Test(arguments: names)
  func skyShowsWhatDecodePrints(_ name: String) throws {
    let bytes = Array(try SharedRecordings.contents(of: "gnss/" + name))
    let (expected, epochs) = Self.decoded(bytes)
    #expect(expected.count > 5)
    let bench = try HTTPBench.simulated()
    let terminal = try PseudoTerminal()
    let logger = try StatusKeysTests.logger(
      bench,
      [
        "receiver.port=\(terminal.path)", "receiver.speed=9600", "receiver.control=none",
        "main.pause_automatically=false",
      ])
    defer { logger.stop() }
    let client = StreamPublisherTests.Client(logger, bench)
    logger.receiver.showSatellites(true, now: bench.loop.now)

    // The recording at one epoch per second, without a pause between epochs.
    let slice = max(1, bytes.count / max(1, epochs) / 50)
    var rest = bytes[...]
    var feeder: LoopTimer?
    feeder = bench.loop.addTimer("recording") { now in
      _ = terminal.writeThrough(rest.prefix(slice))
      rest = rest.dropFirst(slice)
      if !rest.isEmpty { feeder?.arm(at: now + .milliseconds(20)) }
    }
    defer { if let feeder { bench.loop.removeTimer(feeder) } }
    feeder?.arm(at: bench.loop.now + .seconds(1))
    #expect(try bench.run(for: .seconds(Int64(epochs * 2 + 10))) { rest.isEmpty })
    try bench.run(for: .seconds(5))
    let shown = client.named("sky").map { String(decoding: $0.json, as: UTF8.self) }
    // The first epochs find the speed of the port.
    #expect(shown.count >= expected.count * 8 / 10, "\(shown.count) of \(expected.count)")
    let others = Set(shown).subtracting(expected).sorted()
    let isEqual = others.isEmpty
    #expect(isEqual, "\(others.count) differ, such as \(others.first ?? "")")
  }
}
