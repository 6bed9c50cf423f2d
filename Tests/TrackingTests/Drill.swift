import Quantities
import Records
import DaySupport
import GNSSProtocol
import Tracking

/// A tracker on a simulated clock, with its actions.
final class Drill {
  var tracker: Tracker
  var now = Moment.zero + .seconds(100)
  var systemClock = Timestamp(milliseconds: 0)
  private(set) var actions: [TrackerAction] = []

  init(minTime: Duration = .seconds(1), minDistance: Double? = nil, dates: DateBounds = .recording) {
    var settings = TrackerSettings(deviceID: "van")
    settings.decimation = Decimation(minTime: minTime, minDistance: minDistance)
    tracker = Tracker(settings: settings, dates: dates)
  }

  init(_ settings: TrackerSettings, now: Moment = .zero + .seconds(100)) {
    tracker = Tracker(settings: settings)
    self.now = now
  }

  func handle(_ event: TrackerEvent) { actions += tracker.handle(event, now: now) }

  /// Passes fixes that arrive `pause` apart.
  func handle(_ fixes: [Fix], pause: Duration = .seconds(1)) {
    for fix in fixes {
      handle(.epoch(fix, systemClock: systemClock))
      now = now + pause
    }
  }

  /// Lets time pass and handles the deadlines in it.
  func wait(_ duration: Duration) {
    let end = now + duration
    while let timeout = tracker.summary.nextTimeout, timeout <= end {
      now = max(now, timeout)
      actions += tracker.handleTimeout(now: now)
    }
    now = end
  }

  /// Handles a deadline.
  func timeOut() { actions += tracker.handleTimeout(now: now) }

  var records: [LogRecord] {
    actions.compactMap { if case .keep(let record, _) = $0 { record } else { nil } }
  }

  var locations: [LogRecord] { records.filter { if case .location = $0.body { true } else { false } } }

  var events: [EventRecord] {
    records.compactMap { if case .event(let event) = $0.body { event } else { nil } }
  }

  var rejections: [EventRecord] { events.filter { $0.kind == .fixesRejected } }

  /// The offsets that date undated records, in order.
  var offsets: [Int64] { actions.compactMap { if case .date(let offset) = $0 { offset } else { nil } } }

  /// The offset that dates the records before the first date.
  var offset: Int64? { offsets.first }

  /// The final times of the locations in the log; undated ones are dated by the offset.
  var times: [Int64] {
    locations.compactMap { record in
      record.time?.milliseconds ?? offset.map { record.moment.nanoseconds / 1_000_000 + $0 }
    }
  }
}

extension Fix {
  /// A fix at a time in ISO 8601, `north` metres from the centre of Berlin.
  init(_ time: String, north: Double = 0) {
    self.init(Timestamp(iso8601: time) ?? Timestamp(milliseconds: 0), north: north)
  }

  init(_ time: Timestamp, north: Double = 0) {
    self.init()
    timestamp = time
    millisecondOfDay = Int32(time.millisecondOfDay)
    kind = .threeDimensional
    latitude = 52.5 + north / 111_194.9
    longitude = 13.4
  }

  /// The fix with the time of day alone, as in GGA.
  var undated: Fix {
    var fix = self
    fix.timestamp = nil
    return fix
  }

  /// The fix without a position.
  var lost: Fix {
    var fix = self
    fix.kind = .none
    fix.latitude = nil
    fix.longitude = nil
    return fix
  }

  func at(_ latitude: Double, _ longitude: Double) -> Fix {
    var fix = self
    fix.latitude = latitude
    fix.longitude = longitude
    return fix
  }

  static let start = Timestamp(milliseconds: 1_774_087_200_000)  // 2026-03-21T10:00:00Z

  /// Fixes so many milliseconds after the start.
  static func series(_ milliseconds: some Sequence<Int64>) -> [Fix] {
    milliseconds.map { Fix(Timestamp(milliseconds: start.milliseconds + $0)) }
  }
}
