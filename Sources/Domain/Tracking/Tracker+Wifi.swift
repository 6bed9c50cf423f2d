import GNSSProtocol
import Quantities
import Records

/// Handles Wi-Fi zones and hints: locations and moves known by networks.
extension Tracker {
  mutating func joined(_ network: JoinedNetwork?, now: Moment) -> [TrackerAction] {
    facts.network = network
    let before = networkHint.take(network, stationarySince: schedule?.stationarySince, now: now)
    var reported = act(on: positions.wifi.take(network, movedUntil: movedUntil(now), now: now), now: now)
    zoneRecording.expectTime()
    reported += notifyScheduleOfPosition(now: now)
    // The location of a zone replaces a position check.
    guard positionWithoutReceiver == nil else { return reported }
    guard let before, let network, schedule?.mayCheckPosition(now: now) ?? false else { return reported }
    // Network names of a hidden location would reveal it.
    let isHidden = positions.isHidden || isSchedulePositionHidden
    var why: EventFields = [.cause: "stationary", .wakeReason: "network_changed"]
    if !isHidden {
      why[.network] = .text(network.name)
      why[.previousNetwork] = .text(before)
    }
    let event = EventRecord(.receiverAsleep, why)
    return reported + [keep(event, now: now)] + notifySchedule(.positionCheckRequested, now: now)
  }

  /// The window of the next scan for access points.
  var scanWindow: WakeWindow? {
    guard accessPointHint.interval != nil, let schedule, schedule.isAsleepWhileStationary else { return nil }
    return accessPointHint.window(stationarySince: schedule.stationarySince)
  }

  mutating func scanTimeout(now: Moment) -> [TrackerAction] {
    guard let window = scanWindow, now >= window.due else { return [] }
    accessPointHint.asked(now: now)
    return [.scanAccessPoints]
  }

  mutating func received(_ addresses: Set<String>, now: Moment) -> [TrackerAction] {
    let missing = accessPointHint.take(addresses, stationarySince: schedule?.stationarySince)
    guard let missing, schedule?.mayCheckPosition(now: now) ?? false else { return [] }
    let event = EventRecord(
      .receiverAsleep,
      [
        .cause: "stationary", .wakeReason: "access_points_gone",
        .accessPoints: .integer(Int64(missing)),
      ])
    return [keep(event, now: now)] + notifySchedule(.positionCheckRequested, now: now)
  }

  mutating func beginWifi(now: Moment) -> [TrackerAction] {
    act(on: positions.wifi.begin(now: now), now: now)
  }

  mutating func act(on outcomes: [WifiZoneWatch.Outcome], now: Moment) -> [TrackerAction] {
    guard !outcomes.isEmpty else { return [] }
    positions.needsSaving = true
    let events = outcomes.compactMap { outcome in
      switch outcome {
      case .entered(let zone): event(.zoneEntered, zone, "network", now: now)
      case .left(let zone): event(.zoneLeft, zone, "network", now: now)
      case .contradicted(let zone):
        event(.zoneLeft, zone, "contradicted", now: now)
      }
    }
    return events + save(now: now)
  }

  /// Creates an event of a Wi-Fi zone; nil in a privacy zone.
  private func event(_ kind: EventKind, _ zone: WifiZone, _ cause: EventValue, now: Moment) -> TrackerAction?
  {
    guard !positions.hides(zone.position) else { return nil }
    return keep(EventRecord(kind, [.zone: .text(zone.name), .cause: cause]), now: now)
  }
}

extension Fix {
  /// The fix with the zone's location, which is more accurate than the receiver: stationary, with an accuracy of 1 m.
  func substituted(by position: Coordinate) -> Fix {
    var fix = Fix()
    fix.timestamp = timestamp
    fix.millisecondOfDay = millisecondOfDay
    fix.kind = .twoDimensional
    fix.latitude = position.latitude
    fix.longitude = position.longitude
    fix.speed = 0
    fix.horizontalAccuracy = WifiZone.accuracy
    fix.accuracySource = .wifiZone
    return fix
  }
}
