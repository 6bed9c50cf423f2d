import Quantities
import Records

/// Finds the gaps of a log: periods without a location, each with the events that explain it.
///
/// It takes the records in the order of their ids and returns a gap when no later record can explain it.
struct GapSearch {
  /// An event that explains a gap.
  struct Reason: Equatable, Encodable {
    /// ISO 8601 in UTC; empty if the date is unknown.
    var time: String
    /// As ``EventKind`` has it.
    var kind: String
    var detail: String
    /// The named values of the event; nil for events of older versions.
    var fields: EventFields?
  }

  struct Gap: Equatable {
    var from: Timestamp
    /// The next location; nil if there is none yet.
    var to: Timestamp?
    /// Between the two locations.
    var metres: Double?
    /// From inside the gap, oldest first, after the one in force at its start; empty if the log gives no reason.
    var reasons: [Reason] = []
    /// Rejections reported after the gap that may have started inside it; nil if ``reasons`` has any.
    var perhaps: Reason?
    /// Straight line in metres of a trip that is reconstructed from the positions before and after the gap.
    var reconstructedMetres: Double?
    /// Reasons beyond ``GapSearch/mostReasons``.
    var more = 0
  }

  /// Limit of the reasons of one gap; others are counted.
  static let mostReasons = 12
  /// The longest time between rejections and their report.
  static let reportDelay = Duration.seconds(660)

  /// The interval between reports of fixes that recording rules dropped.
  static let rulePause = Duration.seconds(3600)

  /// A shorter pause is no gap.
  private let longest: Duration
  private var last: (time: Timestamp, place: Coordinate)?
  private var pending: [Gap] = []
  /// Reasons since the last location.
  private(set) var said: [Reason] = []
  private(set) var unsaid = 0
  /// The sleep of the receiver that is in force until two locations in a row.
  private var rest: Reason?
  /// Recording rules that drop fixes; the next report may come an hour later.
  private var rules: (reason: Reason, time: Timestamp)?
  /// The clock was stepped: the next location may be older than the last one.
  private var hasStepped = false
  private(set) var locations = 0
  private(set) var undated = 0

  init(longest: Duration) { self.longest = longest }

  mutating func take(_ record: LogRecord) -> [Gap] {
    switch record.body {
    case .location(let location):
      guard let time = record.time else {
        undated += 1
        return []
      }
      return note(time, location.coordinate)
    case .event(let event):
      guard let time = record.time else {
        note(event, nil)
        return []
      }
      let done = settle(before: time)
      note(event, time)
      return done
    case .trip(let trip):
      note(trip)
      return []
    case .visit, .action: return []
    }
  }

  /// Ends the search at the end of the log or of the requested period.
  mutating func finish(at end: Timestamp?) -> [Gap] {
    if let last, let end, end - last.time > longest {
      var gap = Gap(from: last.time, to: nil, metres: nil)
      close(&gap)
      pending.append(gap)
    }
    defer { pending = [] }
    return pending
  }

  private mutating func note(_ time: Timestamp, _ place: Coordinate) -> [Gap] {
    locations += 1
    if let last, time <= last.time {
      // A record that was dated late comes after newer ones.
      guard hasStepped else { return [] }
      defer { pending = [] }
      begin(at: time, place)
      return pending
    }
    let done = settle(before: time)
    if let last {
      if time - last.time > longest {
        var gap = Gap(from: last.time, to: time, metres: last.place.distance(to: place))
        close(&gap)
        pending.append(gap)
      } else {
        rest = nil
      }
    }
    begin(at: time, place)
    return done
  }

  private mutating func begin(at time: Timestamp, _ place: Coordinate) {
    (said, unsaid, hasStepped) = ([], 0, false)
    last = (time, place)
  }

