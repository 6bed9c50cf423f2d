import Quantities
import Records

/// Creates the tracker's events, and the locations that events request.
extension Tracker {
  func keep(_ event: EventRecord, _ urgency: TrackerAction.Urgency = .atOnce, now: Moment) -> TrackerAction {
    .keep(
      LogRecord(moment: now, time: clock.timestamp(at: now), timeQuality: clock.quality, body: .event(event)),
      urgency)
  }

  /// Records the next fix because of an event, if a recording rule requires it, and wakes a sleeping receiver for it.
  mutating func requestPositionForEvents(_ actions: [TrackerAction], now: Moment) -> [TrackerAction] {
    let isAsked = actions.contains { action in
      guard case .keep(let record, _) = action, case .event(let event) = record.body else { return false }
      return event.kind.asksForPosition
    }
    guard isAsked else { return [] }
    ask(.event)
    if let answered = answerByZone(now: now) { return answered }
    guard mayWakeForEvent(now: now) else { return [] }
    let woken = notifySchedule(.positionRequested, now: now)
    if !woken.isEmpty { request.wokeForEvent(now: now) }
    return woken
  }

  /// Requests a record of the next fix for this reason, past the filters. No effect if no locations are recorded.
  mutating func ask(_ reason: KeepReasons) {
    guard recordsPositions, !positions.isHidden else { return }
    request.ask(reason)
  }

  /// True if locations are recorded, even without request.
  var recordsPositions: Bool { settings.keepsLocations || positions.trips.isRunning }

  /// Shortest time between two wake-ups for events.
  static let pauseBetweenEvents = Duration.seconds(60)

  /// True if an event may wake the receiver: not during the back-off of a failed search, and not if the position would
  /// not be recorded.
  private func mayWakeForEvent(now: Moment) -> Bool {
    guard recordsPositions, power.stage != .survival, let schedule, !schedule.lacksReception(now: now) else {
      return false
    }
    return request.eventWokeAt.map { now - $0 >= Self.pauseBetweenEvents } ?? true
  }

  /// Handles a request for a position: the next one is recorded in any mode, and the receiver is woken for it.
  mutating func requestPosition(now: Moment) -> [TrackerAction] {
    request.askExplicitly()
    if !positions.isHidden { request.ask(.event) }
    zoneRecording.expectTime()
    return answerByZone(now: now) ?? notifySchedule(.positionRequested, now: now)
  }

  /// Answers a request at the end of its search with the best fix so far; without any fix the request ends.
  mutating func answerRequest(now: Moment) -> [TrackerAction] {
    guard let schedule, !schedule.isAcquiring else { return [] }
    if request.best != nil { return keepSettling(now: now) }
    if schedule.isAsleep, !schedule.isPositionRequested, !power.waitsForPosition {
      request.giveUp()
    }
    return []
  }

  /// Records the best fix of a request, because no better one follows.
  mutating func keepSettling(now: Moment) -> [TrackerAction] {
    guard let fix = request.best else { return [] }
    schedule?.endRequest()
    let reasons = request.reasons
    return keep(
      record(of: fix, reasons: reasons.isEmpty ? .event : reasons), observation: fix.observation, now: now)
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

  /// Creates events of motion from fixes, if no sensor detects it better, and none in a privacy zone. The end is
  /// logged only if the beginning was.
  mutating func reportMotion(_ change: FixMotionWatch.Change?, now: Moment) -> [TrackerAction] {
    guard let change else { return [] }
    let event: EventRecord
    switch change {
    case .began:
      guard evidence.sources[.accelerometer] == nil, evidence.motion.isEmpty, !positions.isHidden else {
        return []
      }
      fixMotion.isReported = true
      positions.needsSaving = true
      event = EventRecord(.motionBegan)
    case .ended(let after):
      guard fixMotion.isReported else { return [] }
      fixMotion.isReported = false
      positions.needsSaving = true
      guard !positions.isHidden else { return [] }
      event = EventRecord(.motionEnded, [.duration: .seconds(after)])
    }
    return [keep(event, .routine, now: now)] + save(now: now)
  }

  // MARK: The heartbeat

  mutating func beat(now: Moment) -> [TrackerAction] {
    guard let due = active.rules.heartbeatDue(from: positions.beatFrom), now >= due else { return [] }
    positions.beatFrom = now
    // The next fix is recorded because it is overdue.
    ask(.ceiling)
    let age = lastLocation.flatMap { last in
      last.time.flatMap { time in clock.timestamp(at: now).map { $0 - time } }
    }
    return [keep(EventRecord(.heartbeat, [.age: age.map { .seconds($0) }]), now: now)]
  }
}

extension EventKind {
  /// True for events of the vehicle, as opposed to those of the logger and its parts. The start and end of motion are
  /// excluded, because they would wake a receiver that was just put to sleep.
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
