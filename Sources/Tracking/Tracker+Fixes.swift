import GNSS
import Quantities
import Records

/// The path from a fix to a record, in this order: validation, time, order, filters, zones, recording rules.
extension Tracker {
  mutating func take(_ fix: Fix, timestamp: Timestamp?, moment: Moment, now: Moment) -> [TrackerAction] {
    planKeeps = nil
    let told = places.wifi.zones.isEmpty ? [] : compareZone(with: fix, now: now)
    guard told.isEmpty else {
      return told + takeCompared(fix, timestamp: timestamp, moment: moment, now: now)
    }
    return takeCompared(fix, timestamp: timestamp, moment: moment, now: now)
  }

  private mutating func takeCompared(
    _ fix: Fix, timestamp: Timestamp?, moment: Moment, now: Moment
  ) -> [TrackerAction] {
    let chosen = screen(fix, timestamp: timestamp, moment: moment, now: now)
    let departure = departure
    let planned = tellPlan(of: fix, mayBeKept: chosen != nil, now: now)
    guard let chosen else { return planned }
    if planned.isEmpty { return accept(chosen, departure, now: now) }
    // The position before the departure is recorded before the fix that confirms it, and may be younger than that
    // fix.
    guard OrderFilter.outcome(of: chosen.sample, after: reference) == .newer else {
      rejections.count(.notNewer, value: .time(chosen.sample.timestamp), now: now)
      return planned
    }
    return planned + accept(chosen, departure, now: now)
  }

  /// The fix that may be recorded: this one, an earlier one in its place, or nil with the reason counted.
  private mutating func screen(
    _ fix: Fix, timestamp: Timestamp?, moment: Moment, now: Moment
  ) -> Candidate? {
    guard let coordinate = fix.place else {
      if fix.kind != .none, let latitude = fix.latitude, let longitude = fix.longitude {
        let position = RejectedValue.position(latitude: latitude, longitude: longitude)
        rejections.count(.impossiblePosition, value: position, now: now)
      } else {
        rejections.count(.noFix, value: .time(fix.timestamp), now: now)
      }
      return nil
    }
    let known = places.wifi.joined?.place
    let candidate = Candidate(
      known.map(fix.substituted) ?? fix, at: known ?? coordinate, timestamp: timestamp, moment: moment)
    switch OrderFilter.outcome(of: candidate.sample, after: reference) {
    case .newer: break
    case .notNewer:
      rejections.count(.notNewer, value: .time(timestamp), now: now)
      return nil
    case .newStretch:
      filters.beginStretch()
      reference = nil
    }
    // Errors of the receiver do not matter if the location is known.
    guard known == nil else { return candidate }
    let outcome = filters.outcome(
      of: candidate,
      limits: .init(maxAccuracy: settings.maxAccuracy, retryWindow: settings.accuracyRetryWindow),
      motion: evidence.motion, movingSince: evidence.movingSince, isAskedFor: !places.asked.isEmpty, now: now)
    switch outcome {
    case .pass: return candidate
    case .reject(let rejection, let value, let instead):
      rejections.count(rejection, value: value, now: now)
      return instead.flatMap { isNewer($0.sample) ? $0 : nil }
    }
  }

  /// True if the sample is newer than the last record and the last fix that was processed.
  private func isNewer(_ sample: Sample) -> Bool {
    [reference, places.last].allSatisfy { OrderFilter.outcome(of: sample, after: $0) == .newer }
  }

  private mutating func accept(_ candidate: Candidate, _ departure: Departure, now: Moment)
    -> [TrackerAction]
  {
    let sample = candidate.sample
    noteSpeed(of: candidate)
    if !places.privateZones.isEmpty { places.isHidden = places.hides(sample) }
    if supplyVotes.isHigh, Odometer.isMoving(sample) { supplyVotes.bearOut(byFix: true, now: now) }
    var actions: [TrackerAction] = []
    if places.isHidden {
      underWay.forgetPlace()
    } else if let change = underWay.take(sample, now: now) {
      actions += tell(change, now: now)
    }
    if driving != nil { actions += act(on: driving?.take(sample, now: now) ?? [], now: now) }
    var asked = places.asked
    if settings.watchesPlaces || places.trips.isRunning {
      let (told, isTransition) = watch(sample, now: now)
      actions += told
      if isTransition, activeRules.heedsTransitions { asked.insert(.transition) }
    } else {
      if places.last != nil { places.stopWatching(settings) }
      places.recalled = nil
      if settings.freezesWithIgnitionOff, evidence.ignition != nil { watchRest(sample, now: now) }
    }
    if settings.reconstructsTrips { noteEnds(candidate, departure) }
    let isHidden = hidesRecord(of: sample)
    if planKeeps != nil { isPlanPlaceHidden = isHidden }
    guard !isHidden else {
      // Requests get nothing here: a requested fix bypasses the filters, and a wild one might lie outside the zone.
      (keepsNext, places.asked, settlingFix) = (false, [], nil)
      rejections.count(.privateZone, value: .hidden, now: now)
      return actions
    }
    guard settings.keepsLocations || keepsNext || places.trips.isRunning else {
      hold(candidate)
      rejections.count(.trackingOff, value: .time(sample.timestamp), now: now)
      return actions
    }
    if plan != nil {
      guard let reason = planKeeps else {
        guard asked.isEmpty || plan?.isLooking == true else {
          return keepOrDrop(candidate, asked: asked, actions, now: now)
        }
        if !asked.isEmpty {
          places.asked.formUnion(asked)
          if settlingFix.map({ $0.sample.isWorse(than: sample) }) ?? true { settlingFix = candidate }
        }
        hold(candidate)
        rejections.count(.notPlanned, value: .time(sample.timestamp), now: now)
        return actions
      }
      if let word = reason.asked { asked.formUnion(word) }
    }
    return keepOrDrop(candidate, asked: asked, actions, now: now)
  }

