import Collector
import Daemon
import EventLoop
import HTTPServer
import Quantities
import Settings
import Simulation

/// The simulated device of the demo on one event loop: a receiver and chips, the logger, and a collector that receives
/// its records.
final class DemoDevice {
  let logger: Logger
  let collector: Collector
  let receiver: DemoReceiver
  /// The directory of the log.
  let logDirectory: String
  private let loop: EventLoop
  private let schedule: DemoSchedule
  private var timer: LoopTimer?
  private var start = Moment.zero
  private var nextStep = 0
  /// Called with every step that happens.
  var stepped: (DemoSchedule.Step) -> Void = { _ in }

  /// Creates the device in a directory. `port` is that of the collector, or 0 for a free one; `percent` is the charge
  /// of the battery. `overrides` are settings that replace those of the demo.
  init(
    loop: EventLoop, folder: String, schedule: DemoSchedule, port: UInt16, percent: Double,
    overrides: [String], journal: Journal
  ) throws {
    self.loop = loop
    self.schedule = schedule
    receiver = try DemoReceiver(loop: loop, schedule: schedule)
    collector = try Collector(
      loop: loop, listen: .tcp(address: "127.0.0.1", port: port), directory: "\(folder)/collected")
    let files = ConfigurationFiles(
      overrides: Self.settings(folder: folder, port: receiver.path, collector: "\(collector.address)")
        + overrides)
    let loaded = try files.load()
    logDirectory = loaded.configuration.storage.directory
    logger = try Logger(
      loop: loop, configuration: loaded.configuration, sources: loaded.sources, stored: loaded.stored,
      journal: journal,
      openBus: DemoBus(loop: loop, schedule: schedule, percent: percent).open)
  }

  /// Checks settings that replace those of the demo. Throws the refusal of the configuration.
  static func check(_ overrides: [String], folder: String) throws {
    _ = try ConfigurationFiles(
      overrides: settings(folder: folder, port: "/dev/null", collector: "127.0.0.1:8080") + overrides
    ).load()
  }

  /// The settings of the demo. Automatic pauses let the receiver sleep; the shorter times make it visible in minutes.
  private static func settings(folder: String, port: String, collector: String) -> [String] {
    [
      "board=simulator", "device_id=demo", "receiver.port=\(port)", "receiver.speed=9600",
      "storage.directory=\(folder)/log", "storage.allow_volatile=true", "storage.commit_interval=2s",
      "send_interval=5s", "api.socket=\(folder)/api.sock", "main.desired_accuracy=nav",
      "main.pause_automatically=true", "main.check_interval=150s", "main.check_longest=5m",
      "main.visit_tracking=true", "trip.desired_accuracy=nav", "trip.pause_automatically=true",
      "trip_mode=car", "energy={ \(currents) }",
      "destinations=[{ name: \"collector\", kind: \"overland\", url: \"http://\(collector)/api/input\" }]",
    ] + DemoBus.overrides
  }

  /// The currents of a Raspberry Pi Zero 2 W with a MAX-M10S as the board field-unit has them, and of its radio.
  private static var currents: String {
    [
      ("host_idle", "75", "5"), ("host_core", "75", "5"), ("receiver_acquiring", "13", "3"),
      ("receiver_tracking", "10", "3"),
      ("receiver_cyclic", "5", "3"), ("receiver_sleeping", "0.042", "3"), ("accelerometer", "0.004", "3.3"),
      ("gauge", "0.023", "3.7"), ("storage_writing", "60", "3.3"),
      ("modem_sending", "120", "5"),
    ].map { "\($0.0): { mA: \($0.1), V: \($0.2), source: \"simulated\" }" }.joined(separator: ", ")
  }

  /// Starts the logger and the schedule.
  func run() {
    start = loop.now
    logger.start()
    timer = loop.addTimer("demo") { [unowned self] _ in step() }
    arm()
  }

  /// Ends the schedule and the receiver; logger and collector go on.
  func endSimulation() {
    timer?.arm(at: nil)
    collector.failure = nil
    receiver.stop()
  }

  /// Stops everything.
  func stop() {
    endSimulation()
    logger.stop()
    collector.stop()
  }

  private func arm() {
    timer?.arm(at: schedule.step(nextStep).map { start + .seconds($0.second) })
  }

  private func step() {
    guard let (step, _) = schedule.step(nextStep) else { return }
    nextStep += 1
    stepped(step)
    switch step.event {
    // A trip would switch tracking on again.
    case .tripStarts(let mode):
      if logger.status.tracking != false { _ = logger.trip(.start(mode: mode)) }
    case .receptionEnds: receiver.setReception(false)
    case .receptionReturns: receiver.setReception(true)
    case .serverFails: collector.failure = Self.failure
    case .serverRecovers: collector.failure = nil
    // Route and accelerometer follow the schedule by themselves.
    case .vehicleStops, .vehicleStarts: break
    }
    arm()
  }

  /// The answer of a server in trouble. Its message tries to be more than text.
  private static var failure: HTTPResponse {
    .json(
      #"{"error":"<img src=x onerror=alert(1)>the disk of this server is full</b>'; DROP TABLE features; --"}"#,
      status: 503, headers: [.init("Retry-After", "20")])
  }
}
