import LocalAPI
import Quantities
import Records
import System

/// The present run of the logger.
struct LoggerRun {
  let start: Moment
  /// The signal that ended the previous run, if known.
  let lastSignal: LastSignal?
  private(set) var hasEnded = false
  /// Number of records of this run by kind.
  private(set) var recordCounts: [String: Int] = [:]
  /// Number of events of this run by kind.
  private(set) var eventCounts: [EventKind: Int64] = [:]
  /// Number of periods of this run without a location, longer than ``longestPause``.
  private(set) var gaps: Int64 = 0
  private var lastLocation: Moment?
  private(set) var today = DayCount()
  private let readings = ProcessReadings()
  /// The last record before this run; nil until the log is open.
  private var recordsBefore: RecordID?
  /// Reads the part of today before this run; nil before the first request of a person.
  private var earlier: EarlierToday?

  /// The longest period without a location that is not a gap, as of `outrider why`.
  static let longestPause = Duration.seconds(120)

  init(after lastSignal: LastSignal?, now: Moment) {
    start = now
    self.lastSignal = lastSignal
  }

  mutating func count(_ record: LogRecord) {
    recordCounts[record.kindName, default: 0] += 1
    today.count(record)
    switch record.body {
    case .event(let event): eventCounts[event.kind, default: 0] += 1
    case .location:
      if let lastLocation, record.moment - lastLocation > Self.longestPause { gaps += 1 }
      lastLocation = max(record.moment, lastLocation ?? record.moment)
    case .visit, .trip, .action: break
    }
  }

  /// Counts an attempt to send `bytes` at that time.
  mutating func countSend(bytes: Int, at time: Timestamp?) { today.countSend(bytes: bytes, at: time) }

  /// The log is new: nothing was recorded today before this run.
  mutating func beganLog() { today.beganLog() }

  /// The log was opened with records up to this one.
  mutating func opened(after last: RecordID) { recordsBefore = last }

  /// Returns the local day whose part before this run is to be read, and the last record of that part. Once only.
  func unreadPart() -> (day: Int, last: RecordID)? {
    guard earlier == nil, let recordsBefore, let day = today.unknownDay else { return nil }
    return (day, recordsBefore)
  }

  /// Keeps the reading in progress.
  mutating func reads(_ earlier: EarlierToday) { self.earlier = earlier }

  /// Adds the part of a day before this run.
  mutating func add(_ figures: DayFigures, of day: Int) { today.add(figures, of: day) }

  /// Ends a reading in progress.
  func stopReading() { earlier?.stop() }

  /// The state of the process, read once per turn of the loop.
  func process(turn: UInt64) -> StatusReport.Process { readings.process(turn: turn) }

  /// Returns false if the run has ended before.
  mutating func end() -> Bool {
    defer { hasEnded = true }
    return !hasEnded
  }
}

/// The number of records of a local day, or of a part of it.
struct DayFigures: Equatable {
  private(set) var records = 0
  private(set) var trips = 0
  private(set) var visits = 0
  private(set) var metres = 0.0
  private var last: Coordinate?

  mutating func count(_ record: LogRecord) {
    records += 1
    switch record.body {
    case .location(let location):
      if let last { metres += last.distance(to: location.coordinate) }
      last = location.coordinate
    case .trip: trips += 1
    case .visit(let visit): if visit.departure == nil { visits += 1 }
    case .action, .event: break
    }
  }

  /// Adds an earlier part of the day. The way between the two parts is unknown and does not count.
  mutating func add(_ earlier: DayFigures) {
    records += earlier.records
    trips += earlier.trips
    visits += earlier.visits
    metres += earlier.metres
  }
}

/// The records of one local day. Its figures are unknown if a part of the day was before the run, until that part was read
/// from the log.
struct DayCount {
  /// The day, counted from 1970-01-01; nil before the first dated record.
  private var day: Int?
  /// The period in which ``day`` is the local day.
  private var period: Range<Timestamp>?
  private var isWhole = false
  private var isNewLog = false
  private var figures = DayFigures()
  /// True if ``sends`` and ``bytes`` are those of the whole day: the log does not have them.
  private var hasAllSends = false
  private var sends = 0
  private var bytes = 0

  /// The log is new.
  mutating func beganLog() {
    isNewLog = true
    if day != nil { (isWhole, hasAllSends) = (true, true) }
  }

  mutating func count(_ record: LogRecord) {
    // Undated records of the start belong to the day that follows them.
    if let time = record.time { enter(time) }
    figures.count(record)
  }

  /// The day of which a part before this run is unknown; nil if there is none, or no dated record yet.
  var unknownDay: Int? { isWhole ? nil : day }

  /// Adds the part of a day before this run; without effect if another day has begun.
  mutating func add(_ earlier: DayFigures, of day: Int) {
    guard day == unknownDay else { return }
    figures.add(earlier)
    isWhole = true
  }

  mutating func countSend(bytes: Int, at time: Timestamp?) {
    if let time { enter(time) }
    sends += 1
    self.bytes += min(max(bytes, 0), Int.max - self.bytes)
  }

  private mutating func enter(_ time: Timestamp) {
    guard period?.contains(time) != true else { return }
    let ahead = LocalTime.aheadOfUTC(at: time)
    let next = (time + ahead).day
    // A quarter of an hour: an offset changes only between such periods.
    let quarter: Int64 = 900_000
    let start = Timestamp(milliseconds: time.milliseconds / quarter * quarter)
    period = start..<start + .milliseconds(quarter)
    guard day != next else { return }
    // A record of the day before, such as one that was held back, does not change the day.
    if let day, next < day { return }
    let isFirst = day == nil
    day = next
    isWhole = isFirst ? isNewLog : true
    hasAllSends = isWhole
    guard !isFirst else { return }
    (figures, sends, bytes) = (DayFigures(), 0, 0)
  }

  /// The figures of a local day.
  func report(of day: Int) -> StatusReport.Today {
    let start = Timestamp(milliseconds: Int64(day) * 86_400_000)
    var today = StatusReport.Today(day: String(start.iso8601().prefix(10)))
    guard isWhole, let counted = self.day, counted <= day else { return today }
    let isToday = counted == day
    today.records = isToday ? figures.records : 0
    today.trips = isToday ? figures.trips : 0
    today.visits = isToday ? figures.visits : 0
    today.distance_m = isToday ? (figures.metres * 10).rounded() / 10 : 0
    guard hasAllSends || !isToday else { return today }
    today.sends = isToday ? sends : 0
    today.bytes_sent = isToday ? bytes : 0
    return today
  }
}

/// The last reading of the process, kept for one turn of the loop.
private final class ProcessReadings {
  private var last: (turn: UInt64, process: StatusReport.Process)?

  func process(turn: UInt64) -> StatusReport.Process {
    if let last, last.turn == turn { return last.process }
    let usage = ProcessUsage.now()
    var process = StatusReport.Process()
    let cost = ProcessCost.sinceStart()
    process.cpu_s = (cost.processor.inSeconds * 1000).rounded() / 1000
    process.bytes_written = cost.bytesWritten.map { Int(clamping: $0) }
    process.wakeups = usage.wakeUps
    process.anonymous_bytes = usage.anonymousBytes
    process.resident_bytes = usage.residentBytes
    process.threads = usage.threads
    last = (turn, process)
    return process
  }
}
