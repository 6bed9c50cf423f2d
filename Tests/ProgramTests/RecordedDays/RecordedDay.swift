import Chips
import Daemon
import EventLoop
import Foundation
import LocalAPI
import Quantities
import Settings
import Simulation
import TestSupport

/// A recorded day through the whole logger on a simulated clock: a u-blox 10 follows the recording and has no reception
/// in its holes, and an accelerometer shakes while the recording moves.
///
/// In the morning the logger is stopped for 20 minutes, at noon the receiver is without supply for ten, and in the evening
/// tracking is off for a while.
final class RecordedDay {
  static let start = Timestamp(milliseconds: 1_782_000_000_000)
  private static let length = 86_400
  /// The shortest time between two fixes of the recording that is a hole, in s.
  private static let hole = 60.0
  /// The displacement within 30 s above which the recording moves, in metres.
  private static let moving = 15.0
  private static let fast = 100.0

  let bench: HTTPBench
  private let talker: ModuleTalker
  private let bus: LiveBus
  private let sources: ConfigurationSources
  private let journal: Journal
  private var logger: Logger
  private var timers: [LoopTimer] = []

  /// Prepares the day of a file in the folder `tracks` of the recordings. The settings are in addition to those of the day.
  init(_ name: String, settings: [String]) throws {
    let points = try Self.points(of: name)
    guard let path = RecordedPath(points), let address = LIS3DH.addresses.first else {
      throw CocoaError(.fileReadCorruptFile)
    }
    bench = try HTTPBench(simulating: SimulatedClock(timestamp: Self.start))
    talker = try ModuleTalker(loop: bench.loop, .ublox10) { options in
      options.utc = Self.start
      options.firstStart = .cold
      options.path = path
    }
    bus = LiveBus(loop: bench.loop, lead: .seconds(60))
    var motion = AccelerationTrack(Self.activities(points, path), seed: 7)
    motion.start = bench.loop.now
    bus.bus.attach(VirtualLIS3DH(track: motion), at: address)
    sources = ConfigurationSources(
      overrides: [
        "storage.directory=\(bench.directory)/log", "storage.allow_volatile=true",
        "receiver.port=\(talker.terminal.path)", "receiver.speed=9600", "trip.start=automatic",
        "main.tracking_mode=both", "main.pause_automatically=true", "main.visit_tracking=true",
        "api.socket=\(bench.directory)/api.sock", "supply=battery",
        "accelerometer={ chip: \"lis3dh\", bus: \"/dev/i2c-1\" }",
      ] + settings, fallbacks: Fallbacks(deviceID: "day", apiSocket: "/nowhere"))
    journal = Journal(threshold: .error, hasPriorities: false) { _ in }
    logger = try Self.logger(bench.loop, sources, journal, bus)
    fillScript(points)
  }

  private static func logger(
    _ loop: EventLoop, _ sources: ConfigurationSources, _ journal: Journal, _ bus: LiveBus
  ) throws -> Logger {
    try Logger(
      loop: loop, configuration: try sources.configuration(), sources: sources, journal: journal,
      openBus: { _, _ throws(I2CError) in bus }, deliverySeed: { 1 })
  }

  /// Lets the day pass. The logger still runs afterwards.
  func run() throws {
    logger.start()
    try bench.loop.advance(by: .seconds(5 * 3600))
    logger.stop()
    try bench.loop.advance(by: .seconds(1200))
    logger = try Self.logger(bench.loop, sources, journal, bus)
    logger.start()
    try bench.loop.advance(by: .seconds(Int64(Self.length - 5 * 3600 - 1200)))
  }

  func stop() { logger.stop() }

  // MARK: The recording

  private static func points(of name: String) throws -> [RecordedPath.Point] {
    let text = String(decoding: try SharedRecordings.contents(of: "tracks/\(name).csv.gz"), as: UTF8.self)
    let rows = text.split(separator: "\n").dropFirst().compactMap { line -> (Double, Coordinate)? in
      let columns = line.split(separator: ",").prefix(3).compactMap { Double($0) }
      guard columns.count == 3, let coordinate = Coordinate(latitude: columns[1], longitude: columns[2])
      else {
        return nil
      }
      return (columns[0], coordinate)
    }
    let first = rows.first?.0 ?? 0
    return rows.map { time, coordinate in
      .init(time: start + .milliseconds(Int64((time - first) * 1000)), coordinate: coordinate)
    }
  }

  private static func activities(
    _ points: [RecordedPath.Point], _ path: RecordedPath
  ) -> [(from: Double, activity: AccelerationTrack.Activity)] {
    var found: [(from: Double, activity: AccelerationTrack.Activity)] = [(0, .stationary)]
    for second in stride(from: 0, to: length, by: 60) {
      let now = start + .seconds(Int64(second))
      let (before, after) = (path.state(at: now + .seconds(-15)), path.state(at: now + .seconds(15)))
      let metres =
        Coordinate(latitude: before.latitude, longitude: before.longitude).flatMap { from in
          Coordinate(latitude: after.latitude, longitude: after.longitude).map { from.distance(to: $0) }
        } ?? 0
      let activity: AccelerationTrack.Activity =
        metres < moving ? .stationary : metres < fast ? .walking : .driving
      if activity != found.last?.activity { found.append((Double(second), activity)) }
    }
    return found
  }

  // MARK: The events of the day

  private func at(_ time: Timestamp, _ action: @escaping () -> Void) {
    let timer = bench.loop.addTimer("script") { _ in action() }
    timer.arm(at: bench.loop.now + (time - Self.start))
    timers.append(timer)
  }

  private func fillScript(_ points: [RecordedPath.Point]) {
    for (before, after) in zip(points, points.dropFirst())
    where (after.time - before.time).inSeconds > Self.hole {
      at(before.time + .seconds(1)) { [talker] in talker.setReception(false) }
      at(after.time) { [talker] in talker.setReception(true) }
    }
    let hours = { (number: Double) in Self.start + .milliseconds(Int64(number * 3_600_000)) }
    at(hours(8)) { [talker] in talker.setSupply(false) }
    at(hours(8.17)) { [talker] in talker.setSupply(true) }
    at(hours(11)) { [unowned self] in change(#"{"tracking":false}"#) }
    at(hours(11.5)) { [unowned self] in change(#"{"tracking":true}"#) }
  }

  private func change(_ settings: String) {
    _ = logger.changeSettings(Array(settings.utf8), queue: nil, onTrial: false)
  }
}
