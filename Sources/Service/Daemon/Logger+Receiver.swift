import LoggerConfiguration
import Devices
import Energy
import GNSSReceiver
import Quantities
import Records
import Settings
import Store
import System

extension Logger {
  /// Opens the port, or connects to gpsd, when the log is open or slow to open.
  ///
  /// `known` describes the receiver as an earlier run found it.
  func startReceiver(known: String? = nil) {
    receiverTimer?.arm(at: nil)
    guard line == nil, gpsd == nil else { return }
    knownReceiver = known ?? knownReceiver
    if configuration.receiver.gpsd != nil, !configuration.isTracking { return }
    if let address = configuration.receiver.gpsd {
      start(GPSDSource(loop: loop, host: address.host, port: address.port))
    } else if let port = configuration.receiver.port {
      requestedSetUp = SetUp(configuration, inTrip: tripRuns)
      start(
        ReceiverLine(
          loop: loop, path: port, settings: DialogueSettings(configuration, inTrip: tripRuns),
          known: knownReceiver.flatMap { KnownReceiver(text: $0) }, supply: receiverSwitch()))
    }
  }

  /// Follows the master switch. gpsd deactivates a receiver without clients.
  func switchReceiver() {
    if configuration.isTracking {
      firstFix.trackingBegan(now: loop.now)
      if receiverSleeps {
        applySchedule(until: tracker.scheduleTimeout, now: loop.now)
      } else {
        line?.request(.awake)
      }
      if line == nil, storeState.isOpen { startReceiver() }
    } else {
      line?.request(.asleep(for: nil))
      gpsd?.stop()
      gpsd = nil
      receiverFault = nil
    }
  }

  /// The switch of the receiver's supply, switched on; nil if none is configured or its line is not available.
  private func receiverSwitch() -> SupplySwitch? {
    guard let settings = configuration.receiver.enable else { return nil }
    do throws(SystemError) {
      let line = try OutputLine(wiring: LineWiring(settings), isActive: true)
      return { isOn throws(SystemError) in try line.set(isOn) }
    } catch {
      journal.log(
        .warning,
        "receiver.enable: \(error); the receiver's supply is not switched; check the line and the group gpio"
      )
      return nil
    }
  }

  private func start(_ line: ReceiverLine) {
    line.onWithheld = { [unowned self] fix, now in process(.withheld(fix), now: now) }
    line.onCaughtUp = { [unowned self] now in caughtUp(now: now) }
    line.onSignalStrength = { [unowned self] strongest, now in
      process(.received(strongest: strongest), now: now)
    }
    line.onNotice = { [unowned self, unowned line] notice in take(notice, port: line.path) }
    line.startAid = { [unowned self] now in
      let known = tracker.clock.quality == .receiver ? tracker.clock.timestamp(at: now) : nil
      return StartAid(
        receiverTime: known, systemTime: loop.clock.error().map { (loop.clock.timestamp(), $0) },
        lastLocation: tracker.lastLocation, isOfThisBoot: tracker.kept > 0, now: now)
    }
    line.onRemember = { [unowned self] receiver in post(.saveState(.receiver, receiver.text)) }
    self.line = line
    begin(line, reference: timeReference())
  }

  private func start(_ gpsd: GPSDSource) {
    gpsd.onNotice = { [unowned self, unowned gpsd] notice in
      let event = EventRecord(notice, of: gpsd)
      switch notice {
      case .found, .recovered: receiverFault = nil
      case .lost, .silent: receiverFault = event.line
      }
      firstFix.received(event, now: loop.now)
      process(.occurred(event), now: loop.now)
    }
    self.gpsd = gpsd
    begin(gpsd)
  }

  /// The reference clock of chrony; nil if none is configured.
  private func timeReference() -> ChronyReference? {
    configuration.clock.chrony.map { path in
      ChronyReference(path: path) { [unowned self] level, line in journal.log(level, line) }
    }
  }

  private func begin(_ source: some ReceiverSource, reference: ChronyReference? = nil) {
    source.onEpoch = { [unowned self] fix, now in
      processWaitingEvents(until: now)
      energyMonitor.hasFix = fix.kind != .none
      facts.fixes.take(fix, now: now)
      if fix.kind != .none, let speed = fix.speed {
        sensors.take(speed: speed, accuracy: fix.speedAccuracy, at: now)
      }
      let began = line?.epochBegan
      process(.epoch(fix, systemClock: loop.clock.timestamp()), now: now)
      reference?.take(fix, began: began, now: now, device: tracker.clock)
      // Directly after its epoch, even if the receiver has more epochs buffered.
      if let event = firstFix.take(fix, now: now) {
        carryOut(tracker.handle(.occurred(event), now: now), now: now)
      }
      listenForSatellites()
    }
    source.start()
    listenForSatellites()
    if !configuration.isTracking {
      line?.request(.asleep(for: nil))
    } else if receiverSleeps {
      applySchedule(until: tracker.scheduleTimeout, now: loop.now)
    }
  }

  /// Brings the receiver into the scheduled state, if receiver control or a supply switch permits it.
  ///
  /// Another receiver keeps sending, and the tracker uses the epochs that it needs.
  func bring(receiver state: ReceiverState, until: Moment?, now: Moment) {
    receiverSleeps = !state.isPowered
    listenForSatellites()
    applySchedule(until: until, now: now)
  }

  /// Requests signal strengths, which are needed only during an acquisition.
  private func listenForSatellites() { line?.reportsSignalStrength = tracker.receiverState == .searching }

  /// Sets the desired power state of the receiver.
  private func applySchedule(until: Moment?, now: Moment) {
    guard let line, configuration.isTracking, canSleep else { return }
    line.request(.power(tracker.receiverState == .cyclic ? .cyclic(seconds: 1) : .continuous))
    line.request(
      receiverSleeps
        ? .asleep(
          for: until.map { max($0 - now, .seconds(1)) }, withoutSupply: tracker.receiverState == .off)
        : .awake)
  }

  /// True if the receiver accepts commands or its supply can be switched.
  private var canSleep: Bool {
    configuration.receiver.control == .full || configuration.receiver.enable != nil
  }

  /// Sends a changed receiver configuration, which may differ during a trip.
  func changeReceiver() {
    guard let line, let newSetUp = SetUp(configuration, inTrip: tripRuns), newSetUp != requestedSetUp else {
      return
    }
    requestedSetUp = newSetUp
    line.request(.setUp(newSetUp))
  }

  /// Reports to the tracker if the receiver offers cyclic tracking, by its family and its responses.
  private func followCyclicMode() {
    let isOffered = line?.offersCyclicMode ?? false
    guard isOffered != tracker.hasCyclicMode else { return }
    process(.cyclicMode(isOffered: isOffered), now: loop.now)
  }

  private func take(_ notice: LineNotice, port: String) {
    if case .dialogue(.identified(let identity)) = notice {
      process(.receiverIdentified(identity.family), now: loop.now)
    }
    followCyclicMode()
    guard let event = EventRecord(notice, port: port, now: loop.now) else {
      if let words = notice.words { journal.log(.debug, "receiver: \(port): \(words)") }
      return
    }
    switch event.kind {
    case .receiverFound, .receiverRecovered: receiverFault = nil
    case .receiverLost, .receiverSilent, .receiverGarbled, .receiverFault: receiverFault = event.line
    default: break
    }
    firstFix.received(event, now: loop.now)
    process(.occurred(event), now: loop.now)
  }
}
