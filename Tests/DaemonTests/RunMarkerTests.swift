import Foundation
import Glibc
import Quantities
import Records
import Settings
import Store
import System
import TestSupport
import Testing
@testable import Daemon

/// The cause of a start of the program.
@Suite struct RunMarkerTests {
  static let here = RunMarker(version: "2.0", bootID: "b2", hasEnded: false)

  static let cases: [(before: RunMarker?, isNew: Bool, fields: EventFields)] = [
    (nil, true, [.cause: "first_start"]), (nil, false, [.cause: "unknown"]),
    (RunMarker(version: "2.0", bootID: "b1", hasEnded: true), false, [.cause: "orderly_stop"]),
    (RunMarker(version: "2.0", bootID: "b2", hasEnded: true), false, [.cause: "orderly_stop"]),
    (
      RunMarker(version: "1.9", bootID: "b2", hasEnded: true), false,
      [.cause: "update", .previousVersion: "1.9"]
    ),
    (
      RunMarker(version: "2.1", bootID: "b1", hasEnded: true), false,
      [.cause: "update", .previousVersion: "2.1"]
    ),
    (RunMarker(version: "2.0", bootID: "b1", hasEnded: false), false, [.cause: "power_loss"]),
    (RunMarker(version: "2.0", bootID: "b2", hasEnded: false), false, [.cause: "killed"]),
    (
      RunMarker(version: "1.9", bootID: "b1", hasEnded: false), false,
      [.cause: "power_loss", .previousVersion: "1.9"]
    ),
    (RunMarker(version: "2.0", bootID: "", hasEnded: false), false, [.cause: "no_notice"]),
  ]

  @Test(arguments: cases)
  func theStartNamesTheEndOfThePreviousRun(before: RunMarker?, isNew: Bool, fields: EventFields) {
    #expect(Self.here.fields(after: before, isNewLog: isNew, watchdogReset: false) == fields)
    if let before { #expect(RunMarker(before.text) == before) }
  }

  /// A reset by the hardware explains only what would otherwise be a power loss.
  @Test(arguments: cases)
  func theHardwareWatchdogTakesThePlaceOfThePowerLoss(before: RunMarker?, isNew: Bool, fields: EventFields) {
    var expected = fields
    if fields[.cause] == "power_loss" { expected[.cause] = "host_watchdog" }
    #expect(Self.here.fields(after: before, isNewLog: isNew, watchdogReset: true) == expected)
  }

  /// The file as drivers write it; WDIOF_CARDRESET is 0x20.
  static let states: [(text: String, isReset: Bool)] = [
    ("32\n", true), ("33\n", true), ("32", true), ("0\n", false), ("16\n", false), ("1\n", false),
    ("", false),
    ("none\n", false), ("-32\n", false), ("99999999999999999999\n", false),
  ]

  @Test(arguments: states) func theStateOfTheHardwareWatchdogIsRead(text: String, isReset: Bool) throws {
    let root = NSTemporaryDirectory() + "/watchdog-\(UUID().uuidString)"
    let directory = root + "/sys/class/watchdog/watchdog0"
    defer { try? FileManager.default.removeItem(atPath: root) }
    #expect(!HardwareWatchdog.hasReset(root: root), "no watchdog")
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    #expect(!HardwareWatchdog.hasReset(root: root), "no state")
    try text.write(toFile: directory + "/bootstatus", atomically: true, encoding: .utf8)
    #expect(HardwareWatchdog.hasReset(root: root) == isReset)
  }

  static let signals: [(signal: LastSignal, fields: EventFields)] = [
    (LastSignal(SIGABRT, from: .supervisor), [.cause: "watchdog", .signal: "SIGABRT"]),
    (LastSignal(SIGSEGV, from: .supervisor), [.cause: "supervisor", .signal: "SIGSEGV"]),
    (LastSignal(SIGABRT, from: .fault), [.cause: "crash", .signal: "SIGABRT"]),
    (LastSignal(SIGTRAP, from: .fault), [.cause: "crash", .signal: "SIGTRAP"]),
    (LastSignal(SIGABRT, from: .other), [.cause: "other_program", .signal: "SIGABRT"]),
  ]

  /// A signal counts in every boot, but not for a run that ended in an orderly way.
  @Test(arguments: signals) func theStartNamesTheSignalOfThePreviousRun(
    signal: LastSignal, fields: EventFields
  ) {
    for boot in ["b1", "b2", ""] {
      let before = RunMarker(version: "2.0", bootID: boot, hasEnded: false)
      #expect(
        Self.here.fields(after: before, isNewLog: false, signal: signal, watchdogReset: true) == fields)
    }
    let ended = RunMarker(version: "2.0", bootID: "b2", hasEnded: true)
    #expect(
      Self.here.fields(after: ended, isNewLog: false, signal: signal, watchdogReset: true)
        == [.cause: "orderly_stop"])
  }

  @Test(arguments: ["", "1\t2.0\tb", "2\t2.0\tb\tended", "1\t2.0\tb\tgone"])
  func anInvalidNoteIsRejected(text: String) { #expect(RunMarker(text) == nil) }

  /// Runs a logger; returns its event of the start, and the logger, whose timers stay in the loop if it is not stopped.
  private static func started(_ bench: HTTPBench, stops: Bool) throws -> (start: EventFields?, logger: Logger)
  {
    var configuration = try LoggerTests.configuration(bench, url: "http://127.0.0.1:1/", token: "a")
    configuration.storage.commitInterval = .zero
    let logger = try Logger(loop: bench.loop, configuration: configuration, journal: LoggerTests.quiet)
    logger.start()
    #expect(try bench.run { logger.status.log.last_id > 0 && logger.status.log.waiting == 0 })
    let reader = try LogReader(directory: bench.directory + "/log")
    let starts = try reader.records(after: .zero, limit: 100).compactMap { stored -> EventFields? in
      if case .event(let event) = stored.record.body, event.kind == .started { event.fields } else { nil }
    }
    // A run that ends without notice leaves its log unclosed.
    if stops { logger.stop() } else { _ = logger.log.store.finish() }
    return (starts.last, logger)
  }

  @Test func everyStartReportsHowThePreviousRunEnded() throws {
    let bench = try HTTPBench.simulated()
    func start(_ cause: EventValue) -> EventFields { [.version: .text(Release.version), .cause: cause] }
    #expect(try Self.started(bench, stops: true).start == start("first_start"))
    let killed = try Self.started(bench, stops: false)
    #expect(killed.start == start("orderly_stop"))
    #expect(try Self.started(bench, stops: true).start == start("killed"))
    #expect(try Self.started(bench, stops: true).start == start("orderly_stop"))
    withExtendedLifetime(killed.logger) {}
  }
}
