import GNSSProtocol
import Quantities
import Records
import Scheduling

/// Records the location of a Wi-Fi zone without a fix: when its network is joined, at position checks, and on
/// request.
extension Tracker {
  /// Applies the joined zone to the records, the receiver schedule and the clock.
  mutating func followZone(now: Moment) -> [TrackerAction] {
    guard !positions.wifi.zones.isEmpty || zoneRecording.zone != nil else { return [] }
    zoneRecording.follow(positions.wifi.present, now: now)
    var actions: [TrackerAction] = []
    if let due = zoneRecording.due, now >= due { actions += recordJoining(now: now) }
    actions += notifyScheduleOfPosition(now: now)
    if positions.wifi.joined != nil, clock.quality == .none, zoneRecording.readsClock(now: now) {
      actions.append(.readSystemClock)
    }
    return actions
  }

  /// Passes the known location to the receiver schedule.
  mutating func notifyScheduleOfPosition(now: Moment) -> [TrackerAction] {
    let position = positionWithoutReceiver
    guard let schedule, schedule.knownPosition != position else { return [] }
    return notifySchedule(.positionKnown(position), now: now)
  }

  /// The next deadline of ``followZone(now:)``; nil outside zones.
  var zoneTimeout: Moment? {
    guard positions.wifi.joined != nil else { return nil }
    return zoneRecording.nextTimeout(isTimeKnown: clock.quality != .none)
  }

  /// True if the network of a Wi-Fi zone is joined and no fix contradicts it.
  public var isInWifiZone: Bool { positions.wifi.joined != nil }

  /// The location that replaces the receiver: nil outside zones, while the time is unknown, and if no location is
  /// recorded.
  var positionWithoutReceiver: Coordinate? {
    guard let zone = positions.wifi.present, clock.quality != .none, recordsPositions,
      power.stage != .survival
    else {
      return nil
    }
    return zone.position
  }

  /// The latest time at which the device can have moved. Only a motion sensor proves that it was stationary since.
  func movedUntil(_ now: Moment) -> Moment {
    guard let schedule, schedule.hasMotionSensor else { return now }
    return schedule.stationarySince ?? now
  }

  /// Compares a fix with the zone: fixes elsewhere end the zone, and a fix inside restores it.
  mutating func compareZone(with fix: Fix, now: Moment) -> [TrackerAction] {
    guard let position = fix.position else { return [] }
    return act(on: positions.wifi.take(position, accuracy: fix.horizontalAccuracy, now: now), now: now)
  }

  /// Handles a radio that is switched off: the network is unknown.
  mutating func switchedRadioOff(now: Moment) -> [TrackerAction] {
    facts.network = nil
    positions.wifi.switchedOff()
    schedule?.forgetKnownPosition()
    return []
  }

  // MARK: Records

  private mutating func recordJoining(now: Moment) -> [TrackerAction] {
    guard let zone = positions.wifi.joined, clock.quality != .none else { return [] }
    guard recordsPositions, power.stage != .survival else {
      zoneRecording.cancel()
      return []
    }
    // A tracking receiver has just reported a position; the next one replaces this record.
    if let last = reference?.moment, now - last < WifiZoneRecording.fixWait {
      zoneRecording.postpone(until: last + WifiZoneRecording.fixWait)
      return []
    }
    zoneRecording.recorded(zone, now: now)
    return keepPosition(of: zone, asked: active.rules.reactsToTransitions ? .transition : [], now: now) ?? []
  }

  /// Records the known location in place of a start of the receiver.
  mutating func keepKnownPosition(for reason: KeepReason, now: Moment) -> [TrackerAction] {
    // The network is lost for a moment; the record is made when it returns.
    guard let zone = positions.wifi.joined else {
      zoneRecording.postpone(until: now)
      return []
    }
    let actions = keepPosition(of: zone, asked: reason.asked ?? [], now: now) ?? []
    isSchedulePositionHidden = positions.isHidden
    return actions
  }

  /// Answers a request with the location of the zone; nil if the receiver is required.
  mutating func answerByZone(now: Moment) -> [TrackerAction]? {
    guard let zone = positions.wifi.joined, request.isExplicit || recordsPositions && power.stage != .survival
    else {
      return nil
    }
    return keepPosition(of: zone, asked: request.reasons.union(.event), now: now)
  }

  /// Records the zone's location now, if the recording rules and privacy zones allow it; nil if there is no date.
  private mutating func keepPosition(of zone: WifiZone, asked: KeepReasons, now: Moment) -> [TrackerAction]? {
    guard let time = clock.timestamp(at: now) else { return nil }
    let validFix = ValidFix(Fix(of: zone, at: time), at: zone.position, timestamp: time, moment: now)
    if !positions.privateZones.isEmpty { positions.isHidden = positions.hides(validFix.observation) }
    guard !hidesRecord(of: validFix.observation) else {
      request.end()
      rejections.count(.privateZone, value: .hidden, now: now)
      return []
    }
    guard OrderFilter.outcome(of: validFix.observation, after: reference) == .newer else {
      rejections.count(.notNewer, value: .time(time), now: now)
      return nil
    }
    switch active.rules.verdict(on: validFix.observation, reference: reference, asked: asked) {
    case .keep(let reasons):
      return keep(record(of: validFix, reasons: reasons), observation: validFix.observation, now: now)
    case .drop(let rejection, let value):
      rejections.count(rejection, value: value, now: now)
      return []
    }
  }

  /// Counts a record at the zone's location, with or without a fix, as the record of joining.
  mutating func registerZoneRecord(_ record: LogRecord, now: Moment) {
    guard case .location(let location) = record.body, location.accuracySource == .wifiZone,
      let zone = positions.wifi.joined
    else { return }
    zoneRecording.recorded(zone, now: now)
  }

  // MARK: The time

  /// Processes the time of another clock until the receiver reports it.
  mutating func take(_ time: Timestamp?, _ quality: ClockQuality, now: Moment) -> [TrackerAction] {
    guard clock.quality == .none, positions.wifi.joined != nil else { return [] }
    guard let time, let known = clock.adopt(time, quality: quality, at: now) else {
      rejections.count(.unknownTime, value: .time(nil), now: now)
      return []
    }
    let actions = act(on: known, now: now)
    return request.isExplicit ? actions + (answerByZone(now: now) ?? []) : actions
  }
}

extension Fix {
  /// The location of a zone, without measurement.
  init(of zone: WifiZone, at time: Timestamp) {
    self.init()
    timestamp = time
    millisecondOfDay = Int32(time.millisecondOfDay)
    latitude = zone.position.latitude
    longitude = zone.position.longitude
    horizontalAccuracy = WifiZone.accuracy
    accuracySource = .wifiZone
  }
}
