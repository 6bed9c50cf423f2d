import Chips
import Devices
import Motion
import Quantities
import Records
import Settings
import SystemLoop
import Tracking

extension Logger {
  /// Starts the accelerometer of the board, if one is configured. Logging does not depend on it.
  func startAccelerometer() {
    guard let settings = configuration.accelerometer else { return }
    guard let part = AccelerometerPart.named(settings.chip),
      let address = settings.address.map({ I2CAddress($0) }) ?? part.addresses.first
    else {
      journal.log(.warning, "accelerometer.chip: no driver for \(settings.chip); motion detection disabled")
      return
    }
    let source = AccelerometerSource(
      loop: loop, path: settings.bus, part: part, address: address,
      interrupt: settings.interrupt.map(LineWiring.init), openBus: openBus)
    source.onNotice = { [unowned self, unowned source] notice, now in
      take(notice, of: source, now: now)
    }
    source.onLineRefused = { [unowned self] error in
      journal.log(
        .warning,
        "accelerometer.interrupt: \(error); the accelerometer is polled; check the line and the group gpio")
    }
    accelerometer = source
    let now = loop.now
    motion = MotionMonitor(now: now, thresholds: DrivingThresholds(configuration.driving))
    process(motion.start(), now: now)
    source.setDesiredMode(motion.desiredMode(now: now), now: now)
    source.start()
  }

  private func take(_ notice: AccelerometerNotice, of source: AccelerometerSource, now: Moment) {
    switch notice {
    case .burst(let burst): process(motion.take(burst, now: now), now: now)
    case .moved: process(motion.moved(now: now), now: now)
    case .lost: process(motion.lost(), now: now)
    case .returned: process(motion.returned(now: now), now: now)
    case .sampling, .overrun, .doubtful, .lineUnusable, .selfTestFailed: break
    }
    if let event = EventRecord(notice, of: source.location) { process(.occurred(event), now: now) }
    source.setDesiredMode(motion.desiredMode(now: now), now: now)
    armMotionTimer()
  }

  func motionTimeout(now: Moment) {
    process(motion.handleTimeout(now: now), now: now)
    armMotionTimer()
  }

  /// Arms the timer of motion detection, which may share another wake-up.
  private func armMotionTimer() { motionTimer?.arm(at: motion.nextTimeout, slack: .seconds(10)) }

  private func process(_ events: [TrackerEvent], now: Moment) {
    for event in events { process(event, now: now) }
  }
}

extension LineWiring {
  init(_ settings: LineSettings) {
    self.init(chip: settings.chip, line: settings.line, isActiveLow: settings.isActiveLow)
  }
}
