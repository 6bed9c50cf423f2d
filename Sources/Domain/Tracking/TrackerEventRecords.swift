import Quantities
import Records
import Scheduling

// The events of the tracker, with their evidence.

extension EventRecord {
  /// `isHidden` is true if the distance of a tow would reveal a location in a privacy zone.
  init(_ outcome: DrivingWatches.Outcome, isHidden: Bool) {
    switch outcome {
    case .overspeed(.began(let speed)):
      self.init(.overspeedStarted, [.speed: .thousandths(speed)])
    case .overspeed(.ended(let episode, let duration)):
      self.init(
        .overspeedEnded,
        [.speed: .thousandths(episode.peak), .duration: .seconds(duration), .started: episode.started])
    case .idling(.began(let duration)):
      self.init(.idlingStarted, [.duration: .seconds(duration)])
    case .idling(.ended(let episode, let duration)):
      self.init(.idlingEnded, [.duration: .seconds(duration), .started: episode.started])
    case .towed(let alarm) where alarm.metres != nil && isHidden: self.init(.towed, [.cause: "left"])
    case .towed(let alarm):
      let distance = alarm.metres.flatMap(EventValue.whole)
      self.init(.towed, [.distance: distance, .cause: distance == nil ? "no_fix" : nil])
    }
  }

  /// `fix` is the fix that contradicts the zone; nil if there is none, or if it is in a privacy zone.
  init(_ outcome: WifiZoneWatch.Outcome, contradictedBy fix: (position: Coordinate, accuracy: Double?)?) {
    let (kind, cause): (EventKind, EventValue) =
      switch outcome {
      case .entered: (.zoneEntered, "network")
      case .left: (.zoneLeft, "network")
      case .contradicted: (.zoneLeft, "contradicted")
      }
    let position: EventFields =
      switch outcome {
      case .entered(let zone): EventFields(position: zone.position, accuracy: WifiZone.accuracy)
      // The last known location; the network may be received so far from it.
      case .left(let zone):
        EventFields(position: zone.position, accuracy: WifiZoneContradiction.reach)
      case .contradicted: fix.map { EventFields(position: $0.position, accuracy: $0.accuracy) } ?? [:]
      }
    let fields: EventFields = [.zone: .text(outcome.zone.name), .cause: cause]
    self.init(kind, fields.merging(position))
  }

  init(_ budget: PowerBudget) {
    self.init(
      .powerBudget, [.interval: .whole(budget.intervalFactor * 100), .outlook: budget.outlook.field])
  }

  init(_ level: PowerLevel, from before: PowerLevel, _ cause: PowerCause) {
    let levels: EventFields = [.level: .text(level.rawValue), .previousLevel: .text(before.rawValue)]
    self.init(.powerLevel, levels.merging(cause.fields))
  }
}

extension EventFields {
  /// The position of the device as fields of an event.
  init(position observation: Observation) {
    self.init(position: observation.coordinate, accuracy: observation.accuracy)
  }
}

extension WifiZoneWatch.Outcome {
  var zone: WifiZone {
    switch self {
    case .entered(let zone), .left(let zone), .contradicted(let zone): zone
    }
  }
}

extension DrivingEpisode {
  /// Start of the episode as a field of its end; nil without a date.
  fileprivate var started: EventValue? { time.map { .integer($0.milliseconds) } }
}

extension ClockQuality {
  /// The word for the source of the date in the fields of an event.
  var source: EventValue {
    switch self {
    case .network: "network"
    case .clockChip: "clock_chip"
    case .none, .saved, .receiver: "receiver"
    }
  }
}

extension KeepReason {
  /// True if the device is moving with this record.
  var isMoving: Bool {
    switch self {
    case .departure, .period, .track, .change: true
    case .first, .arrival, .stay, .requested: false
    }
  }

  /// The reason for the recording rules; nil leaves the decision to them.
  var asked: KeepReasons? {
    switch self {
    case .first, .departure, .arrival, .stay: .transition
    case .requested: .event
    case .period, .track, .change: nil
    }
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
