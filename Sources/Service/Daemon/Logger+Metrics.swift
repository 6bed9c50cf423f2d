import Inspection
import LocalAPI
import Quantities
import Settings
import System
import Tracking

// The figures that only the metrics report.
extension Logger {
  public var counters: LoggerCounters {
    let now = context.loop.now
    let clock = tracking.tracker.fixes.clock
    var counters = LoggerCounters()
    counters.process.board =
      switch context.configuration.board {
      case .named(let name): name
      case .file: "file"
      case nil: ""
      }
    counters.process.start = clock.timestamp(at: run.start)
    counters.process.processStart = ProcessUsage.start().flatMap(clock.timestamp(at:))
    // Without the descriptor that reads the directory.
    let descriptors = FileTree().names("/proc/self/fd")
    counters.process.openFiles = descriptors.isEmpty ? nil : descriptors.count - 1
    receiver.count(in: &counters, now: now)
    log.count(in: &counters)
    delivery.count(in: &counters) { clock.timestamp(at: $0) }
    counters.events = run.eventCounts
    counters.gaps = run.gaps
    counters.rejections = tracking.tracker.fixes.rejections.totals.mapValues { Int64(clamping: $0.count) }
    counters.odometer = Double(tracking.tracker.places.lifetime.millimetres) / 1000
    counters.clockQuality = clock.quality
    if clock.quality == .receiver {
      counters.clockOffset = clock.timestamp(at: now).map { $0 - context.loop.clock.timestamp() }
    }
    // The next scrape has the lengths of the queues.
    log.inspect(now: now)
    return counters
  }
}
