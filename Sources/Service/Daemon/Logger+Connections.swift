import LocalAPI
import Quantities
import Settings
import Store
import System
import Tracking

// What the controllers tell each other.
extension Logger {
  /// Connects the controllers.
  func connect() {
    connectTracking()
    connectDevices()
    connectLog()
    connectDelivery()
    connectSettings()
    connectNotifications()
    connectStream()
  }

  private func connectTracking() {
    tracking.outputs = TrackerController.Outputs(
      execute: { [unowned self] actions, now in execute(actions, now: now) },
      catchUp: { [unowned self] asks, now in receiver.catchUp(now: now, asks: asks) },
      caughtUp: { [unowned self] in settingsController.settleTripOverride() })
  }

  private func connectDevices() {
    receiver.outputs = ReceiverController.Outputs(
      speedMeasured: { [unowned self] speed, accuracy, now in
        sensors.take(speed: speed, accuracy: accuracy, at: now)
      },
      // With the records: the epochs that the receiver stores follow those of the log.
      identified: { [unowned self] receiver in log.post(.saveStateWithRecords(.receiver, receiver.text)) },
      epochTaken: { [unowned self] fix in
        let isPrivate = tracking.tracker.privacy.hides(fix)
        serving.share.epoch(fix, isPrivate: isPrivate)
        guard serving.publisher.isWatched else { return }
        serving.publisher.epoch(fix, totals: tracking.tracker.fixes.rejections.totals, isPrivate: isPrivate)
      },
      retrieved: { [unowned self] now in log.commit(now: now) },
      satellites: { [unowned self] sky in
        guard !tracking.tracker.privacy.isHidden else { return }
        serving.publisher.satellites(sky)
        serving.share.satellites(sky)
      },
      rawLine: { [unowned self] message in
        // The messages contain the position.
        guard !tracking.tracker.privacy.isHidden else { return }
        serving.publisher.line(message.line, now: context.loop.now)
        serving.share.message(message)
      })
    hotspot.outputs = HotspotController.Outputs(
      requestRadio: { [unowned self] proceed in
        guard let radio = delivery.radio else {
          proceed()
          return nil
        }
        return radio.requestNetwork(proceed)
      },
      releaseRadio: { [unowned self] token in delivery.radio?.done(token) },
      changed: { [unowned self] in serving.publisher.statusChanged() })
    serving.share.outputs = ShareController.Outputs(
      device: { [unowned self] in receiver.sharedDevice(time: context.loop.clock.timestamp()) },
      isPrivate: { [unowned self] in tracking.tracker.privacy.isHidden },
      watchersChanged: { [unowned self] in if !isStopped { followWatchers() } },
      failed: { [unowned self] address, reason in serving.note(failure: reason, of: address) })
    sensors.outputs = SensorController.Outputs(
      process: { [unowned self] event, now in tracking.process(event, now: now) },
      gaugeRead: { [unowned self] condition, now in power.process(condition, now: now) },
      batteryChanged: { [unowned self] condition, now in
        power.recordCharge(condition, now: now)
        serving.publisher.statusChanged()
      },
      networkChanged: { [unowned self] network, now in
        let isSwitchedOff = network == nil && delivery.radio?.hasSwitchedOff(now: now) ?? false
        tracking.process(isSwitchedOff ? .radioSwitchedOff : .network(network), now: now)
        if network != nil {
          delivery.networkReturned()
          delivery.retained.networkReturned()
        }
        serving.publisher.statusChanged()
      })
    power.outputs = PowerController.Outputs(
      consumers: { [unowned self] in
        PowerController.Consumers(
          receiver: receiver.energyState, isSensing: sensors.isSensing, isGauged: sensors.isGauged,
          radio: hotspot.isOn ? .sending : delivery.radioUse)
      },
      budgetChanged: { [unowned self] in delivery.configurationChanged() })
    power.hostSleep.outputs = HostSleepController.Outputs(
      situation: { [unowned self] _ in hostSituation },
      prepares: { [unowned self] now in settingsController.hostSleeps(now: now) },
      sleeps: { [unowned self] sleep in
        serving.hostSleeps(until: tracking.tracker.fixes.clock.timestamp(at: sleep.wake))
      },
      isAwake: { [unowned self] in serving.publisher.hostIsAwake() },
      intervals: { [unowned self] in delivery.intervalsText })
    supervision.outputs = SupervisionController.Outputs(
      summary: { [unowned self] in summary },
      logIsLate: { [unowned self] in receiver.start() },
      takeReplies: { [unowned self] now in log.takeReplies(now: now) })
  }

  private func connectLog() {
    log.outputs = LogController.Outputs(
      opened: { [unowned self] report, isFirst, now in
        if isFirst { opened(report, now: now) } else { delivery.logReopened() }
        supervision.report()
      },
      posted: { [unowned self] records, before in serving.publisher.posted(records, after: before) },
      replied: { [unowned self] reply, now in handle(reply, now: now) },
      willCommit: { [unowned self] now in power.saveLedger(now: now) },
      isAwaited: { [unowned self] now in
        notifications.awaitsLog || delivery.isWaitingForRecords(now: now)
      },
      failed: { [unowned self] reason in outputs.failed(reason) })
  }

