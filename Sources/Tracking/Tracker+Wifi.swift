import GNSS
import Quantities
import Records

/// Handles Wi-Fi zones and hints: locations and moves known by networks.
extension Tracker {
  mutating func joined(_ network: JoinedNetwork?, now: Moment) -> [TrackerAction] {
    self.network = network
    let before = networkHint.take(network, restingSince: plan?.restingSince, now: now)
    var told = act(on: places.wifi.take(network, movedUntil: movedUntil(now), now: now), now: now)
    zoneRecording.expectTime()
    told += tellPlanPlace(now: now)
    // The location of a zone replaces a position check.
    guard placeWithoutReceiver == nil else { return told }
    guard let before, let network, plan?.mayLook(now: now) ?? false else { return told }
    // Network names of a hidden location would reveal it.
    let isHidden = places.isHidden || isPlanPlaceHidden
    var why: EventFields = [.cause: "stationary", .wakeReason: "network_changed"]
    if !isHidden {
      why[.network] = .text(network.name)
      why[.previousNetwork] = .text(before)
    }
    let event = EventRecord(.receiverResting, why)
    return told + [keep(event, now: now)] + tellPlan(.lookWanted, now: now)
  }

  /// The window of the next scan for access points.
  var scanWindow: WakeWindow? {
    guard accessPointHint.interval != nil, let plan, plan.isAtRest else { return nil }
    return accessPointHint.window(restingSince: plan.restingSince)
  }

  mutating func scanTimeout(now: Moment) -> [TrackerAction] {
    guard let window = scanWindow, now >= window.due else { return [] }
    accessPointHint.asked(now: now)
    return [.hearAccessPoints]
  }

  mutating func heard(_ addresses: Set<String>, now: Moment) -> [TrackerAction] {
    let missing = accessPointHint.take(addresses, restingSince: plan?.restingSince)
    guard let missing, plan?.mayLook(now: now) ?? false else { return [] }
    let event = EventRecord(
      .receiverResting,
      [
        .cause: "stationary", .wakeReason: "access_points_gone",
        .accessPoints: .integer(Int64(missing)),
      ])
    return [keep(event, now: now)] + tellPlan(.lookWanted, now: now)
  }

  mutating func beginWifi(now: Moment) -> [TrackerAction] { act(on: places.wifi.begin(now: now), now: now) }

  mutating func act(on outcomes: [WifiZoneWatch.Outcome], now: Moment) -> [TrackerAction] {
    guard !outcomes.isEmpty else { return [] }
    places.needsSaving = true
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
    guard !places.hides(zone.place) else { return nil }
    return keep(EventRecord(kind, [.zone: .text(zone.name), .cause: cause]), now: now)
  }
}

extension Fix {
  /// The fix with the zone's location, which is more accurate than the receiver: stationary, with an accuracy of 1 m.
  func substituted(by place: Coordinate) -> Fix {
    var fix = Fix()
    fix.timestamp = timestamp
    fix.millisecondOfDay = millisecondOfDay
    fix.kind = .twoDimensional
    fix.latitude = place.latitude
    fix.longitude = place.longitude
    fix.speed = 0
    fix.horizontalAccuracy = WifiZone.accuracy
    fix.accuracySource = .wifiZone
    return fix
  }
}
