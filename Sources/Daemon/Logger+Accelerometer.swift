import Chips
import Devices
import Motion
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
    let now = loop.now
    motion = MotionDuty(now: now)
    // The plan relies on a sensor before it has spoken.
    tell(.evidence(.accelerometer, isActive: false), now: now)
    source.want(motion.demand(now: now), now: now)
    source.start()
  }

  private func take(_ notice: AccelerometerNotice, of source: AccelerometerSource, now: Moment) {
    switch notice {
    case .burst(let burst): for answer in motion.take(burst) { follow(answer, now: now) }
    case .moved: motion.moved(now: now)
    case .lost: tell(.evidenceLost(.accelerometer), now: now)
    case .returned: tell(.evidence(.accelerometer, isActive: motion.classifier.isMoving), now: now)
    case .sampling, .overrun, .doubtful, .lineUnusable, .selfTestFailed: break
    }
    if let event = EventRecord(notice, of: source.place) { tell(.occurred(event), now: now) }
    source.want(motion.demand(now: now), now: now)
  }

  /// What moves, and how: the tracker hears of what has changed.
  private func follow(_ answer: MotionAnswer, now: Moment) {
    let told = motionTold
    motionTold = answer
    if answer.isMoving != told?.isMoving {
      tell(.evidence(.accelerometer, isActive: answer.isMoving), now: now)
    }
    if answer.steps != told?.steps { tell(.steps(Int32(clamping: answer.steps)), now: now) }
    guard answer.states != told?.states else { return }
    tell(.motion(answer.states), now: now)
    let words = MotionStates.words.filter { answer.states.contains($0.state) }.map { "\($0.word)" }
    tell(
      .occurred(
        EventRecord(
          .motionChanged,
          detail: words.isEmpty ? "unknown" : "\(words.joined(separator: ", ")) (\(answer.confidence))",
          value: Int64(clamping: answer.steps))), now: now)
  }
}

extension LineWiring {
  init(_ settings: LineSettings) {
    self.init(chip: settings.chip, line: settings.line, isActiveLow: settings.isActiveLow)
  }
}
