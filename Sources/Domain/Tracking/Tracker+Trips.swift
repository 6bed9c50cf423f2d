import Quantities
import Records

/// Handles trip commands, and turns trips and actions into records.
extension Tracker {
  mutating func handle(_ command: TripCommand, now: Moment) -> [TrackerAction] {
    var outcomes: [TripWatch.Outcome] = []
    switch command {
    case .start(let mode):
      guard settings.isTracking else { return [] }
      outcomes = positions.trips.start(mode, at: clock.instant(now), now: now)
    case .stop: outcomes = positions.trips.stop(.asked, at: clock.instant(now), now: now)
    case .mode(let mode):
      guard positions.trips.running != nil else { return [] }
      positions.trips.setMode(mode)
      positions.needsSaving = true
    }
    if !outcomes.isEmpty { ask(.transition) }
    return act(on: outcomes, now: now) + save(now: now)
  }

  /// Creates an action record, if tracking statistics are on and a location was recorded.
  func actionRecord(_ action: ActionRecord.Action, now: Moment) -> [TrackerAction] {
    guard settings.statistics != nil, case .location(let location)? = lastLocation?.body else { return [] }
    return [keep(.action(ActionRecord(action, at: location.coordinate, device: device)), now: now)]
  }

  /// Ends the running trip when the master switch goes off.
  mutating func endTripOfSwitchedOff(now: Moment) -> [TrackerAction] {
    guard !settings.isTracking, positions.trips.isRunning else { return [] }
    return act(on: positions.trips.stop(.asked, at: clock.instant(now), now: now), now: now) + save(now: now)
  }

  /// Ends the running trip at a start, if the master switch went off while the program was not running.
  mutating func endTripOfSwitchedOffBefore(now: Moment) -> [TrackerAction] {
    guard !settings.isTracking, positions.trips.isRunning else { return [] }
    return act(on: positions.trips.stopWhereSeenLast(at: clock.instant(now), now: now), now: now)
      + save(now: now)
  }

  mutating func act(on outcomes: [TripWatch.Outcome], now: Moment) -> [TrackerAction] {
    guard !outcomes.isEmpty else { return [] }
    var actions: [TrackerAction] = []
    for outcome in outcomes {
      positions.needsSaving = true
      switch outcome {
      case .began(let buffered): actions += begin(buffered, now: now)
      case .ended(let trip, let end):
        let end = dated(end)
        reconstruction.drop()
        actions.append(keep(record(of: trip, end: end), now: now))
        actions.append(ended(trip, end, isTrip: true, now: now))
      case .wasNone(let trip, let end):
        actions.append(ended(trip, dated(end), isTrip: false, now: now))
      }
    }
    return actions + applyPolicy(now: now)
  }

  private mutating func begin(_ buffered: [FixRing.BufferedFix], now: Moment) -> [TrackerAction] {
    if let offset = clock.datedOffset {
      positions.trips.date(offsetMilliseconds: offset, quality: clock.quality)
    }
    if let steps = facts.steps { positions.trips.setStepBase(steps) }
    guard let trip = positions.trips.running else { return [] }
    let age = trip.startMoment.map { max(now - $0, .zero) } ?? .zero
    let event = EventRecord(
      .tripStarted,
      [.isManual: .flag(trip.isManual), .count: .integer(Int64(buffered.count)), .age: .seconds(age)])
    return [keep(event, now: now)] + write(buffered, now: now)
  }

  /// Records fixes that were held back, unless a newer one is recorded already.
  mutating func write(_ buffered: [FixRing.BufferedFix], now: Moment) -> [TrackerAction] {
    var actions: [TrackerAction] = []
    for fix in buffered {
      guard case .location(var location) = fix.record.body,
        OrderFilter.outcome(of: fix.observation, after: reference) == .newer
      else { continue }
      var record = fix.record
      location.trip = positions.trips.running?.start
      record.body = .location(location)
      if let offset = clock.datedOffset {
        record = record.dated(offsetMilliseconds: offset, quality: clock.quality)
      }
      actions += keep(record, observation: fix.observation, now: now)
    }
    return actions
  }

  /// Records a trip immediately, with the date of its end if the clock is not known.
  func keep(_ trip: TripRecord, now: Moment) -> TrackerAction {
    let time = clock.timestamp(at: now)
    let record = LogRecord(
      moment: now, time: time ?? trip.end.time, timeQuality: time == nil ? .saved : clock.quality,
      body: .trip(trip))
    return .keep(record, .atOnce)
  }

  private func dated(_ end: TripWatch.End) -> TripWatch.End {
    var end = end
    end.instant = clock.dated(end.instant)
    return end
  }

  private func record(of trip: RunningTrip, end: TripWatch.End) -> TripRecord {
    var record = TripRecord(
      mode: trip.mode, start: trip.start, end: end.instant,
      durationMilliseconds: trip.duration(to: end).wholeMilliseconds,
      distanceMillimetres: trip.distanceMillimetres, isManual: trip.isManual, ending: end.ending,
      device: device)
    record.startLocation = trip.startLocation
    record.endLocation = trip.lastLocation.map { position in
      var bare = position
      bare.location.trip = nil
      bare.location.steps = nil
      bare.location.reasons = .period
      bare.location.statistics = nil
      return bare
    }
    if let steps = facts.steps, let base = trip.stepsBefore { record.steps = max(steps &- base, 0) }
    return record
  }

  private func ended(_ trip: RunningTrip, _ end: TripWatch.End, isTrip: Bool, now: Moment) -> TrackerAction {
    let event = EventRecord(
      .tripEnded,
      [
        .cause: .text(end.ending.field), .distance: .integer(trip.distanceMillimetres / 1000),
        .duration: .seconds(trip.duration(to: end)), .isTrip: .flag(isTrip),
      ])
    return keep(event, now: now)
  }
}

extension TripRecord.Ending {
  /// The word for the ending in the fields of an event.
  fileprivate var field: String {
    switch self {
    case .asked: "asked"
    case .stop: "rest"
    case .ignition: "ignition"
    case .noFix: "no_fix"
    case .pause: "pause"
    }
  }
}
