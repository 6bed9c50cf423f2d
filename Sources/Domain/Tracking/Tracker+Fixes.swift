import GNSSProtocol
import Quantities
import Records

/// The path from a fix to a record, in this order: validation, time, order, filters, zones, recording rules.
extension Tracker {
  mutating func take(_ fix: Fix, timestamp: Timestamp?, moment: Moment, now: Moment) -> [TrackerAction] {
    scheduleKeepReason = nil
    let reported = positions.wifi.zones.isEmpty ? [] : compareZone(with: fix, now: now)
    guard reported.isEmpty else {
      return reported + takeCompared(fix, timestamp: timestamp, moment: moment, now: now)
    }
    return takeCompared(fix, timestamp: timestamp, moment: moment, now: now)
  }

  private mutating func takeCompared(
    _ fix: Fix, timestamp: Timestamp?, moment: Moment, now: Moment
  ) -> [TrackerAction] {
    let chosen = screen(fix, timestamp: timestamp, moment: moment, now: now)
    let departure = departure
    let planned = notifySchedule(of: fix, mayBeKept: chosen != nil, now: now)
    guard let chosen else { return planned }
    if planned.isEmpty { return accept(chosen, departure, now: now) }
    // The position before the departure is recorded before the fix that confirms it, and may be younger than that
    // fix.
    guard OrderFilter.outcome(of: chosen.observation, after: reference) == .newer else {
      rejections.count(.notNewer, value: .time(chosen.observation.timestamp), now: now)
      return planned
    }
    return planned + accept(chosen, departure, now: now)
  }

  /// The fix that may be recorded: this one, an earlier one in its place, or nil with the reason counted.
  private mutating func screen(
    _ fix: Fix, timestamp: Timestamp?, moment: Moment, now: Moment
  ) -> ValidFix? {
    guard let coordinate = fix.position else {
      if fix.kind != .none, let latitude = fix.latitude, let longitude = fix.longitude {
        let position = RejectedValue.position(latitude: latitude, longitude: longitude)
        rejections.count(.impossiblePosition, value: position, now: now)
      } else {
        rejections.count(.noFix, value: .time(fix.timestamp), now: now)
      }
      return nil
    }
    let known = positions.wifi.joined?.position
    let validFix = ValidFix(
      known.map(fix.substituted) ?? fix, at: known ?? coordinate, timestamp: timestamp, moment: moment)
    switch OrderFilter.outcome(of: validFix.observation, after: reference) {
    case .newer: break
    case .notNewer:
      rejections.count(.notNewer, value: .time(timestamp), now: now)
      return nil
    case .newSeries:
      filters.beginSeries()
      reference = nil
    }
    // Errors of the receiver do not matter if the location is known.
    guard known == nil else { return validFix }
    let outcome = filters.outcome(
      of: validFix,
      limits: .init(maxAccuracy: settings.maxAccuracy, retryWindow: settings.accuracyRetryWindow),
      motion: evidence.motion, movingSince: evidence.movingSince, isRequested: !request.reasons.isEmpty,
      now: now)
    switch outcome {
    case .pass: return validFix
    case .reject(let rejection, let value, let instead):
      rejections.count(rejection, value: value, now: now)
      return instead.flatMap { isNewer($0.observation) ? $0 : nil }
    }
  }

  /// True if the sample is newer than the last record and the last fix that was processed.
  private func isNewer(_ observation: Observation) -> Bool {
    [reference, positions.last].allSatisfy { OrderFilter.outcome(of: observation, after: $0) == .newer }
  }

