import Daemon
import EventLoop
import Glibc
import Quantities
import System

/// The outing of yesterday in the log of the demo: the same logger lives through it on a simulated clock.
enum DemoHistory {
  /// Seconds after local midnight between which the outing begins.
  private static let startOfDay: ClosedRange<Int64> = 9 * 3600...22 * 3600

  /// Lets a device live through yesterday, if the directory has no log yet. Returns the port of its collector; nil if
  /// nothing was done.
  static func create(in folder: String, now: Timestamp) throws -> UInt16? {
    guard access("\(folder)/log/outrider.db", F_OK) != 0 else { return nil }
    let clock = SimulatedClock(timestamp: start(now: now), boot: "demo-yesterday")
    let loop = try EventLoop(simulating: clock)
    let device = try DemoDevice(
      loop: loop, folder: folder, schedule: .yesterday, port: 0, percent: 92,
      overrides: [
        "api.enabled=false", "trip.start=automatic", "main.check_interval=15m", "main.check_longest=1h",
      ],
      journal: Journal(threshold: .error, hasPriorities: false) { _ in })
    let port = device.collector.port
    device.run()
    try loop.advance(by: .seconds(Int64(DemoSchedule.yesterdaysLength)))
    device.stop()
    return port
  }

  /// A time of yesterday in local time that the usual lookback of the map, 24 hours, reaches if possible.
  static func start(now: Timestamp) -> Timestamp {
    let ahead = LocalTime.aheadOfUTC(at: now).wholeSeconds
    let sinceMidnight = ((now.wholeSeconds + ahead) % 86_400 + 86_400) % 86_400
    let sought = min(max(sinceMidnight + 1800, startOfDay.lowerBound), startOfDay.upperBound)
    return Timestamp(milliseconds: (now.wholeSeconds - sinceMidnight - 86_400 + sought) * 1000)
  }
}
