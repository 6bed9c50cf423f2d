import Chips
import Devices
import EventLoop
import LocalAPI
import LoggerConfiguration
import Motion
import Quantities
import Records
import Scheduling
import Settings
import System
import Tracking

/// Owns the sensors beside the receiver: fuel gauge, accelerometer, ignition line, wireless network, and the supply report
/// of the board. Logging depends on none of them.
final class SensorController {
  /// Handlers of the reports of the sensors.
  struct Outputs {
    /// An event for the tracker.
    var process: (TrackerEvent, Moment) -> Void = { _, _ in }
    /// A reading of the fuel gauge, changed or not.
    var gaugeRead: (BatteryCondition, Moment) -> Void = { _, _ in }
    /// A changed state of the battery that the device runs on.
    var batteryChanged: (BatteryCondition, Moment) -> Void = { _, _ in }
    /// The wireless network that the host has joined; nil for none.
    var networkChanged: (JoinedNetwork?, Moment) -> Void = { _, _ in }
  }

  /// The factor by which the gauge is read less often at a critical battery.
  private static let survivalIntervalFactor = 4
  /// Contacts bounce for some milliseconds, and a starter lowers the supply voltage briefly.
  private static let ignitionDebounce = Duration.milliseconds(100)

  private let context: LoggerContext
  private let openBus: BusOpening
  /// Set before ``start()``.
  var outputs = Outputs()
  private(set) var gauge: GaugeSource?
  private(set) var accelerometer: AccelerometerSource?
  private var wifi: WifiSource?
  private var ignition: WatchedInput?
  /// Motion detection by the accelerometer.
  private var motion: MotionMonitor
  private var motionTimer: LoopTimer?
  /// The supply voltage report of the board; nil if the board has none.
  private let boardSupply = BoardSupply()
  private var brownOut = BrownOutWatch()
  /// True after the warning about Wi-Fi zones without a wireless interface.
  private var hasWarnedOfWifi = false

  private var loop: EventLoop { context.loop }
  private var configuration: Configuration { context.configuration }

  /// - Parameters:
  ///   - context: loop, log lines and configuration.
  ///   - openBus: opens the I²C buses that the configuration names.
  init(_ context: LoggerContext, openBus: @escaping BusOpening) {
    self.context = context
    self.openBus = openBus
    motion = MotionMonitor(now: context.loop.now)
    motionTimer = context.loop.addTimer("motion") { [unowned self] now in
      report(motion.handleTimeout(now: now), now: now)
      armMotionTimer()
    }
  }

  /// Starts the configured sensors.
  func start() {
    startGauge()
    startAccelerometer()
    startWifi()
    startIgnition()
  }

  /// Stops all sensors. Nothing is reported afterwards. With `wakesOnMotion` false, motion does not start a sleeping host.
  func stop(wakesOnMotion: Bool = true) {
    gauge?.stop()
    if !wakesOnMotion {
      accelerometer?.onNotice = { _, _ in }
      accelerometer?.powerDown(now: loop.now)
    }
    accelerometer?.stop()
    wifi?.stop()
    ignition?.stop()
    if let motionTimer { loop.removeTimer(motionTimer) }
    motionTimer = nil
  }

  /// Applies a changed configuration, which is in force already. The sensors themselves require a restart.
  func configurationChanged() {
    motion.apply(DrivingThresholds(configuration.driving))
    warnOfMissingWifi()
  }

  private func report(_ events: [TrackerEvent], now: Moment) {
    for event in events { outputs.process(event, now) }
  }

  // MARK: The fuel gauge

  /// Follows the power level.
  func follow(_ stage: PowerStage) {
    gauge?.setIntervalFactor(stage == .survival ? Self.survivalIntervalFactor : 1)
  }