  private mutating func accept(_ validFix: ValidFix, _ departure: Departure, now: Moment)
    -> [TrackerAction]
  {
    let observation = validFix.observation
    classifySpeed(of: validFix)
    if !positions.privateZones.isEmpty { positions.isHidden = positions.hides(observation) }
    if supplyMotion.isHigh, Odometer.isMoving(observation) { supplyMotion.confirm(byFix: true, now: now) }
    var actions: [TrackerAction] = []
    if positions.isHidden {
      fixMotion.forgetPosition()
    } else if let change = fixMotion.take(observation, now: now) {
      actions += reportMotion(change, now: now)
    }
    if driving != nil { actions += act(on: driving?.take(observation, now: now) ?? [], now: now) }
    var asked = request.reasons
    if settings.needsPositions || positions.trips.isRunning {
      let (reported, isTransition) = watch(observation, now: now)
      actions += reported
      if isTransition, active.rules.reactsToTransitions { asked.insert(.transition) }
    } else {
      if positions.last != nil { positions.stopWatching(settings) }
      positions.recalled = nil
      if settings.freezesWithIgnitionOff, evidence.ignition != nil {
        updateStopPosition(observation, now: now)
      }
    }
    if settings.reconstructsTrips { updateReconstruction(validFix, departure) }
    let isHidden = hidesRecord(of: observation)
    if scheduleKeepReason != nil { isSchedulePositionHidden = isHidden }
    guard !isHidden else {
      // Requests get nothing here: a requested fix bypasses the filters, and a wild one might lie outside the zone.
      request.end()
      rejections.count(.privateZone, value: .hidden, now: now)
      return actions
    }
    guard settings.keepsLocations || request.isExplicit || positions.trips.isRunning else {
      buffer(validFix)
      rejections.count(.trackingOff, value: .time(observation.timestamp), now: now)
      return actions
    }
    if schedule != nil {
      guard let reason = scheduleKeepReason else {
        guard asked.isEmpty || schedule?.isAcquiring == true else {
          return keepOrDrop(validFix, asked: asked, actions, now: now)
        }
        if !asked.isEmpty { request.hold(validFix, for: asked) }
        buffer(validFix)
        rejections.count(.notPlanned, value: .time(observation.timestamp), now: now)
        return actions
      }
      if let reasons = reason.asked { asked.formUnion(reasons) }
    }
    return keepOrDrop(validFix, asked: asked, actions, now: now)
  }

  private mutating func keepOrDrop(
    _ validFix: ValidFix, asked: KeepReasons, _ reported: [TrackerAction], now: Moment
  ) -> [TrackerAction] {
    let observation = validFix.observation
    var actions = reported
    switch active.rules.verdict(on: observation, reference: reference, asked: asked) {
    case .drop(let rejection, let value):
      buffer(validFix)
      rejections.count(rejection, value: value, now: now)
      let leftOut = rejections.reportLeftOut(now: now)
      if !leftOut.isEmpty { actions += report(leftOut, as: .fixesLeftOut, now: now) }
    case .keep(let reasons):
      let record = record(of: validFix, reasons: reasons)
      if positions.trips.isBuffering { positions.trips.buffer(observation, record: record, isKept: true) }
      let kept = keep(record, observation: observation, now: now)
      actions = actions.isEmpty ? kept : actions + kept
    }
    return actions
  }

  private mutating func buffer(_ validFix: ValidFix) {
    guard positions.trips.isBuffering else { return }
    let record = record(of: validFix, reasons: .beginning)
    positions.trips.buffer(validFix.observation, record: record, isKept: false)
  }

  /// Records a location; it becomes the reference of all rules.
  mutating func keep(_ record: LogRecord, observation: Observation, now: Moment) -> [TrackerAction] {
    var actions: [TrackerAction] = []
    let begins = kept == 0
    let wasExplicit = request.end()
    if wasExplicit { schedule?.endRequest() }
    reference = observation
    lastLocation = record
    registerZoneRecord(record, now: now)
    kept += 1
    positions.beatFrom = now
    if positions.trips.isRunning, case .location(let location) = record.body {
      let time = record.time.map(Instant.utc) ?? .boot(record.moment)
      if positions.trips.kept(TripRecord.Location(location, time: time)) { positions.needsSaving = true }
    }
    rejections.kept()
    let gapCounts = rejections.gapEnded(now: now)
    if !gapCounts.isEmpty { actions += report(gapCounts, as: .fixesRejected, now: now) }
    actions.append(.keep(record, begins || wasExplicit ? .atOnce : .routine))
    if begins { actions += actionRecord(.applicationLaunchedWithLocation, now: now) }
    if power.waitsForPosition { actions += act(on: power.positionKept(now: now), now: now) }
    return actions
  }

  // Mutating like its callers: a non-mutating method would copy the whole tracker each time.
  mutating func record(of validFix: ValidFix, reasons: KeepReasons) -> LogRecord {
    let parked = settings.freezes(ignition: evidence.ignition) ? positions.stopPosition : nil
    var location = LocationRecord(validFix.fix, at: parked ?? validFix.observation.coordinate, device: device)
    if isQuiet(validFix.observation) || parked != nil {
      location.speedMillimetresPerSecond = 0
      location.courseMillidegrees = nil
      location.courseAccuracyMillidegrees = nil
    }
    location.motion = motion(at: validFix.moment, isParked: parked != nil)
    if positions.trips.isRunning { location.trip = positions.trips.running?.start }
    location.steps = facts.totalSteps
    location.reasons = reasons
    let inTrip = positions.trips.isRunning ? settings.tripStatistics : nil
    location.statistics = inTrip ?? settings.statistics
    return LogRecord(
      moment: validFix.moment, time: validFix.observation.timestamp, timeQuality: clock.quality,
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
    facts.device(settings, isHidden: positions.isHidden)
  }
}
