import Foundation
import Glibc
import TestSupport
import Testing

/// The program with a receiver that it shares through gpsd.
@Suite(.serialized, .enabled(if: GPSDProgram.isInstalled, "gpsd is absent: sudo apt-get install gpsd"))
struct SharedReceiverTests {
  @Test func everyFixOfGpsdIsInTheLogOnce() throws {
    let recording = Recording.simulated(epochs: 60)
    let port = try freePort()
    let bench = try LoggerBench(url: nil)
    try bench.rewrite {
      $0.replacingOccurrences(
        of: "port: \"\(bench.feeder.path)\", speed: 9600", with: "gpsd: \"127.0.0.1:\(port)\"")
    }
    let gpsd = try GPSDProgram(port: port, device: bench.feeder.path)
    try bench.start()
    bench.feeder.play(recording.pieces, every: .milliseconds(50))
    let enough = recording.times.count / 2
    #expect(bench.hasStored(enough), "\(bench.program?.standardError ?? "")")
    let status = try Program(
      ["status", "--config", bench.scratch.path("config.json5")], in: bench.scratch)
    #expect(status.exitStatus(within: .seconds(5)) == 0)
    #expect(
      status.standardOutput.line(with: "receiver ", "\(bench.feeder.path) (NMEA0183)", "127.0.0.1:\(port)")
        != nil,
      "\(status.standardOutput)")
    #expect(eventually(within: .seconds(20)) { bench.feeder.isFinished })
    // gpsd passes the last fix on after the feeder has written it.
    #expect(eventually(within: .seconds(20)) { bench.times.last == recording.times.last })
    #expect(bench.stopsInGoodOrder())
    let times = try LogFile.times(in: bench.log)
    #expect(times.last == recording.times.last)
    // Without gaps, except for fixes from before the program was connected to gpsd and the receiver identified.
    #expect(times == recording.times.suffix(times.count))
    withExtendedLifetime(gpsd) {}
  }
}
