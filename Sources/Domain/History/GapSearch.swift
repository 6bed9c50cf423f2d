import Quantities
import Records

/// Finds the gaps of a log, which are periods without a location, and the events that explain them.
///
/// It takes the records in the order of their ids. It returns a gap when no later record can explain it.
public struct GapSearch: Sendable {
  /// An event that explains a gap.
  public struct Reason: Equatable, Encodable, Sendable {
    /// ISO 8601 in UTC; empty if the date is unknown.
    public var time: String
    /// Raw value of the ``EventKind``.
    public var kind: String
    /// Sentence of the event.
    public var detail: String
    /// The named values of the event; nil for events of older versions.
    public var fields: EventFields?
  }

  /// A period without a location that is longer than the limit.
  public struct Gap: Equatable, Sendable {
    /// Time of the last location before the gap.
    public var from: Timestamp
    /// Position of that location; nil if it may not be disclosed.
    public var start: Coordinate?
    /// Time of the next location; nil if there is none yet.
    public var to: Timestamp?
    /// Position of that location; nil if there is none yet, or if it may not be disclosed.
    public var end: Coordinate?
    /// Distance between the two locations in metres.
    public var metres: Double?
    /// The events that explain the gap, oldest first; empty if there are none. The first may be from before the gap, if
    /// it was still in force at the start.
    public var reasons: [Reason] = []
    /// Rejections reported after the gap that may have started inside it; nil if ``reasons`` has any.
    public var perhaps: Reason?
    /// Straight-line distance in metres of a trip that was reconstructed across the gap.
    public var reconstructedMetres: Double?
    /// Number of further reasons, beyond ``GapSearch/mostReasons``.
    public var more = 0
  }

  /// Limit of the listed reasons of one gap. Further ones are only counted.
  public static let mostReasons = 12
  /// The longest time between rejections and their report.
  public static let reportDelay = Duration.seconds(660)

  /// The interval between reports of fixes that recording rules dropped.
  public static let rulePause = Duration.seconds(3600)

  /// The longest period without a location that is not a gap.
  private let longest: Duration
  private var last: (time: Timestamp, coordinate: Coordinate, isDisclosed: Bool)?
  private var pending: [Gap] = []
  /// Possible reasons since the last location, at most ``mostReasons``.
  public private(set) var possibleReasons: [Reason] = []
  /// Number of further possible reasons since the last location.
  public private(set) var furtherReasons = 0
  /// The latest sleep of the receiver. It applies until two locations after it without a gap between them.
  private var sleep: (reason: Reason, time: Timestamp?)?
  /// The latest report of fixes that recording rules dropped. The next report may follow an hour later.
  private var rules: (reason: Reason, time: Timestamp)?
  /// True if the clock was stepped since the last location, so that the next one may be older.
  private var hasStepped = false
  /// Number of dated locations so far.
  public private(set) var locations = 0
  /// Number of undated locations so far.
  public private(set) var undated = 0

  /// Creates a search for gaps that are longer than `longest`.
  public init(longest: Duration) { self.longest = longest }

  /// Adds the next record, and returns the gaps that are complete.
  ///
  /// If a location must not be disclosed, because it is inside a privacy zone, its gaps have no position there.
  public mutating func take(_ record: LogRecord, isDisclosed: Bool = true) -> [Gap] {
    switch record.body {
    case .location(let location):
      guard let time = record.time else {
        undated += 1
        return []
      }
      return process(time, location.coordinate, isDisclosed)
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
  public mutating func finish(at end: Timestamp?) -> [Gap] {
    if let last, let end, end - last.time > longest {
      var gap = Gap(from: last.time, to: nil, metres: nil)
      gap.start = last.isDisclosed ? last.coordinate : nil
      close(&gap)
      pending.append(gap)
    }
    defer { pending = [] }
    return pending
  }

  private mutating func process(_ time: Timestamp, _ coordinate: Coordinate, _ isDisclosed: Bool) -> [Gap] {
    locations += 1
    if let last, time <= last.time {
      // A record that was dated later follows newer ones.
      guard hasStepped else { return [] }
      defer { pending = [] }
      begin(at: time, coordinate, isDisclosed)
      return pending
    }
    let done = settle(before: time)
    if let last {
      if time - last.time > longest {
        var gap = Gap(from: last.time, to: time, metres: last.coordinate.distance(to: coordinate))
        gap.start = last.isDisclosed ? last.coordinate : nil
        gap.end = isDisclosed ? coordinate : nil
        close(&gap)
        pending.append(gap)
      } else if sleep.map({ sleep in sleep.time.map { $0 < time } ?? true }) ?? false {
        // The last location before a sleep is recorded after the event, with the earlier time of its fix.
        sleep = nil
      }
    }
    begin(at: time, coordinate, isDisclosed)
    return done
  }

  private mutating func begin(at time: Timestamp, _ coordinate: Coordinate, _ isDisclosed: Bool) {
    (possibleReasons, furtherReasons, hasStepped) = ([], 0, false)
    last = (time, coordinate, isDisclosed)
  }

  private mutating func close(_ gap: inout Gap) {
    gap.reasons = possibleReasons
    gap.more = furtherReasons
    if let sleep, !possibleReasons.contains(where: { $0.kind == sleep.reason.kind }) {
      gap.reasons.insert(sleep.reason, at: 0)
    }
    if gap.reasons.isEmpty, let rules, gap.from - rules.time < Self.rulePause { gap.reasons = [rules.reason] }
  }

  private mutating func process(_ event: EventRecord, _ time: Timestamp?) {
    guard event.explainsGaps else { return }
    let reason = Reason(
      time: time?.iso8601() ?? "", kind: event.kind.rawValue, detail: event.detail,
      fields: event.fields.isEmpty ? nil : event.fields)
    switch event.kind {
    case .receiverAsleep: sleep = (reason, time)
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
