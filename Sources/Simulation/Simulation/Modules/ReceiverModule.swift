import Quantities

/// A simulated GNSS module: it follows a ``CityRoute``, sends the messages of its family, accepts the
/// family's commands, sleeps, wakes and loses data. It shares no code with the logger's knowledge of
/// receivers.
public struct ReceiverModule: VirtualModule {
  public let model: ModuleModel
  private var core: ModuleCore
  private var firmware: any ModuleFirmware
  private var reader = HostFrameReader()

  /// Creates a module whose supply comes on at ``Moment/zero``, or stays off.
  public init(_ model: ModuleModel, options: ModuleOptions = ModuleOptions(), isOn: Bool = true) {
    self.model = model
    core = ModuleCore(options, speed: model.factorySpeed)
    firmware = model.firmware(options)
    if isOn { supplyComes(.flash) }
  }

  public var speed: UInt32 { core.line.speed }
  /// The faults from now on.
  public var faults: ModuleFaults {
    get { core.faults }
    set { core.set(newValue) }
  }

  /// True if the module neither runs nor starts.
  public var isAsleep: Bool {
    switch core.phase {
    case .off, .asleep: true
    case .starting, .running, .closing: false
    }
  }

  /// True if the module runs, has had a fix since its start, and has reception.
  public var hasFix: Bool { !isAsleep && core.navigation.fixedAt != nil && core.navigation.hasReception }

  public var nextMoment: Moment? {
    let event: Moment? =
      switch core.phase {
      case .off, .asleep(_, wakeAt: nil): nil
      case .asleep, .starting, .running, .closing: core.nextEvent
      }
    return [core.line.nextMoment, event].compactMap { $0 }.min()
  }

  public mutating func receive(_ bytes: [UInt8], at speed: UInt32, now: Moment) {
    advance(to: now)
    guard !bytes.isEmpty else { return }
    switch core.phase {
    case .off, .starting, .closing: return
    case .asleep(let sleep, _):
      if sleep.wakesByReceive, !core.faults.wakesOnlyByPin { wake(sleep) }
    case .running: handle(bytes, at: speed)
    }
  }

  public mutating func transmit(until now: Moment, to speed: UInt32) -> [UInt8] {
    advance(to: now)
    return core.fetch(at: speed)
  }

  public mutating func setSupply(_ isOn: Bool, now: Moment) {
    advance(to: now)
    guard isOn == (core.phase == .off) else { return }
    if isOn {
      supplyComes(core.options.hasBackupSupply ? .backup : .flash)
    } else {
      core.switchOff()
    }
  }

  public mutating func pulseWakePin(now: Moment) {
    advance(to: now)
    if case .asleep(let sleep, _) = core.phase, sleep.wakesByPin { wake(sleep) }
  }

  /// Switches the reception of the antenna on or off.
  public mutating func setReception(_ isOpen: Bool, now: Moment) {
    advance(to: now)
    core.setReception(isOpen)
  }

  // MARK: Supply and sleep

  private mutating func supplyComes(_ survivor: Survivor) {
    if survivor < .backup, core.clock > .zero { core.forget(for: .cold) }
    start(survivor, fromSleep: false)
    // The pin separates supply and start, as in a module that is off until pulsed.
    if firmware.waitsForPin {
      core.fallAsleep(.init(wakesByReceive: false, survivor: survivor))
    }
  }

  private mutating func start(_ survivor: Survivor, fromSleep: Bool) {
    reader.clear()
    core.start(
      survivor, fromSleep: fromSleep, after: fromSleep ? firmware.wakeTime : firmware.startTime)
  }

  private mutating func wake(_ sleep: ModuleCore.Sleep) { start(sleep.survivor, fromSleep: true) }

  private mutating func started(_ survivor: Survivor, fromSleep: Bool) {
    core.run()
    if fromSleep, core.faults.wakesTorn {
      core.send([0x00, 0xFF, 0xFF, 0x00] + Array("7,A,5231.1".utf8))
    }
    firmware.start(survivor, &core)
    core.sendUnasked()
    core.startNavigation()
  }

  // MARK: Time

  private mutating func advance(to now: Moment) {
    let now = min(max(now, core.clock), Moment(nanoseconds: 1 << 61))
    // The limit is exceeded only by a module in cyclic operation that was not queried for months.
    for _ in 0..<20_000 {
      core.skipEpochs(before: now)
      guard let moment = core.nextEvent, moment <= now else { break }
      core.advance(to: moment)
      happen()
    }
    core.advance(to: now)
  }

  private mutating func happen() {
    switch core.takeDueFault() {
    case .speedChange: return
    case .restart:
      if core.phase != .off {
        core.forget(for: .cold)
        start(.nothing, fromSleep: false)
      }
      return
    case nil: break
    }
    switch core.phase {
    case .off: break
    case .asleep(let sleep, _): wake(sleep)
    case .starting(_, let survivor, let fromSleep): started(survivor, fromSleep: fromSleep)
    case .running:
      guard !core.endCycle(), let epoch = core.takeEpoch() else { return }
      for message in firmware.messages(epoch) { core.send(message) }
    case .closing(let sleep): if core.line.isIdle { core.fallAsleep(sleep) }
    }
  }

  // MARK: The line

  private mutating func handle(_ bytes: [UInt8], at speed: UInt32) {
    var received = bytes
    if speed != core.line.speed {
      received = core.garbage(bytes.count, at: speed)
      firmware.handleDamage(received.count, &core)
      core.sendUnasked()
    }
    for frame in reader.read(received, binary: firmware.binary) {
      guard core.phase == .running, !core.faults.ignoresCommands else { return }
      execute(frame)
    }
  }

  private mutating func execute(_ frame: HostFrame) {
    if core.faults.refusesAll, let refusal = firmware.refusal(of: frame) {
      if !refusal.isEmpty { core.answer(refusal) }
    } else if core.faults.lies {
      var other = (firmware: firmware, core: core)
      other.firmware.handle(frame, &other.core)
      core.answer(as: other.core)
    } else {
      firmware.handle(frame, &core)
    }
    switch core.sendAnswers() {
    case nil: break
    case .speed(let speed): core.setSpeedAfterAnswers(speed)
    case .sleep(let sleep): if !core.faults.staysAwake { core.obey(sleep) }
    case .restart(let kind, let survivor):
      core.forget(for: kind)
      start(survivor, fromSleep: false)
    }
  }
}
