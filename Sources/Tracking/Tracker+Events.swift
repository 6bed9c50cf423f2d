import Quantities
import Records

/// What becomes an event of the log.
extension Tracker {
  func keep(_ event: EventRecord, _ urgency: TrackerAction.Urgency = .atOnce, now: Moment) -> TrackerAction {
    .keep(
      LogRecord(moment: now, time: clock.timestamp(at: now), timeQuality: clock.quality, body: .event(event)),
      urgency)
  }

  /// Where the rules in force ask for it, an event has the next fix kept, and a receiver that sleeps woken for one.
  mutating func heedEvents(_ actions: [TrackerAction], now: Moment) -> [TrackerAction] {
    let isAsked = actions.contains { action in
      guard case .keep(let record, _) = action, case .event(let event) = record.body else { return false }
      return event.kind.asksForPosition
    }
    guard isAsked else { return [] }
    ask(.event)
    if let answered = answerByZone(now: now) { return answered }
    guard mayWakeForEvent(now: now) else { return [] }
    let woken = tellPlan(.positionWanted, now: now)
    if !woken.isEmpty { eventWokeAt = now }
    return woken
  }

  /// The next fix is kept for this reason, and no filter holds it back; where none would be kept nothing is asked.
  mutating func ask(_ reason: KeepReasons) {
    guard keepsPlaces, !places.isHidden else { return }
    places.asked.insert(reason)
  }

  /// Positions become records, those that nobody asked for among them.
  var keepsPlaces: Bool { settings.keepsLocations || places.trips.isRunning }

  /// Events wake the receiver no more often.
  static let pauseBetweenEvents = Duration.seconds(60)

  /// A search in vain is not begun anew by each event, and a position that would not be kept is not looked for.
  private func mayWakeForEvent(now: Moment) -> Bool {
    guard keepsPlaces, power.stage != .survival, let plan, !plan.isWithoutSky(now: now) else { return false }
    return eventWokeAt.map { now - $0 >= Self.pauseBetweenEvents } ?? true
  }

  /// Somebody waits for a position: the next one is kept whatever the mode, and the receiver woken for it.
  mutating func wantPosition(now: Moment) -> [TrackerAction] {
    keepsNext = true
    if !places.isHidden { places.asked.insert(.event) }
    zoneRecording.expectTime()
    return answerByZone(now: now) ?? tellPlan(.positionWanted, now: now)
  }

  /// Whoever asked gets the best fix there was when the look for one is over; where there was none, nobody waits any more.
  mutating func answerWhoAsked(now: Moment) -> [TrackerAction] {
    guard let plan, !plan.isLooking else { return [] }
    if settlingFix != nil { return keepSettling(now: now) }
    if plan.isAsleep, !plan.isAwaited, !power.waitsForPosition {
      keepsNext = false
      places.asked.remove(.event)
    }
    return []
  }

  /// The best fix there was for whoever asked becomes the record, for no better one comes.
  mutating func keepSettling(now: Moment) -> [TrackerAction] {
    guard let fix = settlingFix else { return [] }
    plan?.awaitedUntil = nil
    let reasons = places.asked
    return keep(record(of: fix, reasons: reasons.isEmpty ? .event : reasons), sample: fix.sample, now: now)
  }

  func report(_ counts: [(Rejection, Int64)], as kind: EventKind, now: Moment) -> [TrackerAction] {
    guard !counts.isEmpty else { return [] }
    var numbers: [String: Int64] = [:]
    var last: [String: String] = [:]
    for (reason, count) in counts {
      numbers[reason.rawValue] = count
      if let value = rejections.totals[reason]?.lastValue, !value.isEmpty { last[reason.rawValue] = value }
    }
    let event = EventRecord(
      kind,
      [
        .count: .integer(counts.reduce(0) { $0 + $1.1 }), .rejections: .counts(numbers),
        .lastValues: last.isEmpty ? nil : .texts(last),
      ])
    return [keep(event, .routine, now: now)]
  }

  // MARK: Motion without an accelerometer

  /// What the fixes say of motion, told where nothing says it better, and nowhere where nothing must be written. An end
  /// is told where its beginning was.
  mutating func tell(_ change: UnderWayWatch.Change?, now: Moment) -> [TrackerAction] {
    guard let change else { return [] }
    let event: EventRecord
    switch change {
    case .began:
      guard sensed[.accelerometer] == nil, evidence.motion.isEmpty, !places.isHidden else { return [] }
      underWay.isTold = true
      places.needsSaving = true
      event = EventRecord(.motionBegan)
    case .ended(let after):
      guard underWay.isTold else { return [] }
      underWay.isTold = false
      places.needsSaving = true
      guard !places.isHidden else { return [] }
      event = EventRecord(.motionEnded, [.duration: .seconds(after)])
    }
    return [keep(event, .routine, now: now)] + save(now: now)
  }

  // MARK: The heartbeat

  mutating func beat(now: Moment) -> [TrackerAction] {
    guard let due = activeRules.heartbeatDue(from: places.beatFrom), now >= due else { return [] }
    places.beatFrom = now
    // The next fix is kept: it is overdue.
    ask(.ceiling)
    let age = lastLocation.flatMap { last in
      last.time.flatMap { time in clock.timestamp(at: now).map { $0 - time } }
    }
    return [keep(EventRecord(.heartbeat, [.age: age.map { .seconds($0) }]), now: now)]
  }
}

extension EventKind {
  /// What happens to the vehicle, and not to the logger or its parts. That motion begins and ends is the plan's own matter:
  /// it would wake a receiver that it has just put to rest.
  var asksForPosition: Bool {
    switch self {
    case .ignitionOn, .ignitionOff, .chargerAttached, .chargerRemoved, .zoneEntered, .zoneLeft, .zoneDwelt,
      .parkingMoved, .harshAcceleration, .harshBraking, .harshCornering, .overspeedStarted, .overspeedEnded,
      .idlingStarted, .idlingEnded, .towed:
      true
    default: false
    }
  }
}
