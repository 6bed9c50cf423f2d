import EventLoop
import GNSSProtocol
import Quantities
import Simulation
import TestSupport
import Testing
import Devices

/// A simulated receiver that sends five epochs per second on a line, and records them.
final class VirtualLine {
  let terminal: PseudoTerminal
  private(set) var decodedFixes: [Fix] = []
  private var receiver = VirtualReceiver(route: .berlin, seed: 5)
  private var decoder = ReceiverDecoder()
  private var time = Timestamp(milliseconds: 1_780_308_000_000)
  private var timer: LoopTimer?

  init(_ loop: EventLoop) throws {
    terminal = try PseudoTerminal()
    timer = loop.addTimer("virtual line") { [unowned self] now in
      timer?.arm(at: now + .milliseconds(200))
      speak(now: now)
    }
    timer?.arm(at: loop.now)
  }

  private func speak(now: Moment) {
    time = time + .milliseconds(200)
    let bytes = receiver.epoch(at: time)
    bytes.withUnsafeBytes { decoder.decode($0, at: now) { if let fix = $0.fix { decodedFixes.append(fix) } } }
    decoder.finish { if let fix = $0.fix { decodedFixes.append(fix) } }
    _ = terminal.write(bytes)
  }
}

@Suite(
  .serialized,
  .enabled(if: GPSDProgram.isInstalled, "gpsd is absent: sudo apt-get install gpsd"))
struct GPSDProgramTests {
  private static func isNear(_ a: Double?, _ b: Double?, _ tolerance: Double) -> Bool {
    guard let a, let b else { return a == nil && b == nil }
    return abs(a - b) <= tolerance
  }

  @Test func receiverDataArrivesThroughGpsd() throws {
    let bench = try GPSDBench()
    let line = try VirtualLine(bench.loop)
    let gpsd = try GPSDProgram(port: bench.port, device: line.terminal.path)
    bench.source.start()
    try bench.wait { bench.fixes.count >= 12 }
    let decodedFixes = Dictionary(line.decodedFixes.compactMap { fix in fix.timestamp.map { ($0, fix) } }) {
      first, _ in first
    }
    // The first ones arrive while gpsd is still identifying the receiver.
    for fix in bench.fixes.dropFirst(2) {
      let time = try #require(fix.timestamp)
      let original = try #require(decodedFixes[time])
      #expect(fix.millisecondOfDay == original.millisecondOfDay)
      #expect(fix.kind == original.kind)
      #expect(Self.isNear(fix.latitude, original.latitude, 1e-8))
      #expect(Self.isNear(fix.longitude, original.longitude, 1e-8))
      #expect(Self.isNear(fix.altitude, original.altitude, 0.0001))
      #expect(Self.isNear(fix.ellipsoidHeight, original.ellipsoidHeight, 0.0001))
      #expect(Self.isNear(fix.speed, original.speed, 0.002))
      if original.course != nil { #expect(Self.isNear(fix.course, original.course, 0.001)) }
      #expect(Self.isNear(fix.horizontalAccuracy, original.horizontalAccuracy, 0.001))
      #expect(Self.isNear(fix.verticalAccuracy, original.verticalAccuracy, 0.001))
      #expect(fix.accuracySource == original.accuracySource)
    }
    let times = bench.fixes.compactMap(\.timestamp)
    #expect(times.count == bench.fixes.count)
    #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == .milliseconds(200) })
    #expect(bench.source.device?.path == line.terminal.path)
    #expect(bench.source.device?.driver == "NMEA0183")
    #expect(bench.notices.last == .found || bench.notices.last == .recovered)
    withExtendedLifetime(gpsd) {}
  }

  @Test func theSourceSurvivesARestartOfGpsd() throws {
    let bench = try GPSDBench()
    let line = try VirtualLine(bench.loop)
    var gpsd = try GPSDProgram(port: bench.port, device: line.terminal.path)
    bench.source.start()
    try bench.wait { bench.fixes.count >= 5 }
    gpsd.kill()
    let before = bench.notices.count
    try bench.wait { bench.notices.count > before }
    #expect(bench.notices.last == .lost(.ended))
    let count = bench.fixes.count
    gpsd = try GPSDProgram(port: bench.port, device: line.terminal.path)
    try bench.wait { bench.fixes.count >= count + 5 }
    #expect(bench.notices.suffix(2) == [.lost(.ended), .recovered])
    let times = bench.fixes.compactMap(\.timestamp)
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    withExtendedLifetime(gpsd) {}
  }
}