  private mutating func close(_ gap: inout Gap) {
    gap.reasons = said
    gap.more = unsaid
    if let rest, !said.contains(where: { $0.kind == rest.kind }) { gap.reasons.insert(rest, at: 0) }
    if gap.reasons.isEmpty, let rules, gap.from - rules.time < Self.rulePause { gap.reasons = [rules.reason] }
  }

  private mutating func note(_ event: EventRecord, _ time: Timestamp?) {
    guard event.kind.explainsGaps else { return }
    let reason = Reason(
      time: time?.iso8601() ?? "", kind: event.kind.rawValue, detail: event.detail,
      fields: event.fields.isEmpty ? nil : event.fields)
    switch event.kind {
    case .receiverResting: rest = reason
    case .fixesLeftOut: rules = time.map { (reason, $0) }
    case .started: (rest, rules) = (nil, nil)
    case .configurationChanged: rules = nil
    case .clockStepped: hasStepped = true
    default: break
    }
    if event.kind == .fixesRejected, let gap = pending.last, gap.reasons.isEmpty, gap.perhaps == nil {
      pending[pending.count - 1].perhaps = reason
    }
    if said.count < Self.mostReasons { said.append(reason) } else { unsaid += 1 }
  }

  /// A reconstructed trip is written after the location that ends the gap.
  private mutating func note(_ trip: TripRecord) {
    guard trip.isReconstructed, let start = trip.start.time, let end = trip.end.time,
      let index = pending.lastIndex(where: { $0.from < end && $0.to.map { start < $0 } ?? true })
    else { return }
    pending[index].reconstructedMetres = Double(max(trip.distanceMillimetres, 0)) / 1000
  }

  /// Gaps that no later record can explain.
  private mutating func settle(before time: Timestamp) -> [Gap] {
    let done = pending.prefix { gap in gap.to.map { time - $0 > Self.reportDelay } ?? false }
    pending.removeFirst(done.count)
    return Array(done)
  }
}

extension EventKind {
  /// True if the event can be the reason for a missing location.
  fileprivate var explainsGaps: Bool {
    switch self {
    case .started, .stopped, .configurationChanged, .remoteApplied, .remoteWentBack, .receiverFound,
      .receiverLost, .receiverSilent, .receiverGarbled, .receiverSpeed, .receiverRestarted, .receiverTrouble,
      .receiverRecovered, .receiverRemedy, .receiverResting, .hostSleeping, .hostWoke, .batteryLow,
      .powerLevel, .powerBudget,
      .clockStepped,
      .weekRepaired,
      .fixesRejected, .fixesLeftOut, .logSalvaged, .recordsMissing, .recordsDropped, .storageFailing,
      .storageRecovered,
      .storageSlow, .storageVolatile, .brownOut, .clockLost, .firstFix:
      true
    case .configurationRefused, .remoteProved, .receiverIdentified, .receiverConfigured, .gaugeLost,
      .gaugeReturned, .gaugeDoubtful, .accelerometerLost, .accelerometerReturned, .accelerometerDoubtful,
      .motionChanged, .motionBegan, .motionEnded, .trackingPaused, .trackingResumed, .chargerAttached,
      .chargerRemoved, .batteryFull,
      .supplyUnder,
      .supplyOver, .supplyInRange, .storageNearlyFull, .storageHasRoom, .storageKeepsUp, .backlogOver,
      .backlogUnder, .clockSourceChanged, .clockSet, .tripStarted, .tripEnded, .gap,
      .zoneEntered, .zoneLeft, .zoneDwelt, .parkingMoved, .heartbeat, .deliveryFailing, .deliveryRecovered,
      .recordSetAside, .deliveryDoubtful, .notificationFailing, .queueDropped, .networkFailing,
      .networkRecovered, .hostStaysUp, .ignitionOn, .ignitionOff, .ignitionLost, .harshAcceleration,
      .harshBraking,
      .harshCornering, .overspeedStarted, .overspeedEnded, .idlingStarted, .idlingEnded, .towed:
      false
    }
  }
}
