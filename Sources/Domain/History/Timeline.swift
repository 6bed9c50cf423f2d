import Quantities
import Records

/// The states of the device in the course of time, as the records of the log show them.
///
/// It takes records in the order of their ids. A state lasts until a record shows another one.
public struct Timeline: Sendable {
  /// A row of states. The names are part of the local API.
  public enum Row: String, CaseIterable, Sendable {
    /// off, acquiring, settling, tracking, cyclic, asleep.
    case receiver
    /// A motion state, or `moving`.
    case motion
    /// awake, asleep.
    case host
    /// `failing` while sending fails, `ok` afterwards.
    case network
    /// A power level.
    case power
    /// The mode of a trip.
    case trips
    /// The kind of the event that explains a gap, or `unknown`.
    case gaps
    /// The source of the time.
    case clock
  }

  /// A period in one state.
  public struct Span: Equatable, Sendable {
    public var start: Timestamp
    /// Nil if the state continues.
    public var end: Timestamp?
    public var state: String
    /// One sentence; empty if there is none.
    public var reason: String

    public init(_ start: Timestamp, _ end: Timestamp?, _ state: String, _ reason: String = "") {
      (self.start, self.end, self.state, self.reason) = (start, end, state, reason)
    }
  }

  /// Limit of the spans of a row. Further ones are left out.
  public static let mostSpans = 1000
  /// Limit of the reason of a state in bytes; a longer one is cut.
  public static let longestReason = 200

  private var spans: [Row: [Span]] = [:]
  private var present: [Row: Span] = [:]
  private var lastTime: Timestamp?
  /// True if a row has more than ``mostSpans``.
  public private(set) var isCut = false

  public init() {}

  /// Adds the next record.
  public mutating func take(_ record: LogRecord) {
    guard let time = record.time else { return }
    switch record.body {
    case .location(let location):
      if present[.receiver].map({ $0.start < time }) ?? true { enter(.receiver, "tracking", "", at: time) }
      if let word = MotionStates.words.first(where: { location.motion.contains($0.state) })?.word {
        enter(.motion, "\(word)", "", at: time)
      }
      enter(.clock, Self.word(record.timeQuality), "", at: time)
    case .event(let event): take(event, at: time)
    case .trip(let trip):
      guard let start = trip.start.time, let end = trip.end.time, start <= end else { break }
      add(Span(start, end, trip.mode.rawValue, "\(trip.ending.word)"), to: .trips)
    case .visit, .action: break
    }
    lastTime = max(lastTime ?? time, time)
  }

  private mutating func take(_ event: EventRecord, at time: Timestamp) {
    switch event.kind {
    case .started:
      leaveAll(at: min(lastTime ?? time, time))
      enter(.receiver, "acquiring", event.detail, at: time)
      enter(.host, "awake", "", at: time)
    case .stopped: leaveAll(at: time)
    case .receiverFound:
      if present[.receiver]?.state != "tracking" { enter(.receiver, "acquiring", event.detail, at: time) }
    case .receiverLost, .receiverSilent, .receiverGarbled: enter(.receiver, "off", event.detail, at: time)
    case .firstFix: enter(.receiver, "tracking", event.detail, at: time)
    case .receiverAsleep: enter(.receiver, "asleep", event.detail, at: time)
    case .hostSleeping:
      enter(.host, "asleep", event.detail, at: time)
      enter(.receiver, "off", event.detail, at: time)
    case .hostWoke:
      enter(.host, "awake", event.detail, at: time)
      enter(.receiver, "acquiring", event.detail, at: time)
    case .motionChanged: enter(.motion, event.fields.list(.motion).first ?? "unknown", event.detail, at: time)
    case .motionBegan: enter(.motion, "moving", event.detail, at: time)
    case .motionEnded: enter(.motion, "stationary", event.detail, at: time)
    case .deliveryFailing, .networkFailing: enter(.network, "failing", event.detail, at: time)
    case .deliveryRecovered, .networkRecovered: enter(.network, "ok", event.detail, at: time)
    case .powerLevel: enter(.power, event.fields.text(.level) ?? "unknown", event.detail, at: time)
    case .clockLost: enter(.clock, "uncertain", event.detail, at: time)
    default: break
    }
  }

  /// Adds a gap. `hasPrivacyZones` is true if a privacy zone may be the reason.
  public mutating func take(_ gap: GapSearch.Gap, clock: WallClock, hasPrivacyZones: Bool) {
    let sentence = GapSentence(gap, clock: clock, hasPrivacyZones: hasPrivacyZones).text
    add(Span(gap.from, gap.to, gap.reasonKind, sentence), to: .gaps)
  }

  /// Replaces the states of the receiver from the first of `known` on. They keep the reasons that the log has.
  public mutating func take(receiver known: [Span]) {
    guard let first = known.first else { return }
    let logged = spans(of: .receiver)
    present[.receiver] = nil
    spans[.receiver] = logged.compactMap { span in
      guard span.start < first.start else { return nil }
      var span = span
      span.end = min(span.end ?? first.start, first.start)
      return span
    }
    for var span in known {
      let same = logged.last { other in
        other.state == span.state && other.start <= span.start + .seconds(10)
          && other.end.map { $0 > span.start } ?? true
      }
      span.reason = same?.reason ?? ""
      add(span, to: .receiver)
    }
  }

  /// Returns the spans of a row within a period, in their order. States that are still in force have no end.
  public func spans(of row: Row, from: Timestamp? = nil, to: Timestamp? = nil) -> [Span] {
    ((spans[row] ?? []) + [present[row]].compactMap { $0 }).compactMap { span in
      var span = span
      if let from {
        if let end = span.end, end <= from { return nil }
        span.start = max(span.start, from)
      }
      if let to, span.start > to { return nil }
      return span
    }
  }

  private mutating func enter(_ row: Row, _ state: String, _ reason: String, at time: Timestamp) {
    guard present[row]?.state != state else { return }
    leave(row, at: time)
    present[row] = Span(time, nil, state, reason.cut(toBytes: Self.longestReason))
  }

  private mutating func leave(_ row: Row, at time: Timestamp) {
    guard var span = present.removeValue(forKey: row) else { return }
    span.end = max(span.start, time)
    add(span, to: row)
  }

  private mutating func leaveAll(at time: Timestamp) {
    for row in Row.allCases { leave(row, at: time) }
  }

  private mutating func add(_ span: Span, to row: Row) {
    guard spans[row]?.count ?? 0 < Self.mostSpans else {
      isCut = true
      return
    }
    spans[row, default: []].append(span)
  }

  private static func word(_ quality: ClockQuality) -> String {
    switch quality {
    case .none: "unknown"
    case .saved: "saved"
    case .clockChip: "clock chip"
    case .network: "network"
    case .receiver: "receiver"
    }
  }
}

extension GapSearch.Gap {
  /// The kind of the first event that is a cause; `fixes_rejected` if it is only possible, and `unknown` without one.
  public var reasonKind: String {
    let cause = reasons.first { reason in
      EventKind(rawValue: reason.kind).map { $0.definition.gap.cause != nil } ?? false
    }
    return cause?.kind ?? perhaps?.kind ?? "unknown"
  }
}
