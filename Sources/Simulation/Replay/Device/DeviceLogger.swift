import Energy
import GNSSProtocol
import Quantities
import Records
import Scheduling
import Tracking

/// A logger on a host that sleeps: the product's own tracker and host schedule, started anew after each sleep with the state
/// that was saved before it.
///
/// The host takes its time to stop and to start; what happens meanwhile waits. The first start of the day counts as one by
/// the alarm, so that the day is one of many.
struct DeviceLogger: DayLogger, ~Copyable {
  private enum Phase: Equatable {
    case on
    case stopping(HostSleep, until: Moment)
    case down(HostSleep, since: Moment)
    case starting(Start, until: Moment)
  }

  /// A start after a sleep.
  private struct Start: Equatable {
    var sleep: HostSleep
    var downSince: Moment
    var at: Moment
    var isByMotion: Bool
  }

  private var tracker: Tracker
  private let settings: TrackerSettings
  private let model: DeviceModel
  private let calendar: WorldCalendar
  private let task: (any DeviceTask)?
  private var schedule: HostSchedule?
  private var ledger: EnergyLedger
  private var account: DeviceAccount
  private var phase = Phase.on
  private var onSince = Moment.zero
  /// The last state from the accelerometer, and the one that the running program knows.
  private var edge: MotionEdge?
  private var reported: MotionEdge?
  /// The state and the last location in the log.
  private var saved: String?
  private var lastLocation: LogRecord?
  /// The start that waits for its first location.
  private var awaited: Start?
  /// The epochs that the receiver stores while the host is off.
  private var store = EpochStore()
  private var sending: Moment?
  private var lastSession: Moment?

  init(
    _ settings: TrackerSettings, _ model: DeviceModel, calendar: WorldCalendar, task: (any DeviceTask)?
  ) {
    self.task = task
    self.settings = settings
    self.model = model
    self.calendar = calendar
    tracker = Tracker(settings: settings)
    ledger = EnergyLedger(model.currents, now: .zero)
    account = DeviceAccount(model.currents)
  }

  // MARK: The world

  var nextTimeout: Moment? {
    switch phase {
    case .stopping(_, let until), .starting(_, let until): until
    case .down(let sleep, _): sleep.wake
    // Nothing is decided before the epochs of the past are there.
    case .on where store.isSending: store.nextTimeout
    case .on:
      [
        tracker.summary.nextTimeout, tracker.summary.scheduleTimeout, schedule?.nextTimeout, sending,
        store.nextTimeout, task?.nextTimeout,
        model.radio.flatMap { radio in lastSession.map { $0 + radio.interval } },
      ].compactMap { $0 }.min()
    }
  }

  mutating func handle(_ event: WorldEvent, now: Moment) -> [WorldAction] {
    switch event {
    case .started: return begin(now: now)
    case .accelerometer(let next):
      edge = next
      guard phase == .on, !store.isSending else {
        if next.isMoving { moved(now: now) }
        return []
      }
      return reportMotion(now: now) + look(now: now)
    case .received(let strongest):
      return whileOn(.received(strongest: strongest), now: now)
    case .epoch(let fix):
      if let stored = model.storedEpochs, phase != .on || store.isSending {
        store.keep(fix, at: now, capacity: stored.capacity)
        return []
      }
      return whileOn(.epoch(calendar.dated(fix), systemClock: calendar.timestamp(now)), now: now)
    }
  }

  mutating func handleTimeout(now: Moment) -> [WorldAction] {
    switch phase {
    case .stopping(let sleep, let until):
      guard now >= until else { return [] }
      ledger.record(.host, drawing: .hostDown, now: now)
      phase = .down(sleep, since: now)
      // Motion during the shutdown starts the host as soon as its supply is cut.
      if edge != reported, edge?.isMoving == true { moved(now: now) }
      return []
    case .down(let sleep, let since):
      guard now >= sleep.wake else { return [] }
      start(Start(sleep: sleep, downSince: since, at: now, isByMotion: false), now: now)
      return []
    case .starting(let start, let until): return now >= until ? resume(start, now: now) : []
    case .on:
      if let sending, now >= sending { endSession(now: now) }
      if store.isSending { return store.hasSent(now: now) ? takeStored(now: now) + look(now: now) : [] }
      store.handleTimeout(now: now)
      if let task, let next = task.nextTimeout, next <= now { task.handleTimeout(now: now) }
      var actions = perform(tracker.handleTimeout(now: now), now: now)
      if schedule?.isGoingToSleep == true {
        let next = schedule?.handleTimeout(now: now)
        actions += carryOut(next, now: now)
      }
      return actions + look(now: now)
    }
  }