  private func startGauge() {
    let monitor = BatteryMonitor(
      measuring: BatteryRules.Supply(configuration), rules: BatteryRules(configuration))
    guard let settings = configuration.gauge else { return }
    switch settings.source {
    case nil: break
    case .powerSupply(let name):
      start(GaugeSource(loop: loop, gauge: PowerSupplyGauge(name: name), monitor: monitor))
    case .chip(let chip, let bus):
      guard let part = GaugePart.named(chip),
        let address = settings.address.map({ I2CAddress($0) }) ?? part.addresses.first
      else {
        context.journal.log(
          .warning, "gauge.chip: no driver for \(chip); the battery state is unknown")
        return
      }
      let gauge = BusGauge(
        path: bus, part: part, address: address, wiring: GaugeWiring(settings), openBus: openBus)
      start(GaugeSource(loop: loop, gauge: gauge, monitor: monitor))
    }
  }

  private func start(_ gauge: GaugeSource) {
    let measuresBattery = configuration.supply == .battery
    if measuresBattery {
      outputs.process(.battery(Battery(state: .unknown, percent: nil)), loop.now)
    }
    gauge.onReading = { [unowned self] condition in
      checkBoardSupply(now: loop.now)
      outputs.gaugeRead(condition, loop.now)
    }
    gauge.onCondition = { [unowned self, unowned gauge] condition in
      reportSupply(gauge.snapshot, measuresBattery: measuresBattery)
      // For a vehicle or mains, a monitor measures the voltage, which is no state of charge.
      if measuresBattery { outputs.batteryChanged(condition, loop.now) }
      guard measuresBattery || configuration.isGaugeBelieved else { return }
      outputs.process(.battery(Battery(condition)), loop.now)
    }
    gauge.onNotice = { [unowned self, unowned gauge] notice in
      outputs.process(.occurred(EventRecord(notice, of: gauge.location)), loop.now)
      switch notice {
      case .lost, .returned: reportSupply(gauge.snapshot, measuresBattery: measuresBattery)
      case .battery: break
      }
    }
    self.gauge = gauge
    gauge.start()
  }

  /// Reports the supply as a motion sensor; nil while the gauge is lost, even if its last reading is fresh.
  private func reportSupply(_ snapshot: GaugeSource.Snapshot, measuresBattery: Bool) {
    let reading = snapshot.loss == nil ? SupplyReading(snapshot.condition, ofBattery: measuresBattery) : nil
    outputs.process(.supply(reading), loop.now)
  }

  /// Checks the board for brown-outs. Called when the host is awake anyway.
  func checkBoardSupply(now: Moment) {
    guard let reading = boardSupply?.read(), let event = brownOut.take(reading, now: now) else { return }
    outputs.process(.occurred(event), now)
  }

  /// True if a gauge on the bus is read; nil without one.
  var isGauged: Bool? {
    guard case .chip? = configuration.gauge?.source else { return nil }
    return gauge.map { $0.snapshot.loss == nil } ?? false
  }

  /// The battery in the status; nil for a device without gauge that is not on a battery.
  func batteryReport(now: Moment) -> StatusReport.Battery? {
    if let gauge { return StatusReport.Battery(gauge.snapshot, of: gauge.location, now: now) }
    return configuration.supply == .battery ? StatusReport.Battery() : nil
  }

  // MARK: The system's time

  /// UTC as an event: from the system clock if a time service disciplines it, else from the clock chip.
  func systemTime() -> TrackerEvent {
    if loop.clock.isSynchronised {
      return .systemTime(loop.clock.timestamp(), quality: .network)
    }
    if let path = configuration.clockChip, let seconds = try? ClockChip(path: path).seconds(),
      let time = Timestamp(clockSeconds: seconds)
    {
      return .systemTime(time, quality: .clockChip)
    }
    return .systemTime(nil, quality: .none)
  }

  // MARK: The accelerometer

  /// True while the accelerometer works.
  var isSensing: Bool { accelerometer.map { !$0.isLost } ?? false }

  /// The present motion by the accelerometer; nil without one, and before its first result.
  var detectedMotion: (states: MotionStates, confidence: MotionConfidence)? {
    accelerometer == nil ? nil : motion.latest
  }

  /// Processes a speed of the receiver, which helps to classify motion.
  func take(speed: Double, accuracy: Double?, at now: Moment) {
    guard accelerometer != nil else { return }
    motion.take(speed: speed, accuracy: accuracy, at: now)
  }

