import GNSS
import Quantities
import Records

/// Records of a Wi-Fi zone's place without a fix: when its network is joined, at position checks, and for whoever asks.
extension Tracker {
  /// Brings the records, the receiver plan and the clock in line with the zone that is joined.
  mutating func followZone(now: Moment) -> [TrackerAction] {
    guard !places.wifi.zones.isEmpty || zoneRecording.zone != nil else { return [] }
    zoneRecording.follow(places.wifi.present, now: now)
    var actions: [TrackerAction] = []
    if let due = zoneRecording.due, now >= due { actions += recordJoining(now: now) }
    actions += tellPlanPlace(now: now)
    if places.wifi.joined != nil, clock.quality == .none, zoneRecording.readsClock(now: now) {
      actions.append(.readSystemClock)
    }
    return actions
  }

  /// The receiver plan knows what the zone knows.
  mutating func tellPlanPlace(now: Moment) -> [TrackerAction] {
    let place = placeWithoutReceiver
    guard let plan, plan.knownPlace != place else { return [] }
    return tellPlan(.placeKnown(place), now: now)
  }

  /// When ``followZone(now:)`` has something to do by itself.
  var zoneTimeout: Moment? {
    guard places.wifi.joined != nil else { return nil }
    return zoneRecording.nextTimeout(isTimeKnown: clock.quality != .none)
  }

  /// The network of a Wi-Fi zone is joined, and nothing contradicts that the box is there.
  public var isInWifiZone: Bool { places.wifi.joined != nil }

  /// What the receiver need not be asked for: nil outside zones, while nobody knows the time, and if no position is
  /// recorded anyway.
  var placeWithoutReceiver: Coordinate? {
    guard let zone = places.wifi.present, clock.quality != .none, keepsPlaces, power.stage != .survival else {
      return nil
    }
    return zone.place
  }

  /// The last moment at which the box can have moved. Only a sensor knows that it rested since.
  func movedUntil(_ now: Moment) -> Moment {
    guard let plan, plan.evidence.hasMotionSensor else { return now }
    return plan.restingSince ?? now
  }

  /// Fixes that lie elsewhere end the zone, and one that lies there restores it.
  mutating func compareZone(with fix: Fix, now: Moment) -> [TrackerAction] {
    guard let place = fix.place else { return [] }
    return act(on: places.wifi.take(place, accuracy: fix.horizontalAccuracy, now: now), now: now)
  }

  /// Nobody can tell which network is around.
  mutating func switchedRadioOff(now: Moment) -> [TrackerAction] {
    network = nil
    places.wifi.switchedOff()
    plan?.knownPlace = nil
    return []
  }

  // MARK: Records

  private mutating func recordJoining(now: Moment) -> [TrackerAction] {
    guard let zone = places.wifi.joined, clock.quality != .none else { return [] }
    guard keepsPlaces, power.stage != .survival else {
      zoneRecording.cancel()
      return []
    }
    // A receiver that tracks has just told a position: the next one, if there is one, takes the place of this record.
    if let last = reference?.moment, now - last < WifiZoneRecording.fixWait {
      zoneRecording.postpone(until: last + WifiZoneRecording.fixWait)
      return []
    }
    zoneRecording.recorded(zone, now: now)
    return keepPlace(of: zone, asked: activeRules.heedsTransitions ? .transition : [], now: now) ?? []
  }

  /// The plan has an errand answered by the place that is known.
  mutating func keepKnownPlace(for reason: KeepReason, now: Moment) -> [TrackerAction] {
    // The network is gone for a moment: the record is made when it is back.
    guard let zone = places.wifi.joined else {
      zoneRecording.postpone(until: now)
      return []
    }
    let actions = keepPlace(of: zone, asked: reason.asked ?? [], now: now) ?? []
    isPlanPlaceHidden = places.isHidden
    return actions
  }

  /// Whoever asks gets the place of the zone at once; nil if the receiver has to tell.
  mutating func answerByZone(now: Moment) -> [TrackerAction]? {
    guard let zone = places.wifi.joined, keepsNext || keepsPlaces && power.stage != .survival else {
      return nil
    }
    return keepPlace(of: zone, asked: places.asked.union(.event), now: now)
  }

  /// A record of the zone's place now, if the rules of acquisition take one and it may be told; nil if it cannot be dated.
  private mutating func keepPlace(of zone: WifiZone, asked: KeepReasons, now: Moment) -> [TrackerAction]? {
    guard let time = clock.timestamp(at: now) else { return nil }
    let candidate = Candidate(Fix(of: zone, at: time), at: zone.place, timestamp: time, moment: now)
    if !places.privateZones.isEmpty { places.isHidden = places.hides(candidate.sample) }
    guard !hidesRecord(of: candidate.sample) else {
      (keepsNext, places.asked, settlingFix) = (false, [], nil)
      rejections.count(.privateZone, value: .hidden, now: now)
      return []
    }
    guard OrderFilter.outcome(of: candidate.sample, after: reference) == .newer else {
      rejections.count(.notNewer, value: .time(time), now: now)
      return nil
    }
    switch activeRules.verdict(on: candidate.sample, reference: reference, asked: asked) {
    case .keep(let reasons):
      return keep(record(of: candidate, reasons: reasons), sample: candidate.sample, now: now)
    case .drop(let rejection, let value):
      rejections.count(rejection, value: value, now: now)
      return []
    }
  }

  /// A record at the zone's place, with a fix or without, is that of joining.
  mutating func noteZoneRecord(_ record: LogRecord, now: Moment) {
    guard case .location(let location) = record.body, location.accuracySource == .wifiZone,
      let zone = places.wifi.joined
    else { return }
    zoneRecording.recorded(zone, now: now)
  }

  // MARK: The time

  /// Another clock than the receiver's, for as long as that has told nothing.
  mutating func take(_ time: Timestamp?, _ quality: ClockQuality, now: Moment) -> [TrackerAction] {
    guard clock.quality == .none, places.wifi.joined != nil else { return [] }
    guard let time, let known = clock.adopt(time, quality: quality, at: now) else {
      rejections.count(.unknownTime, value: .time(nil), now: now)
      return []
    }
    let actions = act(on: known, now: now)
    return keepsNext ? actions + (answerByZone(now: now) ?? []) : actions
  }
}

extension Fix {
  /// The place of a zone, which nobody has measured.
  init(of zone: WifiZone, at time: Timestamp) {
    self.init()
    timestamp = time
    millisecondOfDay = Int32(time.millisecondOfDay)
    latitude = zone.place.latitude
    longitude = zone.place.longitude
    horizontalAccuracy = WifiZone.accuracy
    accuracySource = .wifiZone
  }
}
