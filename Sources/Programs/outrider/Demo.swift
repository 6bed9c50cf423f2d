import Collector
import Daemon
import Devices
import EventLoop
import Quantities
import Records
import Settings
import Simulation
import Store
import Synchronization
import System

/// Runs a virtual receiver on a pseudo-terminal, virtual chips, the logger and a collector on one event loop.
final class Demo {
  private let loop: EventLoop
  private let line: PseudoTerminal
  private let collector: Collector
  private let address: String
  private let logger: Logger
  private let folder: String
  private let output = HeldOutput()
  private var receiver = VirtualReceiver(route: .berlin, seed: 1)
  private let sky = SimulatedSky()
  private var epochTimer: LoopTimer?
  private var waitingBytes: ArraySlice<UInt8> = []

  init(loop: EventLoop, folder: String, overrides: [String]) throws {
    self.loop = loop
    self.folder = folder
    line = try PseudoTerminal()
    collector = try Collector(
      loop: loop, listen: .tcp(address: "127.0.0.1", port: 0), directory: "\(folder)/collected")
    address = "http://\(collector.address)"
    var files = ConfigurationFiles(overrides: [
      "board=simulator", "device_id=demo", "receiver.port=\(line.path)", "receiver.speed=9600",
      "storage.directory=\(folder)/log", "storage.allow_volatile=true", "storage.commit_interval=2s",
      "send_interval=5s", "api.socket=\(folder)/api.sock",
      "destinations=[{ name: \"collector\", kind: \"overland\", url: \"\(address)/api/input\" }]",
    ])
    files.overrides += DemoBus.overrides + overrides
    let loaded = try files.load()
    logger = try Logger(
      loop: loop, configuration: loaded.configuration, sources: loaded.sources, stored: loaded.stored,
      journal: Journal(threshold: .notice, hasPriorities: false) { [output] in output.write($0) },
      openBus: DemoBus(loop: loop).open)
    logger.outputs.failed = { message in
      Console.complain(message)
      loop.stop()
    }
    logger.outputs.kept = { record in Console.print(Self.describe(record)) }
    epochTimer = loop.addTimer("virtual receiver") { [unowned self] now in speak(now: now) }
  }

  func start() throws {
    logger.start()
    if let page = try logger.serveDemo() { Console.print("http://\(page)/") }
    Console.print(
      """
      simulated receiver: \(line.path)
      log:                \(folder)/log/outrider.db
      try:  curl \(address)/status
            curl '\(address)/coordinates?lookback_hours=24'
            sqlite3 \(folder)/log/outrider.db 'SELECT * FROM location'
            \(CommandLine.arguments.first ?? "outrider") status --set api.socket=\(folder)/api.sock --set storage.directory=\(folder)/log
      Press Ctrl-C to stop.
      """)
    output.release()
    armForNextSecond()
  }

  /// The timeout for sending the last records to the collector. A medium that still writes a build is slow.
  private static let sendingTime = Duration.seconds(20)

  /// Stops the virtual receiver and sends the queue. Returns when the collector has acknowledged it, or after
  /// ``sendingTime``.
  func sendRemaining() throws(SystemError) {
    epochTimer?.arm(at: nil)
    guard waitingRecords != 0 else { return }
    _ = logger.send(to: nil)
    let deadline = loop.addTimer("end of sending") { [loop] _ in loop.stop() }
    deadline.arm(at: loop.now + Self.sendingTime)
    let check = loop.addTimer("demo queue") { _ in }
    defer { for timer in [deadline, check] { loop.removeTimer(timer) } }
    loop.everyTurn { [weak self, weak check] now in
      guard let self, let check else { return }
      if waitingRecords == 0 { return loop.stop() }
      check.arm(at: now + .milliseconds(50))
    }
    try loop.run()
  }

  /// The records in the queue of the collector; nil if the log cannot be read.
  private var waitingRecords: Int? {
    guard logger.status.log.waiting == 0 else { return 1 }
    return (try? LogReader(directory: "\(folder)/log").status())?.destinations.reduce(0) { $0 + $1.queued }
  }

  /// Stops logger and collector. Returns the exit status: 0 if the collector has received records.
  func finish() -> Int32 {
    // Counted before the stop, which adds records to the log.
    let (kept, waiting) = (logger.status.kept ?? 0, waitingRecords ?? 0)
    let received = logger.status.destinations.reduce(0) { $0 + $1.delivered }
    logger.stop()
    collector.stop()
    Console.print(Self.summary(kept: kept, received: received, waiting: waiting))
    return received > 0 || kept == 0 ? 0 : 1
  }

  /// Returns the closing line. `received` counts all records, including visits and trips.
  static func summary(kept: Int, received: Int, waiting: Int) -> String {
    let locations = StatusText.counted(kept, "location")
    return waiting == 0
      ? "\(locations) stored, all received by the collector"
      : "\(locations) stored; \(StatusText.counted(received, "record")) received by the collector, "
        + "\(StatusText.counted(waiting, "record")) still queued at the end"
  }

  /// The seconds between two reports of the satellites.
  private static let skyInterval: Int64 = 2

  private func speak(now: Moment) {
    // An epoch has the time of its full second; a receiver sends it a little later.
    let time = Timestamp(milliseconds: loop.clock.timestamp().wholeSeconds * 1000)
    waitingBytes += receiver.epoch(at: time)
    if time.wholeSeconds % Self.skyInterval == 0 { waitingBytes += sky.sentences(at: time) }
    waitingBytes = waitingBytes.dropFirst(line.write(waitingBytes))
    armForNextSecond()
  }

  private func armForNextSecond() {
    let intoSecond = loop.clock.timestamp().milliseconds % 1000
    epochTimer?.arm(at: loop.now + .milliseconds(1050 - intoSecond))
  }

  private static func describe(_ record: LogRecord) -> String {
    guard case .location(let location) = record.body else { return "" }
    var text = Array("stored ".utf8)
    text += Array((record.time?.iso8601() ?? "undated").utf8)
    text += Array("  ".utf8)
    text.appendDecimal(Int64(location.coordinate.latitudeE7), decimals: 7)
    text += Array(", ".utf8)
    text.appendDecimal(Int64(location.coordinate.longitudeE7), decimals: 7)
    if let accuracy = location.horizontalAccuracyMillimetres {
      text += Array(" ±".utf8)
      text.appendDecimal(Int64(accuracy) / 100, decimals: 1)
      text += Array(" m".utf8)
    }
    if let speed = location.speedMillimetresPerSecond {
      text += Array("  ".utf8)
      text.appendDecimal(Int64(speed) / 100, decimals: 1)
      text += Array(" m/s".utf8)
    }
    return String(decoding: text, as: UTF8.self)
  }
}

/// The lines of the logger, which follow the addresses that the demo prints first.
private final class HeldOutput: Sendable {
  private let held = Mutex<[String]?>([])

  func write(_ text: String) {
    let isHeld = held.withLock { lines in
      lines?.append(text)
      return lines != nil
    }
    if !isHeld { Console.write(Array(text.utf8)) }
  }

  func release() {
    let lines = held.withLock { lines in
      defer { lines = nil }
      return lines ?? []
    }
    lines.forEach(write)
  }
}
