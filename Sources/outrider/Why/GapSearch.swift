import Quantities
import Records

/// Finds the stretches of a log without a location, and what the log says of each.
///
/// Told the records in the order of their ids, it answers with a gap once nothing more can be said of it.
struct GapSearch {
  /// What the log says of a gap.
  struct Reason: Equatable, Encodable {
    /// ISO 8601 in UTC; empty where nobody knows the date.
    var time: String
    /// As ``EventKind`` has it.
    var kind: String
    var detail: String
  }

  struct Gap: Equatable {
    var from: Timestamp
    /// The next location; nil where there is none yet.
    var to: Timestamp?
    /// Between the two locations.
    var metres: Double?
    /// From inside the gap, oldest first, behind what was in force when it began; empty if the log does not say why.
    var reasons: [Reason] = []
    /// Rejections that were reported after the gap, and that may have begun inside it; nil if ``reasons`` has any.
    var perhaps: Reason?
    /// Straight line in metres of a trip that is reconstructed from the positions before and after the gap.
    var reconstructedMetres: Double?
    /// Reasons beyond ``GapSearch/mostReasons``.
    var more = 0
  }

  /// Reasons that one gap can have; a gap with more is told of how many.
  static let mostReasons = 12
  /// Rejections are reported up to so long after they began.
  static let reportDelay = Duration.seconds(660)

  /// What rules leave out is reported again after so long.
  static let rulePause = Duration.seconds(3600)

  /// A pause up to this is none.
  private let longest: Duration
  private var last: (time: Timestamp, place: Coordinate)?
  private var pending: [Gap] = []
  /// What was said since the last location.
  private(set) var said: [Reason] = []
  private(set) var unsaid = 0
  /// The rest that was told and has not been left by two locations in a row.
  private var rest: Reason?
  /// Rules that leave fixes out; the next report of them may come an hour later.
  private var rules: (reason: Reason, time: Timestamp)?
  /// The clock was set by more than it drifts: the next location may be older than the last one.
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

  /// The end of the log, or of the time that is asked for.
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
      // One that was dated late lies behind the others.
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
    let reason = Reason(time: time?.iso8601() ?? "", kind: event.kind.rawValue, detail: event.detail)
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

  /// A trip that is known by its ends alone is written after the location that ends the gap.
  private mutating func note(_ trip: TripRecord) {
    guard trip.isReconstructed, let start = trip.start.time, let end = trip.end.time,
      let index = pending.lastIndex(where: { $0.from < end && $0.to.map { start < $0 } ?? true })
    else { return }
    pending[index].reconstructedMetres = Double(max(trip.distanceMillimetres, 0)) / 1000
  }

  /// Gaps of which nothing more will be said.
  private mutating func settle(before time: Timestamp) -> [Gap] {
    let done = pending.prefix { gap in gap.to.map { time - $0 > Self.reportDelay } ?? false }
    pending.removeFirst(done.count)
    return Array(done)
  }
}

extension EventKind {
  /// Whether it can be why a location is missing.
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
