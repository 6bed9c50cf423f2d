import Quantities
import Records
import Scheduling

/// Applies power level and battery budget to recording.
extension Tracker {
  mutating func take(_ reading: PowerReading, now: Moment) -> [TrackerAction] {
    act(on: power.take(reading, now: now), now: now)
  }

  mutating func take(_ use: PowerUse, now: Moment) -> [TrackerAction] {
    guard power.review(use, time: clock.timestamp(at: now)) else { return [] }
    positions.needsSaving = true
    var actions = applyPolicy(now: now)
    if power.hasReportableChange() {
      let event = EventRecord(
        .powerBudget,
        [.interval: .whole(power.budget.stretch * 100), .outlook: power.budget.outlook.field])
      actions.append(keep(event, now: now))
    }
    return actions + save(now: now)
  }

  mutating func powerTimeout(now: Moment) -> [TrackerAction] {
    guard let due = power.nextTimeout, now >= due else { return [] }
    return act(on: power.handleTimeout(now: now), now: now)
  }

  mutating func act(on actions: [PowerWatch.Action], now: Moment) -> [TrackerAction] {
    var trackerActions: [TrackerAction] = []
    for action in actions {
      switch action {
      case .changed(let before): trackerActions += levelChanged(from: before, now: now)
      case .takeLastPosition:
        trackerActions +=
          recordsPositions ? requestPosition(now: now) : act(on: power.positionKept(now: now), now: now)
      case .switchReceiverOff:
        // No better fix follows, and no later one replaces it.
        trackerActions += keepSettling(now: now)
        request.giveUp()
        schedule?.endRequest()
        trackerActions += applyPolicy(now: now)
      }
    }
    return trackerActions
  }

  private mutating func levelChanged(from before: PowerLevel, now: Moment) -> [TrackerAction] {
    positions.needsSaving = true
    updateProfile()
    let levels: EventFields = [.level: .text(power.level.rawValue), .previousLevel: .text(before.rawValue)]
    let event = EventRecord(.powerLevel, levels.merging(power.cause.fields))
    let saved = save(now: now)
    return [keep(event, now: now)] + applyPolicy(now: now) + saved
  }

  /// The tracking policy at the present power level; nil leaves the receiver on.
  var affordablePolicy: TrackingPolicy? {
    let isByHand = positions.trips.running?.isManual
    return power.affordable(
      settings.policy(inTripByHand: isByHand), isByHand: isByHand == true,
      keepsLocations: settings.keepsLocations)
  }
}

extension PowerBudget.Outlook {
  /// The word for the outlook in the fields of an event; nil for none.
  fileprivate var field: EventValue? {
    switch self {
    case .none: nil
    case .lasts: "lasts"
    case .fallsShort: "falls_short"
    case .over: "over"
    }
  }
}

extension PowerCause {
  /// The fields of the event for a power level.
  fileprivate var fields: EventFields {
    switch self {
    case .unread: [.cause: "not_read"]
    case .restored: [.cause: "restored"]
    case .charge(let percent, let limit):
      [.cause: "charge", .percent: .whole(percent), .limit: .text(Self.text(limit))]
    case .voltage(let volts, let limit):
      [.cause: "voltage", .voltage: .thousandths(volts), .limit: .text(Self.text(limit))]
    case .temperature(let degrees, let limit):
      [.cause: "temperature", .temperature: .decimal(degrees), .limit: .text(Self.text(limit))]
    case .charger: [.cause: "charger"]
    case .silence(let duration): [.cause: "no_reading", .duration: .seconds(duration)]
    case .standstill(let duration): [.cause: "constant_reading", .duration: .seconds(duration)]
    }
  }
}
