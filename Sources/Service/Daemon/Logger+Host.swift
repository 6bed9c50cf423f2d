import LoggerConfiguration
import Devices
import Energy
import LocalAPI
import Quantities
import Records
import Scheduling
import Settings
import System
import Uplink

// Sleep of the host between two tasks.
extension Logger {
  /// Starts the control of host sleep, if it is configured.
  func startHost() {
    guard let rules = HostRules(configuration) else { return }
    let controller =
      host
      ?? HostController(
        rules,
        HostSwitch(
          rules.depth, program: configuration.host.down,
          clock: configuration.clockChip.map { ClockChip(path: $0) }, loop: loop), loop: loop)
    host = controller
    controller.situation = { [unowned self] now in hostSituation(now: now) }
    controller.date = { [unowned self] moment in tracker.clock.timestamp(at: moment) }
    controller.onPrepare = { [unowned self] sleep, token in prepare(sleep, token: token) }
    controller.onGoing = { [unowned self] _ in
      energyMonitor.ledger.record(.host, drawing: .hostDown, now: loop.now)
    }
    controller.onStayUp = { [unowned self] reason, retry in stayUp(reason, retry: retry) }
    controller.onWoke = { [unowned self] waking in woke(waking) }
    // An alarm that an earlier run has set is obsolete.
    if let error = controller.means.cancelAlarm(evenIfUnknown: true) {
      journal.log(
        .warning, "rtc: \(error); the host stays awake without a wake-up alarm; check the permissions")
    }
  }

  // MARK: The situation

  private func hostSituation(now: Moment) -> HostSituation {
    if let inhibitor = hostSleepInhibitor { return HostSituation(inhibitor: inhibitor) }
    var needs = configuration.isTracking ? tracker.hostNeeds : []
    needs +=
      deliveries.values.compactMap { $0.delivery?.machine.nextTimeout }.min().map {
        [HostNeed(.send, at: $0)]
      } ?? []
    needs += settingsState.server.nextTimeout.map { [HostNeed(.checkIn, at: $0)] } ?? []
    return HostSituation(inhibitor: nil, needs: needs)
  }

  private var hostSleepInhibitor: HostSleepInhibitor? {
    if !configuration.host.whileFed, isExternallySupplied { return .fed }
    if configuration.isTracking {
      // At one fix a second these two suffice; the next one copies the tracker.
      if tracker.isTripRunning { return .trip }
      if tracker.receiverState?.isPowered ?? true { return .receiver }
      if let inhibitor = tracker.hostSleepInhibitor(wakesOnMotion: configuration.host.wakesOnMotion) {
        return inhibitor
      }
    }
    if isReceiverBusy { return .receiver }
    let isLast = powerController.timer?.isArmed ?? false
    if isLast || !checkIn.waiting.isEmpty || deliveries.values.contains(where: { $0.isBusy }) {
      return .sending
    }
    if isRadioInUse { return .radio }
    if notifier?.queue.isBusy == true { return .notification }
    if !storeState.isOpen || storeState.trouble != nil || !storeState.refusedJobs.isEmpty
      || !settingsState.isDurable
    {
      return .storage
    }
    if !settingsState.server.trials.isEmpty { return .trial }
    return host?.hasClient == true ? .visitor : nil
  }

  /// True while the radio prevents sleep. A halt switches it off; in suspend it would stay on.
  private var isRadioInUse: Bool {
    guard let schedule = radio?.schedule, schedule.isOn else { return false }
    return configuration.host.sleep == .suspend || !schedule.isUp
  }

  /// True on mains, and while a battery or vehicle supply is charged.
  private var isExternallySupplied: Bool {
    switch configuration.supply {
    case .mains: true
    case .vehicle, .battery: tracker.battery.map { [.charging, .full].contains($0.state) } ?? false
    }
  }

  /// True during a dialogue with the receiver and until it is asleep. A receiver that does not respond prevents no sleep.
  private var isReceiverBusy: Bool {
    switch line?.state {
    case .identifying, .configuring, .fallingAsleep, .waking: true
    case .closed, .finding, .running, .asleep, nil: false
    }
  }

  // MARK: Sleep and wake-up

  private func prepare(_ sleep: HostSleep, token: UInt64) {
    let now = loop.now
    let note = SavedHostSleep(
      boot: ProcessEnvironment.bootIdentity, depth: sleep.depth, planned: sleep.planned,
      clockChip: host?.means.seconds)
    post(.saveStateWithRecords(.host, note.text))
    let event = EventRecord(
      .hostSleeping,
      [
        .mode: .text(sleep.depth.rawValue), .wake: .seconds(sleep.planned),
        .wakeReason: .text(sleep.need.purpose.field),
      ])
    process(.occurred(event), now: now)
    keepEnergy(now: now, isLast: true)
    commit(now: now)
    post(.token(token))
  }

  private func stayUp(_ reason: String, retry: Duration?) {
    let now = loop.now
    energyMonitor.ledger.record(.host, drawing: .hostBase, now: now)
    post(.saveStateWithRecords(.host, ""))
    let event = EventRecord(
      .hostStaysAwake,
      [
        .reason: .text(reason), .retry: retry.map { .seconds($0) },
        .failures: host.map { .integer($0.schedule.failures) },
      ])
    process(.occurred(event), now: now)
  }

  private func woke(_ waking: HostWaking) {
    let now = loop.now
    energyMonitor.ledger.record(.host, drawing: .hostBase, now: now)
    if let cycle = host?.schedule.rules.currents?.cycle, waking.planned != nil {
      energyMonitor.ledger.record(cycle, to: .hostCycle)
    }
    post(.saveStateWithRecords(.host, ""))
    process(.occurred(EventRecord(.hostWoke, waking.fields)), now: now)
  }

  /// Handles the note about the sleep of the host that an earlier run left in the log.
  func hostReturned(_ text: String) {
    guard let note = SavedHostSleep(text: text) else { return }
    let chip = host?.means.seconds ?? configuration.clockChip.flatMap { try? ClockChip(path: $0).seconds() }
    guard
      let waking = note.waking(
        boot: ProcessEnvironment.bootIdentity, uptime: loop.now - Moment.zero, clockChip: chip)
    else {
      // Only the logger was restarted, so the note is obsolete.
      return post(.saveStateWithRecords(.host, ""))
    }
    if let slept = waking.slept { energyMonitor.ledger.spend(slept, as: .hostDown) }
    if let host { host.restored(waking) } else { woke(waking) }
  }

  /// Keeps the host awake because a client uses the local API.
  public func requestReceived() { host?.keepAwakeForClient(now: loop.now) }

  var hostReport: StatusReport.Host? {
    guard let schedule = host?.schedule else { return nil }
    return StatusReport.Host(
      state: schedule.isGoingToSleep ? "going down" : "up",
      reason: schedule.verdict(now: loop.now).text(now: loop.now),
      sleeps: Int(clamping: schedule.sleeps), slept_s: schedule.slept.inSeconds.rounded(),
      failures: Int(clamping: schedule.failures))
  }
}

extension DeliveryPipeline {
  /// True while an operation is in progress that ends without new input.
  var isBusy: Bool {
    switch delivery?.machine.phase {
    case .loading, .shortening, .committingBatchBoundary, .awaitingAcknowledgement, .posting: true
    case .idle, .backingOff, nil: false
    }
  }
}
