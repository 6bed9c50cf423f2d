import Quantities
import Records

/// Finds the gaps of a log, which are periods without a location, and the events that explain them.
///
/// It takes the records in the order of their ids. It returns a gap when no later record can explain it.
struct GapSearch {
  /// An event that explains a gap.
  struct Reason: Equatable, Encodable {
    /// ISO 8601 in UTC; empty if the date is unknown.
    var time: String
    /// Raw value of the ``EventKind``.
    var kind: String
    /// Sentence of the event.
    var detail: String
    /// The named values of the event; nil for events of older versions.
    var fields: EventFields?
  }

  /// A period without a location that is longer than the limit.
  struct Gap: Equatable {
    /// Time of the last location before the gap.
    var from: Timestamp
    /// Time of the next location; nil if there is none yet.
    var to: Timestamp?
    /// Distance between the two locations in metres.
    var metres: Double?
    /// The events that explain the gap, oldest first; empty if there are none. The first may be from before the gap, if
    /// it was still in force at the start.
    var reasons: [Reason] = []
    /// Rejections reported after the gap that may have started inside it; nil if ``reasons`` has any.
    var perhaps: Reason?
    /// Straight-line distance in metres of a trip that was reconstructed across the gap.
    var reconstructedMetres: Double?
    /// Number of further reasons, beyond ``GapSearch/mostReasons``.
    var more = 0
  }

  /// Limit of the listed reasons of one gap. Further ones are only counted.
  static let mostReasons = 12
  /// The longest time between rejections and their report.
  static let reportDelay = Duration.seconds(660)

  /// The interval between reports of fixes that recording rules dropped.
  static let rulePause = Duration.seconds(3600)

  /// The longest period without a location that is not a gap.
  private let longest: Duration
  private var last: (time: Timestamp, coordinate: Coordinate)?
  private var pending: [Gap] = []
  /// Possible reasons since the last location, at most ``mostReasons``.
  private(set) var possibleReasons: [Reason] = []
  /// Number of further possible reasons since the last location.
  private(set) var furtherReasons = 0
  /// The latest sleep of the receiver. It applies until two locations without a gap between them.
  private var sleep: Reason?
  /// The latest report of fixes that recording rules dropped. The next report may follow an hour later.
  private var rules: (reason: Reason, time: Timestamp)?
  /// True if the clock was stepped since the last location, so that the next one may be older.
  private var hasStepped = false
  private(set) var locations = 0
  private(set) var undated = 0

  init(longest: Duration) { self.longest = longest }

  /// Adds the next record, and returns the gaps that are complete.
  mutating func take(_ record: LogRecord) -> [Gap] {
    switch record.body {
    case .location(let location):
      guard let time = record.time else {
        undated += 1
        return []
      }
      return process(time, location.coordinate)
    case .event(let event):
      guard let time = record.time else {
        process(event, nil)
        return []
      }
      let done = settle(before: time)
      process(event, time)
      return done
    case .trip(let trip):
      process(trip)
      return []
    case .visit, .action: return []
    }
  }

  /// Ends the search at the end of the log or of the requested period, and returns the remaining gaps.
  mutating func finish(at end: Timestamp?) -> [Gap] {
    if let last, let end, end - last.time > longest {
      var gap = Gap(from: last.time, to: nil, metres: nil)
      close(&gap)
      pending.append(gap)
    }
    defer { pending = [] }
    return pending
  }

  private mutating func process(_ time: Timestamp, _ coordinate: Coordinate) -> [Gap] {
    locations += 1
    if let last, time <= last.time {
      // A record that was dated later follows newer ones.
      guard hasStepped else { return [] }
      defer { pending = [] }
      begin(at: time, coordinate)
      return pending
    }
    let done = settle(before: time)
    if let last {
      if time - last.time > longest {
        var gap = Gap(from: last.time, to: time, metres: last.coordinate.distance(to: coordinate))
        close(&gap)
        pending.append(gap)
      } else {
        sleep = nil
      }
    }
    begin(at: time, coordinate)
    return done
  }

  private mutating func begin(at time: Timestamp, _ coordinate: Coordinate) {
    (possibleReasons, furtherReasons, hasStepped) = ([], 0, false)
    last = (time, coordinate)
  }

  private mutating func close(_ gap: inout Gap) {
    gap.reasons = possibleReasons
    gap.more = furtherReasons
    if let sleep, !possibleReasons.contains(where: { $0.kind == sleep.kind }) {
      gap.reasons.insert(sleep, at: 0)
    }
    if gap.reasons.isEmpty, let rules, gap.from - rules.time < Self.rulePause { gap.reasons = [rules.reason] }
  }

  private mutating func process(_ event: EventRecord, _ time: Timestamp?) {
    guard event.explainsGaps else { return }
    let reason = Reason(
      time: time?.iso8601() ?? "", kind: event.kind.rawValue, detail: event.detail,
      fields: event.fields.isEmpty ? nil : event.fields)
    switch event.kind {
    case .receiverAsleep: sleep = reason
    case .fixesLeftOut: rules = time.map { (reason, $0) }
    case .started: (sleep, rules) = (nil, nil)
    case .configurationChanged: rules = nil
    case .clockStepped: hasStepped = true
    default: break
    }
    if event.kind == .fixesRejected, let gap = pending.last, gap.reasons.isEmpty, gap.perhaps == nil {
      pending[pending.count - 1].perhaps = reason
    }
    if possibleReasons.count < Self.mostReasons {
      possibleReasons.append(reason)
    } else {
      furtherReasons += 1
    }
  }

  /// Adds a reconstructed trip to its gap. It is recorded after the location that ends the gap.
  private mutating func process(_ trip: TripRecord) {
    guard trip.isReconstructed, let start = trip.start.time, let end = trip.end.time,
      let index = pending.lastIndex(where: { $0.from < end && $0.to.map { start < $0 } ?? true })
    else { return }
    pending[index].reconstructedMetres = Double(max(trip.distanceMillimetres, 0)) / 1000
  }

  /// Removes and returns the gaps that no later record can explain.
  private mutating func settle(before time: Timestamp) -> [Gap] {
    let done = pending.prefix { gap in gap.to.map { time - $0 > Self.reportDelay } ?? false }
    pending.removeFirst(done.count)
    return Array(done)
  }
}

extension EventRecord {
  /// True if the event can be the reason for a missing location.
  fileprivate var explainsGaps: Bool {
    switch kind.definition.gap {
    case .unrelated: false
    case .context, .cause: true
    case .causeAtStart: fields[.cause] == "start"
    }
  }
}