  private func startAccelerometer() {
    guard let settings = configuration.accelerometer else { return }
    guard let part = AccelerometerPart.named(settings.chip),
      let address = settings.address.map({ I2CAddress($0) }) ?? part.addresses.first
    else {
      context.journal.log(
        .warning, "accelerometer.chip: no driver for \(settings.chip); motion detection disabled")
      return
    }
    let source = AccelerometerSource(
      loop: loop, path: settings.bus, part: part, address: address,
      interrupt: settings.interrupt.map(LineWiring.init), openBus: openBus)
    source.onNotice = { [unowned self, unowned source] notice, now in take(notice, of: source, now: now) }
    source.onLineRefused = { [unowned self] error in
      context.journal.log(
        .warning,
        "accelerometer.interrupt: \(error); the accelerometer is polled; check the line and the group gpio")
    }
    accelerometer = source
    let now = loop.now
    motion = MotionMonitor(now: now, thresholds: DrivingThresholds(configuration.driving))
    report(motion.start(), now: now)
    source.setDesiredMode(motion.desiredMode(now: now), now: now)
    source.start()
  }

  private func take(_ notice: AccelerometerNotice, of source: AccelerometerSource, now: Moment) {
    switch notice {
    case .burst(let burst): report(motion.take(burst, now: now), now: now)
    case .moved: report(motion.moved(now: now), now: now)
    case .lost: report(motion.lost(), now: now)
    case .returned: report(motion.returned(now: now), now: now)
    default: break
    }
    if let event = EventRecord(notice, of: source.location) { outputs.process(.occurred(event), now) }
    source.setDesiredMode(motion.desiredMode(now: now), now: now)
    armMotionTimer()
  }

  /// Arms the timer of motion detection, which may share another wake-up.
  private func armMotionTimer() { motionTimer?.arm(at: motion.nextTimeout, slack: .seconds(10)) }

  // MARK: The wireless network

  /// Requests the access points in range, for zones and position checks.
  func scanAccessPoints() { wifi?.scanAccessPoints() }

  private func startWifi() {
    let source = WifiSource(loop: loop)
    source.onChange = { [unowned self] network in
      let joined = network.map { JoinedNetwork(name: $0.name, accessPoint: $0.accessPoint) }
      context.journal.log(.debug, "wifi: \(joined.map { "joined \($0.name)" } ?? "no network")")
      outputs.networkChanged(joined, loop.now)
    }
    source.onAccessPoints = { [unowned self] addresses in
      outputs.process(.accessPoints(addresses), loop.now)
    }
    source.onScanFailure = { [unowned self] reason in
      context.journal.log(.notice, "wifi_scan: \(reason)")
    }
    wifi = source
    source.start()
    if let fault = source.fault {
      context.journal.log(.notice, "wifi: \(fault); locations have no network name")
    }
    warnOfMissingWifi()
  }

  /// Warns once if Wi-Fi zones are configured and nothing can join their networks.
  private func warnOfMissingWifi() {
    guard !configuration.wifiZones.isEmpty, !hasWarnedOfWifi, let wifi, !wifi.hasInterface else { return }
    hasWarnedOfWifi = true
    context.journal.log(
      .warning,
      "wifi_zones: this host has no wireless interface; the zones have no effect until it has one")
  }

  // MARK: The ignition line

  private func startIgnition() {
    guard let settings = configuration.lines.ignition else { return }
    let input = WatchedInput(
      loop: loop, wiring: LineWiring(settings), debounce: Self.ignitionDebounce)
    input.onNotice = { [unowned self] notice, now in
      switch notice {
      case .level(let isOn):
        outputs.process(.ignition(isOn), now)
        outputs.process(.occurred(EventRecord(ignition: isOn)), now)
      case .lost(let error):
        outputs.process(.ignition(nil), now)
        outputs.process(.occurred(EventRecord(ignitionLost: error)), now)
      }
    }
    ignition = input
    input.start()
  }
}
