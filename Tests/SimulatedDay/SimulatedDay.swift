import Chips
import Collector
import Daemon
import EventLoop
import Glibc
import LocalAPI
import Quantities
import Settings
import Simulation
import Synchronization
import System
import TestSupport

/// A day of the real logger on a simulated clock: a u-blox 10 on a pseudo-terminal, an accelerometer and a gauge on a
/// virtual bus, a collector, and servers for the other formats, one of which fails for an hour.
///
/// The same program writes the same files, apart from ports and paths. `scripts/check-same` compares two versions by it.
final class SimulatedDay {
  private static let length = Duration.seconds(24 * 3600)
  private static let start = Timestamp(milliseconds: 1_782_000_000_000)
  private static let minute = 60.0
  private static let bus = "/dev/i2c-1"

  private let loop: EventLoop
  private let directory: String
  private let module: ModuleTalker
  private let chips: LiveBus
  private let collector: Collector
  private let servers: [(name: String, server: ScriptedServer)]
  private let broker: ScriptedBroker
  private let logger: Logger
  private let lines: Lines
  private var timers: [LoopTimer] = []

  /// Creates everything in an empty directory.
  init(directory: String) throws {
    self.directory = directory
    let loop = try EventLoop(simulating: SimulatedClock(timestamp: Self.start))
    self.loop = loop
    let lines = Lines()
    self.lines = lines
    module = try ModuleTalker(loop: loop, .ublox10) { options in
      options.utc = Self.start
      options.firstStart = .cold
      options.route = Self.route
    }
    chips = LiveBus(loop: loop, lead: .seconds(60))
    try Self.attach(to: chips, loop: loop)
    collector = try Collector(
      loop: loop, listen: .tcp(address: "127.0.0.1", port: 0), directory: "\(directory)/collected")
    guard let broker = ScriptedBroker([.acknowledge(0)]) else {
      throw SystemError(call: "bind", subject: "a broker", number: EADDRINUSE)
    }
    self.broker = broker
    servers = try ["overland", "owntracks", "query"].map { name in
      (name, try ScriptedServer(loop, [.answer(200, body: name == "owntracks" ? "[]" : #"{"result":"ok"}"#)]))
    }
    let sources = ConfigurationSources(
      overrides: Self.settings(
        directory: directory, port: module.terminal.path, collector: "\(collector.address)",
        servers: servers.map { $0.server.url() }, broker: broker.port),
      fallbacks: Fallbacks(deviceID: "day", apiSocket: "/nowhere"))
    let chips = chips
    logger = try Logger(
      loop: loop, configuration: try sources.configuration(), sources: sources,
      journal: Journal(threshold: .debug, hasPriorities: true) { lines.add($0) },
      openBus: { _, _ throws(I2CError) in chips },
      deliverySeed: { 1 })
    logger.outputs.failed = { lines.add("failed: \($0)\n") }
    fillScript()
  }

  /// Runs the day and writes what the servers received, the log lines and the status of every hour.
  func run() throws {
    logger.start()
    for hour in 1...24 {
      try loop.advance(by: Self.length / 24)
      lines.add("== hour \(hour)\n")
      try write(
        logger.status.json.map { String(decoding: $0, as: UTF8.self) } ?? "", to: "status-\(hour).json")
    }
    logger.stop()
    collector.stop()
    try write(lines.text, to: "lines")
    for (name, server) in servers {
      try write(
        server.requests.map { request in
          let headers = request.headers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)\n" }
          return "\(request.line)\n\(headers.joined())\n\(String(decoding: request.body, as: UTF8.self))\n\n"
        }.joined(), to: "requests-\(name)")
    }
    let received = broker.received
    try write(
      received.publications.map { "\($0.topic) \($0.payload)\n" }.joined()
        + "\(received.connects.count) connections\n",
      to: "messages-mqtt")
    try write(module.received.map { "\($0)" }.joined(separator: " "), to: "bytes-to-receiver")
  }

  private func write(_ text: String, to name: String) throws {
    try FileBytes.replace("\(directory)/\(name)", with: Array(text.utf8))
  }

  // MARK: The device

  /// A drive that starts after two hours, stops for three hours on the way, and ends for the rest of the day.
  private static var route: CityRoute {
    var route = CityRoute.berlin
    route.legs = Array(repeating: route.legs, count: 8).flatMap { $0 }
    route.legs[0].wait = 120 * minute
    route.legs[35].wait = 180 * minute
    route.legs[70].wait = 24 * 60 * minute
    return route
  }

  private static func attach(to chips: LiveBus, loop: EventLoop) throws {
    var drive = Drive(route: route)
    var activities: [(from: Double, activity: AccelerationTrack.Activity)] = [(0, .stationary)]
    for second in 0..<86_400 {
      drive.advance(seconds: 1)
      let activity: AccelerationTrack.Activity = drive.state.speed > 0 ? .driving : .stationary
      if activity != activities.last?.activity { activities.append((Double(second), activity)) }
    }
    var ride = AccelerationTrack(activities, seed: 7)
    ride.start = loop.now
    var cell = CellTrack(percent: 62, rates: [(0.0, -4.0), (50_400.0, 12.0)])
    cell.start = loop.now
    guard let accelerometer = LIS3DH.addresses.first, let gauge = MAX17048.addresses.first else { return }
    chips.bus.attach(VirtualLIS3DH(track: ride), at: accelerometer)
    chips.bus.attach(VirtualMAX17048(track: cell), at: gauge)
  }

  private static func settings(
    directory: String, port: String, collector: String, servers: [String], broker: UInt16
  ) -> [String] {
    [
      "device_id=day", "receiver.port=\(port)", "receiver.speed=9600", "api.enabled=false",
      "storage.directory=\(directory)/log", "storage.allow_volatile=true", "storage.commit_interval=5s",
      "send_interval=2m", "supply=battery", "log.level=debug",
      "accelerometer={ chip: \"lis3dh\", bus: \"\(bus)\" }",
      "gauge={ chip: \"max17048\", bus: \"\(bus)\", capacity_mAh: 2000 }",
      "energy={ \(currents.map { "\($0): { mA: \($1), V: 3.3, source: \"assumed\" }" }.joined(separator: ", ")) }",
      "main.tracking_mode=both", "main.pause_automatically=true", "main.visit_tracking=true",
      "trip.start=automatic",
      """
      destinations=[
        { name: "home", kind: "overland", url: "http://\(collector)/api/input" },
        { name: "fleet", kind: "overland", url: "\(servers[0])", device_id: "van", may_set: true },
        { name: "traces", kind: "owntracks", url: "\(servers[1])" },
        { name: "traccar", kind: "query", url: "\(servers[2])" },
        { name: "broker", kind: "owntracks", url: "mqtt://127.0.0.1:\(broker)" },
        { name: "files", kind: "file", directory: "\(directory)/files", file_format: "both" },
      ]
      """,
    ]
  }

  private static let currents = [
    ("receiver_sleeping", "0.015"), ("receiver_acquiring", "30"), ("receiver_tracking", "25"),
    ("receiver_cyclic", "10"), ("accelerometer", "0.02"), ("gauge", "0.023"), ("host_idle", "90"),
  ]

  // MARK: The events of the day

  private func at(_ minutes: Double, _ action: @escaping () -> Void) {
    let timer = loop.addTimer("script") { _ in action() }
    timer.arm(at: loop.now + .milliseconds(Int64(minutes * 60_000)))
    timers.append(timer)
  }

  private func fillScript() {
    let fleet = servers[0].server
    at(60) { [logger] in _ = logger.send(to: nil) }
    // The failure of a server, and one body that it rejects for ever.
    at(118) { fleet.answer = { _ in .answer(503, headers: ["Retry-After: 60"]) } }
    at(178) {
      var rejected = false
      fleet.answer = { _ in
        defer { rejected = true }
        return rejected ? .answer(200, body: #"{"result":"ok"}"#) : .answer(400, body: "unreadable")
      }
    }
    // A remote setting, and its end.
    at(200) {
      fleet.answer = { _ in .answer(200, body: #"{"result":"ok","set":{"main":{"min_distance":"50m"}}}"#) }
    }
    at(260) {
      fleet.answer = { _ in .answer(200, body: #"{"result":"ok","set":{"main":{"min_distance":"x"}}}"#) }
    }
    at(300) { fleet.answer = { _ in .answer(200, body: #"{"result":"ok"}"#) } }
    at(310) { [logger] in
      _ = logger.changeSettings(Array(#"{"send_interval":"5m"}"#.utf8), queue: nil, onTrial: false)
    }
    at(320) { [logger] in _ = logger.trip(.start(mode: "walk")) }
    at(330) { [logger] in _ = logger.trip(.stop) }
    // The receiver without supply for ten minutes.
    at(400) { [module] in module.setSupply(false) }
    at(410) { [module] in module.setSupply(true) }
    at(500) { [logger] in
      _ = logger.changeSettings(Array(#"{"tracking":false}"#.utf8), queue: nil, onTrial: false)
    }
    at(520) { [logger] in
      _ = logger.changeSettings(Array(#"{"tracking":true}"#.utf8), queue: nil, onTrial: false)
    }
    at(600) { [logger] in _ = logger.send(to: "home") }
  }
}

/// The log lines, in order.
private final class Lines: Sendable {
  private let all = Mutex<[String]>([])

  func add(_ line: String) { all.withLock { $0.append(line) } }

  var text: String { all.withLock { $0.joined() } }
}
