import History
import Foundation
import LocalAPI
import Quantities
import Testing
import TextSnapshots

@testable import outrider

/// The lines of `outrider run` on a terminal.
@Suite struct ForegroundReportTests {
  static let texts = TextSnapshot("commands")

  private static let start = Moment.zero + .seconds(100)

  @Test func theFirstPositionIsReportedAndThenOneLineAMinute() {
    var report = ForegroundReport(isVerbose: false, now: Self.start)
    let early = report.woke(now: Self.start + .seconds(5))
    let positions = [10, 11].map { report.kept(now: Self.start + .seconds($0)) }
    let wakes = [69, 70, 71, 500].map { report.woke(now: Self.start + .seconds($0)) }
    #expect(!early && positions == [true, false])
    #expect(wakes == [false, true, false, true], "a sleeping logger is not woken for a line")
  }

  @Test func verboseReportsEveryStoredLocation() {
    var report = ForegroundReport(isVerbose: true, now: Self.start)
    let positions = (1...3).map { report.kept(now: Self.start + .seconds($0)) }
    #expect(positions == [true, true, true])
  }

  private static func status(_ change: (inout StatusReport) -> Void) -> StatusReport {
    var status = StatusReport(
      version: "1", deviceID: "van", running: true,
      log: .init(directory: "log", lastID: 1, waiting: 0, trouble: nil), destinations: [])
    status.kept = 30
    status.reception = StatusReport.Reception()
    status.reception?.fix = "3D"
    status.reception?.satellites_used = 12
    status.position = StatusReport.Position(time: nil, latitude: 52.5, longitude: 13.4, fix: "3D")
    status.position?.speed_mps = 10
    status.position?.horizontal_accuracy_m = 2.4
    change(&status)
    return status
  }

  private static func line(_ status: StatusReport, _ queued: [(name: String, count: Int)]?) -> String {
    ForegroundReport.line(
      status, queued: queued, time: Timestamp(milliseconds: 1_772_000_000_000),
      clock: WallClock { _ in .zero })
  }

  @Test func aLineShowsPositionSpeedSatellitesStoredAndQueued() {
    let moving = Self.line(Self.status { _ in }, [("home", 4)])
    #expect(moving == Self.texts.expected("run on a terminal: fix", moving))
    #expect(moving.hasPrefix("2026-02-25T06:13:20Z  52.5, 13.4 ±2 m, 36.0 km/h, 3D, 12 "))
    let two = Self.line(Self.status { _ in }, [("a", 1), ("b", 2)])
    #expect(two == Self.texts.expected("run on a terminal: two destinations", two))
    let off = Self.line(Self.status { $0.tracking = false }, nil)
    #expect(off == Self.texts.expected("run on a terminal: tracking off", off))
    let lost = Self.status {
      $0.reception?.fix = "none"
      $0.reception?.no_fix_s = 45
      $0.reception?.satellites_received = 4
      $0.reception?.strongest_dBHz = 21
    }
    let line = Self.line(lost, [])
    #expect(line == Self.texts.expected("run on a terminal: no fix", line))
    #expect(!line.contains("52.5"), "an old position is not shown as present")
  }

  private static let pseudoTerminal = "/usr/bin/script"

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: pseudoTerminal),
      "script(1) is absent: sudo apt-get install bsdutils"))
  func locationsAreReportedOnATerminalAndNotAsAService() throws {
    let bench = try LoggerBench(url: nil)
    func command(_ bench: LoggerBench, _ words: String) -> String {
      "exec \(Program.executable) run --recorded \(words) --config \(bench.scratch.path("config.json5"))"
    }
    let program = try Program(
      ["-qfec", command(bench, "-v"), "/dev/null"], in: bench.scratch, executable: Self.pseudoTerminal)
    #expect(bench.hasEvent("started"))
    bench.feeder.play(Recording.simulated(epochs: 8).pieces, every: .milliseconds(200))
    #expect(
      eventually(within: .seconds(20)) { program.standardOutput.contains(", 5 stored") },
      "\(program.standardOutput)")
    program.send(SIGTERM)
    #expect(program.exitStatus(within: .seconds(10)) != nil)

    // Without -v the first location has a line, and later ones have none for a minute.
    let plain = try LoggerBench(url: nil)
    let second = try Program(
      ["-qfec", command(plain, ""), "/dev/null"], in: plain.scratch, executable: Self.pseudoTerminal)
    #expect(plain.hasEvent("started"))
    plain.feeder.play(Recording.simulated(epochs: 8).pieces, every: .milliseconds(200))
    #expect(plain.hasStored(8))
    second.send(SIGTERM)
    #expect(second.exitStatus(within: .seconds(10)) != nil)
    let lines = second.standardOutput.matches(of: /, [0-9]+ stored/).count
    #expect(lines == 1 && second.standardOutput.contains(", 1 stored"), "\(second.standardOutput)")

    let service = try LoggerBench(url: nil)
    try service.start(["-v"])
    service.feeder.play(Recording.simulated(epochs: 8).pieces, every: .milliseconds(200))
    #expect(service.hasStored(5))
    #expect(service.stopsInGoodOrder())
    #expect(
      service.standardError.firstMatch(of: /[0-9] stored/) == nil
        && service.program?.standardOutput.isEmpty == true)
  }
}
