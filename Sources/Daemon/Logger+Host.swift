import Devices
import Energy
import LocalAPI
import Quantities
import Records
import Settings
import SystemLoop
import Tracking
import Uplink

// Sleep of the host between two tasks.
extension Logger {
  /// Starts the control of host sleep, if it is configured.
  func startHost() {
    guard let rules = HostRules(configuration) else { return }
    let duty =
      host
      ?? HostDuty(
        rules,
        HostSwitch(
          rules.depth, program: configuration.host.down,
          clock: configuration.clockChip.map { ClockChip(path: $0) }, loop: loop), loop: loop)
    host = duty
    duty.situation = { [unowned self] now in hostSituation(now: now) }
    duty.date = { [unowned self] moment in tracker.clock.timestamp(at: moment) }
    duty.onPrepare = { [unowned self] sleep, token in prepare(sleep, token: token) }
    duty.onGoing = { [unowned self] _ in energyDuty.book.note(.host, does: .hostDown, now: loop.now) }
    duty.onStayUp = { [unowned self] reason, retry in stayUp(reason, retry: retry) }
    duty.onWoke = { [unowned self] waking in woke(waking) }
    // An alarm that an earlier run has set is obsolete.
    if let error = duty.means.cancelAlarm(evenIfUnknown: true) {
      journal.say(
        .warning, "rtc: \(error); the host stays awake without a wake-up alarm; check the permissions")
    }
  }

  // MARK: The situation

  private func hostSituation(now: Moment) -> HostSituation {
    if let hold = hostHold { return HostSituation(hold: hold) }
    var needs = configuration.isTracking ? tracker.hostNeeds : []
    needs +=
      deliveries.values.compactMap { $0.delivery?.machine.nextTimeout }.min().map {
        [HostNeed(.send, at: $0)]
      } ?? []
    needs += book.server.nextTimeout.map { [HostNeed(.checkIn, at: $0)] } ?? []
    return HostSituation(hold: nil, needs: needs)
  }

  private var hostHold: HostHold? {
    if !configuration.host.whileFed, isFed { return .fed }
    if configuration.isTracking {
      // At one fix a second these two suffice; the next one copies the tracker.
      if tracker.isTripRunning { return .trip }
      if tracker.receiverState?.isPowered ?? true { return .receiver }
      if let hold = tracker.hostHold(wakesOnMotion: configuration.host.wakesOnMotion) { return hold }
    }
    if isReceiverTold { return .receiver }
    let isLast = powerDuty.timer?.isArmed ?? false
    if isLast || !checkIn.waiting.isEmpty || deliveries.values.contains(where: { $0.isBusy }) {
      return .sending
    }
    if isRadioInUse { return .radio }
    if notifier?.queue.isBusy == true { return .notification }
    if !storeState.isOpen || storeState.trouble != nil || !storeState.refusedJobs.isEmpty || !book.isDurable {
      return .storage
    }
    if !book.server.trials.isEmpty { return .trial }
    return host?.hasVisitor == true ? .visitor : nil
  }

  /// True while the radio prevents sleep. A halt switches it off; in suspend it would stay on.
  private var isRadioInUse: Bool {
    guard let plan = radio?.plan, plan.isOn else { return false }
    return configuration.host.sleep == .suspend || !plan.isUp
  }

  /// True on mains, and while a battery or vehicle supply is charged.
  private var isFed: Bool {
    switch configuration.supply {
    case .mains: true
    case .vehicle, .battery: tracker.battery.map { [.charging, .full].contains($0.state) } ?? false
    }
  }

  /// True during a dialogue with the receiver and until it is asleep. A receiver that does not respond prevents no sleep.
  private var isReceiverTold: Bool {
    switch line?.state {
    case .identifying, .configuring, .fallingAsleep, .waking: true
    case .closed, .finding, .running, .asleep, nil: false
    }
  }

  // MARK: Sleep and wake-up

  private func prepare(_ sleep: HostSleep, token: UInt64) {
    let now = loop.now
    let note = HostNote(
      boot: ProcessSurroundings.bootIdentity, depth: sleep.depth, planned: sleep.planned,
      clockChip: host?.means.seconds)
    post(.noteWithRecords(.host, note.text))
    let event = EventRecord(
      .hostSleeping,
      [
        .mode: .text(sleep.depth.rawValue), .wake: .seconds(sleep.planned),
        .wakeReason: .text(sleep.need.purpose.field),
      ])
    tell(.occurred(event), now: now)
    keepEnergy(now: now, isLast: true)
    commit(now: now)
    post(.token(token))
  }

  private func stayUp(_ reason: String, retry: Duration?) {
    let now = loop.now
    energyDuty.book.note(.host, does: .hostBase, now: now)
    post(.noteWithRecords(.host, ""))
    let event = EventRecord(
      .hostStaysUp,
      [
        .reason: .text(reason), .retry: retry.map { .seconds($0) },
        .failures: host.map { .integer($0.plan.failures) },
      ])
    tell(.occurred(event), now: now)
  }

  private func woke(_ waking: HostWaking) {
    let now = loop.now
    energyDuty.book.note(.host, does: .hostBase, now: now)
    if let cycle = host?.plan.rules.currents?.cycle, waking.planned != nil {
      energyDuty.book.note(cycle, to: .hostCycle)
    }
    post(.noteWithRecords(.host, ""))
    tell(.occurred(EventRecord(.hostWoke, waking.fields)), now: now)
  }

  /// Handles the note about the sleep of the host that an earlier run left in the log.
  func hostReturned(_ text: String) {
    guard let note = HostNote(text: text) else { return }
    let chip = host?.means.seconds ?? configuration.clockChip.flatMap { try? ClockChip(path: $0).seconds() }
    guard
      let waking = note.waking(
        boot: ProcessSurroundings.bootIdentity, uptime: loop.now - Moment.zero, clockChip: chip)
    else {
      // Only the logger was restarted, so the note is obsolete.
      return post(.noteWithRecords(.host, ""))
    }
    if let slept = waking.slept { energyDuty.book.spend(slept, as: .hostDown) }
    if let host { host.restored(waking) } else { woke(waking) }
  }

  /// Keeps the host awake because a client uses the local API.
  public func wasAsked() { host?.visited(now: loop.now) }

  var hostReport: StatusReport.Host? {
    guard let plan = host?.plan else { return nil }
    return StatusReport.Host(
      state: plan.isGoing ? "going down" : "up", reason: plan.verdict(now: loop.now).words(now: loop.now),
      sleeps: Int(clamping: plan.sleeps), slept_s: plan.slept.inSeconds.rounded(),
      failures: Int(clamping: plan.failures))
  }
}

extension DestinationLane {
  /// True while an operation is in progress that ends without new input.
  var isBusy: Bool {
    switch delivery?.machine.phase {
    case .loading, .shortening, .committingBorder, .awaitingAcknowledgement, .posting: true
    case .resting, .backingOff, nil: false
    }
  }
}