  private func connectDelivery() {
    delivery.outputs = DeliveryController.Outputs(
      answered: { [unowned self] body, name in settingsController.handleResponse(body, from: name) },
      accepted: { [unowned self] taken, name in settingsController.handleAcceptedRecords(taken, by: name) },
      exchanged: { [unowned self] exchange, name in
        countSend(exchange.bytes)
        if [.retried, .halved].contains(exchange.consequence) { settingsController.handleFailure(by: name) }
        if delivery.isServer(name) { heartbeat.sendEnded() }
      },
      networkUp: { [unowned self] in notifications.networkUp() },
      registryChanged: { [unowned self] in settingsController.save(now: context.loop.now, atOnce: true) },
      isLoggingModeOnTrial: { [unowned self] name in
        settingsController.state.server.isLoggingModeOnTrial(for: name)
      },
      canMeasure: { [unowned self] in receiver.isPresent })
    delivery.fleet.outputs = FleetController.Outputs(
      report: { [unowned self] destination, settingsHash, answer in
        deviceReport(for: destination, settingsHash, answer)
      })
    delivery.retained.outputs = RetainedController.Outputs(
      save: { [unowned self] text, withRecords in
        log.post(withRecords ? .saveStateWithRecords(.retained, text) : .saveState(.retained, text))
      },
      requestRadio: { [unowned self] proceed in
        guard let radio = delivery.radio else {
          proceed()
          return nil
        }
        return radio.requestNetwork(proceed)
      },
      releaseRadio: { [unowned self] token in delivery.radio?.done(token) })
    delivery.fleet.questions.outputs = QuestionController.Outputs(
      requestPosition: { [unowned self] name in
        delivery.requestPosition(for: [name], now: context.loop.now)
      },
      gaps: { [unowned self] in GapSummary(of: self) },
      examine: { [unowned self] done in examineSystem(done) },
      save: { [unowned self] text in log.post(.saveState(.questions, text)) })
    delivery.probes.time = { [unowned self] in
      tracking.tracker.fixes.clock.timestamp(at: context.loop.now)
    }
    delivery.probes.ended = { [unowned self] in serving.publisher.statusChanged() }
  }

  private func connectNotifications() {
    notifications.outputs = NotificationController.Outputs(
      commit: { [unowned self] in
        guard log.isOpen, log.failure == nil else { return nil }
        log.commit(now: context.loop.now)
        return log.newestID
      },
      isNetworkUp: { [unowned self] in delivery.radio?.schedule.isUp ?? true },
      newestID: { [unowned self] in log.isOpen ? log.newestID : nil },
      save: { [unowned self] text in log.post(.saveStateWithRecords(.notifications, text)) })
    heartbeat.outputs = HeartbeatController.Outputs(
      faults: { [unowned self] in healthFaults }, radio: { [unowned self] in delivery.radio })
  }

  private func connectSettings() {
    settingsController.outputs = SettingsController.Outputs(
      apply: { [unowned self] next, changes in adopt(next, changes) },
      dropQueues: { [unowned self] names in delivery.dropQueues(of: names) },
      checkIn: { [unowned self] names, now in delivery.checkIn(with: names, now: now) },
      loggingModeProven: { [unowned self] in delivery.configurationChanged() },
      complete: { [unowned self] stored in delivery.store(in: &stored) })
  }

  /// Passes a reply of the log's worker to the controllers that it concerns.
  private func handle(_ reply: StoreAnswer, now: Moment) {
    if reply.indicatesFlush { power.countFlush() }
    delivery.handle(reply, now: now)
    switch reply {
    case .settingsKept(let failure): settingsController.saved(failure, now: now)
    case .token(let token, let isDurable):
      if power.hostSleep.host?.handleToken(token, isDurable: isDurable) != true {
        supervision.workerAnswered(token, now: now)
      }
    case .acknowledged, .dropped, .rewound, .registered: serving.publisher.queueChanged()
    case .dated: serving.publisher.statusChanged()
    case .room: sensors.checkBoardSupply(now: now)
    case .committed(let group):
      serving.publisher.committed(group.ids)
      notifications.logCommitted(through: group.ids.upperBound.rawValue)
    case .status: serving.publisher.logInspected()
    // The start does not depend on the log: the supervisor must not wait for it.
    case .failing:
      supervision.startIsComplete()
      notifications.logCommitted(through: nil)
    case .opened, .refused, .batch, .batchBoundaryCommitted,
      .newestLocation, .closed, .written, .expired, .wrote, .commitLatency, .missing,
      .checked, .damaged,
      .recovered:
      break
    }
    supervision.report()
  }
}