  mutating func finish(now: Moment) -> DeviceAccount? {
    if case .on = phase { account.hostOn += now - onSince }
    account.lostEpochs = store.lost
    account.charges = ledger.account(now: now)
    return account
  }

  private mutating func whileOn(_ event: TrackerEvent, now: Moment) -> [WorldAction] {
    phase == .on && !store.isSending ? process(event, now: now) + look(now: now) : []
  }

  // MARK: The program

  private mutating func begin(now: Moment) -> [WorldAction] {
    ledger = EnergyLedger(model.currents, now: now)
    ledger.record(.host, drawing: .hostBase, now: now)
    ledger.record(.accelerometer, drawing: edge == nil ? nil : .accelerometer, now: now)
    ledger.record(.gauge, drawing: model.hasGauge ? .gauge : nil, now: now)
    ledger.record(.overhead, drawing: .overhead, now: now)
    ledger.recordRadio(.idle, now: now)
    onSince = now
    lastSession = model.radio.map { _ in now }
    task?.started(now: now)
    if let rules = model.host {
      var schedule = HostSchedule(rules, now: now)
      _ = schedule.restored(HostWaking(slept: .seconds(3600), planned: .seconds(3600)), now: now)
      self.schedule = schedule
    }
    let actions =
      process(.cyclicMode(isOffered: true), now: now) + reportMotion(now: now)
      + process(.started(lastLocation: nil), now: now)
    // Without a tracking policy the receiver is always on.
    let first: [WorldAction] = tracker.summary.receiverState == nil ? [.receiver(.tracking)] : []
    return first + actions + look(now: now)
  }

  /// The program starts again on a host that was down.
  private mutating func resume(_ start: Start, now: Moment) -> [WorldAction] {
    guard let rules = model.host else { return [] }
    phase = .on
    onSince = now
    reported = nil
    ledger.record(.host, drawing: .hostBase, now: now)
    tracker = Tracker(settings: settings)
    let waking = HostWaking(
      slept: start.at - start.downSince, planned: start.sleep.planned,
      reason: start.isByMotion ? .button : .alarm)
    var schedule = HostSchedule(rules, now: now)
    schedule.alarms = self.schedule?.alarms ?? AlarmRecord()
    _ = schedule.restored(waking, now: now)
    self.schedule = schedule
    awaited = start
    task?.started(now: now)
    var actions: [WorldAction] = []
    if let saved { actions += process(.restored(saved), now: now) }
    actions += process(.cyclicMode(isOffered: true), now: now)
    let resumption = waking.resumption(wakesOnMotion: rules.wakesOnMotion, uptime: now - start.at)
    actions += process(.started(lastLocation: lastLocation, resuming: resumption), now: now)
    if let stored = model.storedEpochs, store.send(stored, now: now) { return actions + look(now: now) }
    actions += reportMotion(now: now)
    return actions + look(now: now)
  }

  /// Handles the epochs that the receiver has stored, each at its own time, then what waited for them.
  private mutating func takeStored(now: Moment) -> [WorldAction] {
    var actions: [WorldAction] = []
    for (fix, moment) in store.take(model.storedEpochs, now: now) {
      let epoch = TrackerEvent.epoch(calendar.dated(fix), systemClock: calendar.timestamp(moment))
      actions += perform(tracker.handle(epoch, now: moment), now: now)
    }
    return actions + reportMotion(now: now)
  }

