import Daemon
import Devices
import EventLoop
import LocalAPI
import Quantities
import Records
import Settings
import Store
import Synchronization
import System

/// Runs the simulated device of the demo in real time, and prints what happens.
final class Demo {
  private let loop: EventLoop
  private let device: DemoDevice
  private let folder: String
  private let hasHistory: Bool
  private let print: @Sendable (String) -> Void
  private let output: HeldOutput

  /// Creates the device in a directory, with the log of an outing of yesterday unless the directory has a log.
  /// `overrides` are settings that replace those of the demo; `print` receives the lines.
  init(
    loop: EventLoop, folder: String, overrides: [String],
    print: @escaping @Sendable (String) -> Void = { Console.print($0) }
  ) throws {
    self.loop = loop
    self.folder = folder
    self.print = print
    let output = HeldOutput(print)
    self.output = output
    try DemoDevice.check(overrides, folder: folder)
    let port = try DemoHistory.create(in: folder, now: loop.clock.timestamp())
    hasHistory = port != nil
    device = try DemoDevice(
      loop: loop, folder: folder, schedule: .live, port: port ?? 0, percent: 80, overrides: overrides,
      journal: Journal(threshold: .notice, hasPriorities: false) { output.write($0) })
    device.logger.outputs.failed = { message in
      Console.complain(message)
      loop.stop()
    }
    device.logger.outputs.kept = { record in print(Self.describe(record)) }
    device.stepped = { step in print("demo: \(step.text)") }
  }

  /// The status of the logger.
  var status: StatusReport { device.logger.status }

  func start() throws {
    device.run()
    if let page = try device.logger.serveDemo() { print("http://\(page)/") }
    let address = "http://\(device.collector.address)"
    print(
      """
      In five minutes: acquisition, a trip, a tunnel, a server that fails, a stop with sleep, and a departure. Then it
      repeats. Times are shortened: the first position check after 150 s (15 min in real use), fixes within seconds of
      a start, sends every 5 s. \(Self.sentence(hasHistory: hasHistory))
      simulated receiver: \(device.receiver.path)
      log:                \(device.logDirectory)/outrider.db
      try:  curl \(address)/status
            curl '\(address)/coordinates?lookback_hours=48'
            sqlite3 \(device.logDirectory)/outrider.db 'SELECT * FROM location'
            \(CommandLine.arguments.first ?? "outrider") status --set api.socket=\(folder)/api.sock --set storage.directory=\(device.logDirectory)
      Press Ctrl-C to stop.
      """)
    output.release()
  }

  private static func sentence(hasHistory: Bool) -> String {
    hasHistory
      ? "The log begins with a simulated outing of yesterday." : "The log continues that of an earlier demo."
  }

  /// The timeout for sending the last records to the collector. A medium that still writes a build is slow.
  private static let sendingTime = Duration.seconds(20)

  /// Stops the virtual receiver and sends the queue. Returns when the collector has acknowledged it, or after
  /// ``sendingTime``.
  func sendRemaining() throws(SystemError) {
    device.endSimulation()
    guard waitingRecords != 0 else { return }
    _ = device.logger.send(to: nil)
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
    guard status.log.waiting == 0 else { return 1 }
    return (try? LogReader(directory: device.logDirectory).status())?.destinations.reduce(0) {
      $0 + $1.queued
    }
  }

  /// Stops logger and collector. Returns the exit status: 0 if the collector has received records.
  func finish() -> Int32 {
    // Counted before the stop, which adds records to the log.
    let (kept, waiting) = (status.kept ?? 0, waitingRecords ?? 0)
    let received = status.destinations.reduce(0) { $0 + $1.delivered }
    device.stop()
    print(Self.summary(kept: kept, received: received, waiting: waiting))
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
  private let print: @Sendable (String) -> Void

  init(_ print: @escaping @Sendable (String) -> Void) { self.print = print }

  func write(_ text: String) {
    let isHeld = held.withLock { lines in
      lines?.append(text)
      return lines != nil
    }
    if !isHeld { print(text.hasSuffix("\n") ? String(text.dropLast()) : text) }
  }

  func release() {
    let lines = held.withLock { lines in
      defer { lines = nil }
      return lines ?? []
    }
    lines.forEach(write)
  }
}
