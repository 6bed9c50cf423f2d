import Glibc
import Records
import Settings
import Store
import SystemLoop
import TestSupport
import Testing
import Tracking

@testable import Daemon

/// Why the program starts.
@Suite struct RunNoteTests {
  static let here = RunNote(version: "2.0", bootID: "b2", hasEnded: false)

  static let cases: [(before: RunNote?, isNew: Bool, says: String)] = [
    (nil, true, "the first start with this log"), (nil, false, "nothing tells of the run before"),
    (RunNote(version: "2.0", bootID: "b1", hasEnded: true), false, "after an orderly stop"),
    (RunNote(version: "2.0", bootID: "b2", hasEnded: true), false, "after an orderly stop"),
    (
      RunNote(version: "1.9", bootID: "b2", hasEnded: true), false, "update from 1.9, after an orderly stop"
    ),
    (
      RunNote(version: "2.0", bootID: "b1", hasEnded: false), false,
      "the power was cut, or the machine stopped without notice"
    ),
    (
      RunNote(version: "2.0", bootID: "b2", hasEnded: false), false,
      "the run before ended without notice, as by a kill or for want of memory"
    ),
    (
      RunNote(version: "1.9", bootID: "b1", hasEnded: false), false,
      "update from 1.9, the power was cut, or the machine stopped without notice"
    ),
    (RunNote(version: "2.0", bootID: "", hasEnded: false), false, "the run before ended without notice"),
  ]

  @Test(arguments: cases)
  func theEndOfTheRunBeforeIsTold(before: RunNote?, isNew: Bool, says: String) {
    #expect(Self.here.reason(after: before, isNewLog: isNew) == says)
    if let before { #expect(RunNote(before.text) == before) }
  }

  static let words: [(signal: LastSignal, says: String)] = [
    (
      LastSignal(SIGABRT, from: .supervisor),
      "the run before was ended by its supervisor with SIGABRT, as the watchdog does"
    ),
    (LastSignal(SIGSEGV, from: .supervisor), "the run before was ended by its supervisor with SIGSEGV"),
    (LastSignal(SIGABRT, from: .fault), "the run before crashed (SIGABRT)"),
    (LastSignal(SIGTRAP, from: .fault), "the run before crashed (SIGTRAP)"),
    (LastSignal(SIGABRT, from: .other), "the run before was ended by another program with SIGABRT"),
  ]

  /// A word counts whatever boot it was in, but not for a run that ended in good order.
  @Test(arguments: words) func aSignalIsTold(signal: LastSignal, says: String) {
    for boot in ["b1", "b2", ""] {
      let before = RunNote(version: "2.0", bootID: boot, hasEnded: false)
      #expect(Self.here.reason(after: before, isNewLog: false, signal: signal) == says)
    }
    let ended = RunNote(version: "2.0", bootID: "b2", hasEnded: true)
    #expect(Self.here.reason(after: ended, isNewLog: false, signal: signal) == "after an orderly stop")
  }

  @Test(arguments: ["", "1\t2.0\tb", "2\t2.0\tb\tended", "1\t2.0\tb\tgone"])
  func whatIsNoNoteIsNone(text: String) { #expect(RunNote(text) == nil) }

  private static func started(_ bench: HTTPBench, stops: Bool) throws -> String? {
    var configuration = try LoggerTests.configuration(bench, url: "http://127.0.0.1:1/", token: "a")
    configuration.storage.commitInterval = .zero
    let logger = try Logger(loop: bench.loop, configuration: configuration, journal: LoggerTests.quiet)
    logger.start()
    #expect(try bench.run { logger.status.log.last_id > 0 && logger.status.log.waiting == 0 })
    let reader = try LogReader(directory: bench.directory + "/log")
    let words = try reader.records(after: .zero, limit: 100).compactMap { stored -> String? in
      if case .event(let event) = stored.record.body, event.kind == .started { event.detail } else { nil }
    }
    // A run that ends without notice leaves its log as it is.
    if stops { logger.stop() } else { _ = logger.store.finish() }
    return words.last
  }

  @Test func eachStartOfALoggerTellsHowTheOneBeforeEnded() throws {
    let bench = try HTTPBench()
    let words = "Outrider \(Release.version); "
    #expect(try Self.started(bench, stops: true) == words + "the first start with this log")
    #expect(try Self.started(bench, stops: false) == words + "after an orderly stop")
    let crash = "the run before ended without notice, as by a kill or for want of memory"
    #expect(try Self.started(bench, stops: true) == words + crash)
    #expect(try Self.started(bench, stops: true) == words + "after an orderly stop")
  }
}