  private mutating func reportMotion(now: Moment) -> [WorldAction] {
    guard let edge, edge != reported else { return [] }
    defer { reported = edge }
    var actions: [WorldAction] = []
    if edge.isMoving != reported?.isMoving {
      actions += process(.evidence(.accelerometer, isActive: edge.isMoving), now: now)
    }
    if let states = edge.states, states != reported?.states { actions += process(.motion(states), now: now) }
    return actions
  }

  private mutating func process(_ event: TrackerEvent, now: Moment) -> [WorldAction] {
    perform(tracker.handle(event, now: now), now: now)
  }

  private mutating func perform(_ actions: [TrackerAction], now: Moment) -> [WorldAction] {
    var world: [WorldAction] = []
    for action in actions {
      switch action {
      case .receiver(let state, _):
        world.append(.receiver(state))
      case .keep(let record, _):
        guard case .location(let location) = record.body else { continue }
        lastLocation = record
        if let start = awaited {
          let seconds = (now - start.at).inSeconds
          if start.isByMotion {
            account.motionToRecord.append(seconds)
          } else {
            account.alarmToRecord.append(seconds)
          }
          awaited = nil
        }
        let position = GeoPoint(
          latitude: location.coordinate.latitude, longitude: location.coordinate.longitude)
        world.append(.record(position, at: calendar.time(of: record)))
      case .save(let text): saved = text
      case .date, .scanAccessPoints, .readSystemClock: continue
      }
    }
    let state = tracker.summary.receiverState ?? .tracking
    ledger.record(.receiver, drawing: .receiver(state), now: now)
    return world
  }

  // MARK: The host

  private mutating func look(now: Moment) -> [WorldAction] {
    guard phase == .on else { return [] }
    if let radio = model.radio, sending == nil, let last = lastSession, now - last >= radio.interval {
      (sending, lastSession) = (now + radio.length, now)
      ledger.recordRadio(.sending, now: now)
    }
    let situation = situation(now: now)
    let looked = schedule?.look(situation, now: now)
    return carryOut(looked, now: now)
  }

  private mutating func endSession(now: Moment) {
    sending = nil
    ledger.recordRadio(.idle, now: now)
  }

  private mutating func situation(now: Moment) -> HostSituation {
    let wakesOnMotion = model.host?.wakesOnMotion ?? false
    guard !store.isBusy(now: now) else { return HostSituation(inhibitor: .receiver) }
    let full = store.batchEnd(
      model.storedEpochs, wait: tracker.summary.latencyBudget,
      isTracking: [.tracking, .cyclic].contains(tracker.summary.receiverState), now: now)
    if let inhibitor = tracker.hostSleepInhibitor(wakesOnMotion: wakesOnMotion, storesEpochs: full != nil) {
      return HostSituation(inhibitor: inhibitor)
    }
    if sending != nil { return HostSituation(inhibitor: .sending) }
    let others = task?.situation
    if let inhibitor = others?.inhibitor { return HostSituation(inhibitor: inhibitor) }
    let send = model.radio.flatMap { radio in lastSession.map { HostNeed(.send, at: $0 + radio.interval) } }
    // What the tracker has to decide by epochs waits for them.
    let needs = full.map { [HostNeed(.storedEpochs, at: $0)] } ?? tracker.hostNeeds
    return HostSituation(inhibitor: nil, needs: needs + [send].compactMap { $0 } + (others?.needs ?? []))
  }

  private mutating func carryOut(_ actions: [HostSchedule.Action]?, now: Moment) -> [WorldAction] {
    var world: [WorldAction] = []
    for action in actions ?? [] {
      switch action {
      case .prepare(let sleep):
        if let reason = task?.sleeps(now: now) {
          _ = schedule?.reconsider(because: reason, now: now)
          continue
        }
        world += process(
          .occurred(EventRecord(.hostSleeping, [.wakeReason: .text(sleep.need.purpose.field)])), now: now)
        let next = schedule?.durable(true, now: now)
        world += carryOut(next, now: now)
      case .goDown(let sleep): world += goDown(sleep, now: now)
      case .stayAwake, .woke, .alarmMissed: continue
      }
    }
    return world
  }

