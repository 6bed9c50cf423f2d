import EventLoop
import Foundation
import Quantities
import System
import TestSupport
import Testing
import Devices

/// Samples as a real chronyd understands them.
@Suite(
  .enabled(if: ChronyProgram.isInstalled, "skipped: chronyd and chronyc are not installed (package chrony)"))
struct ChronyProgramTests {
  /// The offset of the samples in s; the system clock is ahead of the reference by it.
  static let offset = -0.25

  @Test func chronyMeasuresTheOffsetOfTheSamples() throws {
    let directory = NSTemporaryDirectory() + "/chrony-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let chrony = try ChronyProgram(directory: directory)
    defer { chrony.kill() }
    let sender = ChronySocket(path: chrony.socket)
    let loop = try EventLoop()
    var source: [String] = []
    var timer: LoopTimer?
    var sent = 0
    timer = loop.addTimer("samples") { now in
      guard let system = SystemClock.nanosecondsWithMoment()?.nanoseconds else { return loop.stop() }
      _ = sender.send(ChronySample(systemNanoseconds: system, offset: Self.offset))
      sent += 1
      if sent % 10 == 0 {
        source = (try? chrony.fields(of: "sources")) ?? []
        // Mode, state, name, stratum, poll, reach (octal), last sample, adjusted and measured offset, error.
        if source.count > 8, let reach = Int(source[5], radix: 8), reach > 0 { return loop.stop() }
      }
      timer?.arm(at: now + .milliseconds(50))
    }
    timer?.arm(at: loop.now)
    #expect(try loop.runUntilStopped())
    try #require(source.count > 8)
    #expect(source[0] == "#" && source[2] == "GNSS")
    let measured = try #require(Double(source[8]))
    #expect(abs(measured + Self.offset) < 0.01, "\(source)")
    let statistics = try chrony.fields(of: "sourcestats")
    #expect(statistics.first == "GNSS")
  }
}
