import GNSS
import Quantities
import Records

/// Decides what becomes a record.
///
/// It performs nothing: tell it what happened and when, carry out the actions it returns, and call
/// ``handleTimeout(now:)`` no earlier than ``nextTimeout``. The same value serves the daemon, a replay and the tests.
public struct Tracker: Sendable {
  public private(set) var settings: TrackerSettings
  public private(set) var clock = DeviceClock()
  public private(set) var rejections = RejectionLedger()
  /// Epochs looked at, with and without position.
  public private(set) var epochs: Int64 = 0
  /// Locations kept since the start.
  public private(set) var kept: Int64 = 0
  /// What a gauge said last; nil where there is none.
  public private(set) var battery: Battery?
  /// The wireless network that the box has joined; nil where none is or nobody can tell.
  public private(set) var network: JoinedNetwork?
  /// The last location that was kept.
  public private(set) var lastLocation: LogRecord?

  private var reference: Thinning.Reference?
  /// The next position is kept whatever the mode.
  private var keepsNext = false
  /// A fix whose date nobody believes before the next one agrees with it.
  private var doubtful: Doubtful?

  private struct Doubtful {
    var fix: Fix
    var timestamp: Timestamp
    var moment: Moment
    var isCredible: Bool
  }

  public init(settings: TrackerSettings) { self.settings = settings }

  public var nextTimeout: Moment? { rejections.nextTimeout }

  public mutating func handle(_ event: TrackerEvent, now: Moment) -> [TrackerAction] {
    switch event {
    case .started(let lastLocation):
      restore(lastLocation)
      return [keep(EventRecord(.started, detail: "Outrider \(Release.version)"), now: now)]
    case .epoch(let fix, let systemClock):
      return handle(fix, systemClock: systemClock, now: now)
    case .withheld(let fix):
      epochs += 1
      rejections.count(.afterStart, value: fix.timestamp?.iso8601() ?? "no time", now: now)
      return []
    case .battery(let battery):
      self.battery = battery
      return []
    case .network(let network):
      self.network = network
      return []
    case .checkIn:
      keepsNext = true
      return []
    case .occurred(let event):
      return [keep(event, now: now)]
    case .settings(let settings, let changed):
      self.settings = settings
      let event = EventRecord(.configurationChanged, detail: changed.joined(separator: ", "))
      return [keep(event, now: now)]
    case .stopping:
      return keepCredible(now: now) + reportRejections(rejections.report(now: now), now: now)
        + [keep(EventRecord(.stopped), now: now)]
    }
  }

  public mutating func handleTimeout(now: Moment) -> [TrackerAction] {
    guard let nextTimeout, now >= nextTimeout else { return [] }
    return reportRejections(rejections.report(now: now), now: now)
  }

  // MARK: Fixes

  private mutating func handle(_ fix: Fix, systemClock: Timestamp, now: Moment) -> [TrackerAction] {
    epochs += 1
    var actions: [TrackerAction] = []
    // A date without a fix may come from the receiver's battery clock: only a fix sets the clock.
    let isFix = fix.kind != .none
    let reading = clock.read(
      timestamp: isFix ? fix.timestamp : nil, millisecondOfDay: isFix ? fix.millisecondOfDay : nil,
      arrival: now, systemClock: systemClock)
    for notice in reading.notices { actions += act(on: notice, now: now) }
    switch reading.trust {
    case .known: break
    case .confirmsDoubt:
      if let held = doubtful {
        doubtful = nil
        actions += keep(held.fix, timestamp: held.timestamp, moment: held.moment, now: now)
      }
    case .refutesDoubt: dropDoubtful(now: now)
    case .doubtful(let isCredible):
      dropDoubtful(now: now)
      if let timestamp = reading.timestamp {
        doubtful = Doubtful(
          fix: fix, timestamp: timestamp, moment: reading.moment, isCredible: isCredible)
      }
      return actions
    }
    let kept = keep(fix, timestamp: reading.timestamp, moment: reading.moment, now: now)
    return actions.isEmpty ? kept : actions + kept
  }

  /// No other fix will come.
  private mutating func keepCredible(now: Moment) -> [TrackerAction] {
    guard let held = doubtful, held.isCredible else {
      dropDoubtful(now: now)
      return []
    }
    doubtful = nil
    return keep(held.fix, timestamp: held.timestamp, moment: held.moment, now: now)
  }