  private mutating func goDown(_ sleep: HostSleep, now: Moment) -> [WorldAction] {
    let actions = process(.stopping, now: now)
    account.hostOn += now - onSince
    awaited = nil
    ledger.record(.host, drawing: nil, now: now)
    phase = .stopping(sleep, until: now + (model.host?.currents?.downTime ?? .zero))
    return actions
  }

  /// Motion while the host is not on.
  private mutating func moved(now: Moment) {
    guard case .down(let sleep, let since) = phase, model.host?.wakesOnMotion == true,
      // The interrupt of the accelerometer is off while the device moves.
      sleep.need.purpose != .storedEpochs
    else { return }
    start(Start(sleep: sleep, downSince: since, at: now, isByMotion: true), now: now)
  }

  private mutating func start(_ start: Start, now: Moment) {
    if start.isByMotion { account.motionStarts += 1 } else { account.alarms += 1 }
    ledger.record(.host, drawing: nil, now: now)
    if let currents = model.host?.currents { ledger.record(currents.cycle, to: .hostCycle) }
    phase = .starting(start, until: now + (model.host?.currents?.startTime ?? .zero))
  }
}

/// The memory of a receiver that stores its epochs while the host is off; an epoch replaces the oldest one if it is full.
private struct EpochStore {
  /// The shortest time for which a receiver begins to store, as in the dialogue with it.
  private static let shortest = Duration.seconds(60)

  private enum Phase: Equatable {
    case idle
    /// Sends what it has stored.
    case sending(until: Moment)
    /// Is found and configured, and reports every epoch.
    case settling(until: Moment)
    case storing(since: Moment)
  }

  private var epochs: [(fix: Fix, moment: Moment)] = []
  private var phase = Phase.idle
  private(set) var lost = 0

  /// True from a start of the host until its epochs have arrived.
  var isSending: Bool { if case .sending = phase { true } else { false } }

  var nextTimeout: Moment? {
    switch phase {
    case .idle, .storing: nil
    case .sending(let until), .settling(let until): until
    }
  }

  mutating func keep(_ fix: Fix, at moment: Moment, capacity: Int) {
    epochs.append((fix, moment))
    guard epochs.count > capacity else { return }
    epochs.removeFirst()
    lost += 1
  }

  // MARK: After a start of the host

  /// Requests the epochs. Returns false if there are none.
  mutating func send(_ stored: DeviceModel.StoredEpochs, now: Moment) -> Bool {
    phase = .idle
    guard !epochs.isEmpty else { return false }
    phase = .sending(until: now + stored.transfer * epochs.count)
    return true
  }

  func hasSent(now: Moment) -> Bool { if case .sending(let until) = phase { now >= until } else { true } }

  /// Removes and returns the epochs.
  mutating func take(_ stored: DeviceModel.StoredEpochs?, now: Moment) -> [(fix: Fix, moment: Moment)] {
    phase = .settling(until: now + (stored?.settling ?? .zero))
    defer { epochs = [] }
    return epochs
  }

  func isBusy(now: Moment) -> Bool { nextTimeout.map { now < $0 } ?? false }

  mutating func handleTimeout(now: Moment) {
    if case .settling(let until) = phase, now >= until { phase = .idle }
  }

  // MARK: Before a sleep of the host

  /// The time at which the present batch is full or has waited for long enough; nil if the receiver does not store.
  mutating func batchEnd(
    _ stored: DeviceModel.StoredEpochs?, wait: Duration, isTracking: Bool, now: Moment
  ) -> Moment? {
    guard let stored, isTracking, wait >= Self.shortest, !isBusy(now: now) else {
      if case .storing = phase { phase = .idle }
      return nil
    }
    let length = min(wait, .seconds(stored.room))
    // The program reads a full batch at once while the host is on.
    if case .storing(let since) = phase, now - since < length { return since + length }
    phase = .storing(since: now)
    return now + length
  }
}
