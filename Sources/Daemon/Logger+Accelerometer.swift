import Chips
import Devices
import Quantities
import Records
import Settings
import SystemLoop

extension Logger {
  /// Runs the accelerometer of the board, where there is one. A logger without it, or with one that fails, is still a
  /// logger.
  func startAccelerometer() {
    guard let settings = configuration.accelerometer else { return }
    guard let part = AccelerometerPart.named(settings.chip),
      let address = settings.address.map({ I2CAddress($0) }) ?? part.addresses.first
    else {
      journal.say(.warning, "accelerometer.chip: no driver for \(settings.chip); movement is not felt")
      return
    }
    let source = AccelerometerSource(
      loop: loop, path: settings.bus, part: part, address: address,
      interrupt: settings.interrupt.map(LineWiring.init), openBus: openBus)
    source.onNotice = { [unowned self, unowned source] notice, now in
      take(notice, of: source, now: now)
    }
    source.onLineRefused = { [unowned self] error in
      journal.say(
        .warning, "accelerometer.interrupt: \(error); the part is polled (is the user in the group gpio?)")
    }
    accelerometer = source
    accelerometerDuty = AccelerometerDuty(now: loop.now)
    source.want(accelerometerDuty.demand, now: loop.now)
    source.start()
  }

  private func take(_ notice: AccelerometerNotice, of source: AccelerometerSource, now: Moment) {
    switch notice {
    case .burst(let burst): accelerometerDuty.take(burst, now: now)
    case .moved: accelerometerDuty.moved(now: now)
    case .sampling, .overrun, .doubtful, .lineUnusable, .selfTestFailed, .lost, .returned: break
    }
    if let event = EventRecord(notice, of: source.place) { tell(.occurred(event), now: now) }
    source.want(accelerometerDuty.demand, now: now)
  }
}

extension LineWiring {
  init(_ settings: LineSettings) {
    self.init(chip: settings.chip, line: settings.line, isActiveLow: settings.isActiveLow)
  }
}