  private mutating func keepOrDrop(
    _ candidate: Candidate, asked: KeepReasons, _ told: [TrackerAction], now: Moment
  ) -> [TrackerAction] {
    let sample = candidate.sample
    var actions = told
    switch activeRules.verdict(on: sample, reference: reference, asked: asked) {
    case .drop(let rejection, let value):
      hold(candidate)
      rejections.count(rejection, value: value, now: now)
      let leftOut = rejections.reportLeftOut(now: now)
      if !leftOut.isEmpty { actions += report(leftOut, as: .fixesLeftOut, now: now) }
    case .keep(let reasons):
      let record = record(of: candidate, reasons: reasons)
      if places.trips.isHolding { places.trips.hold(sample, record: record, isKept: true) }
      let kept = keep(record, sample: sample, now: now)
      actions = actions.isEmpty ? kept : actions + kept
    }
    return actions
  }

  private mutating func hold(_ candidate: Candidate) {
    guard places.trips.isHolding else { return }
    let record = record(of: candidate, reasons: .beginning)
    places.trips.hold(candidate.sample, record: record, isKept: false)
  }

  /// Records a location; it becomes the reference of all rules.
  mutating func keep(_ record: LogRecord, sample: Sample, now: Moment) -> [TrackerAction] {
    var actions: [TrackerAction] = []
    let isFirst = kept == 0 || keepsNext
    let begins = kept == 0
    if keepsNext { plan?.awaitedUntil = nil }
    keepsNext = false
    settlingFix = nil
    reference = sample
    lastLocation = record
    noteZoneRecord(record, now: now)
    kept += 1
    places.beatFrom = now
    places.asked = []
    if places.trips.isRunning, case .location(let location) = record.body {
      let time = record.time.map(Instant.utc) ?? .boot(record.moment)
      if places.trips.kept(TripRecord.Place(location, time: time)) { places.needsSaving = true }
    }
    rejections.kept()
    let stretch = rejections.stretchEnded(now: now)
    if !stretch.isEmpty { actions += report(stretch, as: .fixesRejected, now: now) }
    actions.append(.keep(record, isFirst ? .atOnce : .routine))
    if begins { actions += actionRecord(.applicationLaunchedWithLocation, now: now) }
    if power.waitsForPosition { actions += act(on: power.positionKept(now: now), now: now) }
    return actions
  }

  // Mutating like its callers: a non-mutating method would copy the whole tracker each time.
  mutating func record(of candidate: Candidate, reasons: KeepReasons) -> LogRecord {
    let parked = settings.freezes(ignition: evidence.ignition) ? places.parkedPlace : nil
    var location = LocationRecord(candidate.fix, at: parked ?? candidate.sample.coordinate, device: device)
    if isQuiet(candidate.sample) || parked != nil {
      location.speedMillimetresPerSecond = 0
      location.courseMillidegrees = nil
      location.courseAccuracyMillidegrees = nil
    }
    location.motion = motion(at: candidate.moment, isParked: parked != nil)
    if places.trips.isRunning { location.trip = places.trips.running?.start }
    location.steps = totalSteps
    location.reasons = reasons
    let inTrip = places.trips.isRunning ? settings.tripStatistics : nil
    location.statistics = inTrip ?? settings.statistics
    return LogRecord(
      moment: candidate.moment, time: candidate.sample.timestamp, timeQuality: clock.quality,
      body: .location(location))
  }

  /// The last location for a status request: its position and time, with the present battery, network and motion.
  public func current(at now: Moment) -> LogRecord? {
    guard var record = lastLocation, case .location(var location) = record.body else { return nil }
    let device = device
    (location.batteryState, location.batteryPercent) = (device.batteryState, device.batteryPercent)
    (location.wifi, location.motion) = (device.wifi, motion(at: now))
    record.body = .location(location)
    return record
  }

  /// The present state of the device.
  var device: DeviceState {
    let battery = battery ?? Battery(settings.supply)
    return DeviceState(
      deviceID: settings.deviceID, batteryState: battery.state, batteryPercent: battery.percent,
      // Network names of a hidden location would reveal it.
      wifi: places.isHidden ? "" : network?.name ?? ""
    )
  }
}