  private mutating func dropDoubtful(now: Moment) {
    guard let held = doubtful else { return }
    doubtful = nil
    rejections.count(.impossibleTime, value: held.timestamp.iso8601(), now: now)
  }

  private mutating func keep(
    _ fix: Fix, timestamp: Timestamp?, moment: Moment, now: Moment
  ) -> [TrackerAction] {
    var actions: [TrackerAction] = []
    guard fix.kind != .none, let latitude = fix.latitude, let longitude = fix.longitude else {
      rejections.count(.noFix, value: fix.timestamp?.iso8601() ?? "no time", now: now)
      return actions
    }
    guard let coordinate = Coordinate(latitude: latitude, longitude: longitude), !coordinate.isNullIsland
    else {
      rejections.count(.impossiblePosition, value: "\(latitude), \(longitude)", now: now)
      return actions
    }
    guard settings.keepsLocations || keepsNext else {
      rejections.count(.trackingOff, value: "", now: now)
      return actions
    }
    let candidate = Thinning.Reference(
      timestamp: timestamp, moment: moment, coordinate: coordinate)
    if !keepsNext, let rejection = settings.thinning.rejection(of: candidate, reference: reference) {
      rejections.count(rejection, value: timestamp?.iso8601() ?? "undated", now: now)
      return actions
    }
    var location = LocationRecord(
      fix, at: coordinate, deviceID: settings.deviceID, battery: battery ?? Battery(settings.supply))
    location.wifi = network?.name ?? ""
    let record = LogRecord(
      moment: moment, time: timestamp, timeQuality: clock.quality, body: .location(location))
    let isFirst = kept == 0 || keepsNext
    keepsNext = false
    reference = candidate
    lastLocation = record
    kept += 1
    let stretch = rejections.stretchEnded(now: now)
    if !stretch.isEmpty { actions += reportRejections(stretch, now: now) }
    actions.append(.keep(record, isFirst ? .atOnce : .routine))
    return actions
  }

  private mutating func restore(_ last: LogRecord?) {
    // Fixes that came before the log was open have set their own reference.
    guard reference == nil, let last, case .location(let location) = last.body, last.time != nil else {
      return
    }
    lastLocation = last
    reference = Thinning.Reference(
      timestamp: last.time, moment: nil, coordinate: location.coordinate)
  }

  // MARK: Events

  private func keep(_ event: EventRecord, now: Moment) -> TrackerAction {
    let time = clock.timestamp(at: now)
    return .keep(
      LogRecord(moment: now, time: time, timeQuality: clock.quality, body: .event(event)), .atOnce)
  }

  /// The last record is dated like the others: the fixes to come have to be compared with it.
  private mutating func dateReference(offset: Int64) {
    guard let moment = reference?.moment, reference?.timestamp == nil else { return }
    let time = Timestamp(milliseconds: moment.nanoseconds / 1_000_000 &+ offset)
    reference?.timestamp = time
    guard lastLocation?.time == nil else { return }
    lastLocation?.time = time
    lastLocation?.timeQuality = clock.quality
  }

  private mutating func act(on notice: DeviceClock.Notice, now: Moment) -> [TrackerAction] {
    switch notice {
    case .known(let time, let offset):
      dateReference(offset: offset)
      let event = EventRecord(
        .clockSet, detail: "the receiver gave \(time.iso8601())", value: time.milliseconds)
      return [.date(offsetMilliseconds: offset), keep(event, now: now)]
    case .stepped(let milliseconds):
      let event = EventRecord(
        .clockStepped, detail: "the receiver's time jumped by \(milliseconds) ms", value: milliseconds)
      return [keep(event, now: now)]
    case .weekRepaired(let days):
      let event = EventRecord(
        .weekRepaired, detail: "the receiver's date is \(days) days behind and is corrected", value: days)
      return [keep(event, now: now)]
    }
  }

  private func reportRejections(_ counts: [(Rejection, Int64)], now: Moment) -> [TrackerAction] {
    guard !counts.isEmpty else { return [] }
    let detail = counts.map { reason, count in
      let last = rejections.totals[reason]?.lastValue ?? ""
      return last.isEmpty ? "\(reason.rawValue) \(count)" : "\(reason.rawValue) \(count) (last \(last))"
    }
    let event = EventRecord(
      .fixesRejected, detail: detail.joined(separator: ", "), value: counts.reduce(0) { $0 + $1.1 })
    let record = LogRecord(
      moment: now, time: clock.timestamp(at: now), timeQuality: clock.quality, body: .event(event))
    return [.keep(record, .routine)]
  }
}
