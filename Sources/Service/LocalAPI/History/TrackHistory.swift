import Database
import HTTPServer
import History
import Quantities
import Records
import Store
import WebAccess

/// The response to `GET /track`: the points of a period in columns, its gaps with their reasons, visits, trips and events,
/// without anything inside a privacy zone.
///
/// A page ends after ``mostPoints`` points, after ``mostRows`` records, or when the lists are full; `next` continues it.
final class TrackHistory: LogHistory {
  static let mostPoints = 20_000
  static let mostRows = 500_000
  /// A run of the simplification, short enough for one step of the loop.
  private static let run = 200

  private let period: HistoryPeriod
  private let reading: GapReading
  private let resolution: Int64
  private let limit: Int
  private var path: PathThinner<StoredRecord>
  private var columns = TrackColumns()
  private var lists = PlaceLists()
  private var progress = Progress()

  private struct Progress {
    var count = 0
    var undated = 0
    var rows = 0
    var hasBegun = false
    var isOver = false
    /// The last record of the page, once it is full.
    var next: RecordID?
    /// The last location that may be disclosed, or nil if the last one may not be.
    var last: StoredRecord?
    var lastTime: Timestamp?
  }

  init(_ request: HTTPRequest, of logger: any LoggerControls) throws(Problem) {
    var period = try HistoryPeriod(request)
    resolution = try request.wholeNumber("resolution_m", in: 0...100_000) ?? 0
    limit = Int(
      try request.wholeNumber("limit", in: 1...Int64(Self.mostPoints)) ?? Int64(Self.mostPoints))
    let after = try request.wholeNumber("after", in: 0...RecordID.highest.rawValue)
    if period.from == nil {
      do throws(DatabaseError) {
        let newest = try LogReader(directory: logger.logDirectory).newestLocation()?.record.time
        period.from = (period.to ?? newest).map { $0 + .seconds(-86_400) }
      } catch { throw LogSlices.unreadable(error, by: logger) }
    }
    self.period = period
    reading = try GapReading(period, after: after.map(RecordID.init), of: logger)
    path = PathThinner(
      resolution > 0 ? PathSimplification(tolerance: Double(resolution), longestRun: Self.run) : nil)
  }

  func next() throws(DatabaseError) -> [UInt8]? {
    guard !progress.isOver else { return nil }
    var text = progress.hasBegun ? [] : head
    progress.hasBegun = true
    let isRead = try reading.next { stored, disclosed, gaps in
      for gap in gaps { lists.add(gap, hasPrivacyZones: reading.hasPrivacyZones) }
      if let stored { take(stored, disclosed, to: &text) }
    }
    if !isRead { end(&text) }
    return text
  }

  private func take(_ stored: StoredRecord, _ disclosed: StoredRecord?, to text: inout [UInt8]) {
    guard progress.next == nil else { return }
    let isChosen = stored.id > reading.start
    guard case .location(let location) = stored.record.body else {
      if isChosen, let disclosed { takePlace(disclosed, to: &text) }
      return
    }
    guard let time = stored.record.time else {
      if isChosen { progress.undated += 1 }
      return
    }
    let previous = progress.last?.record.time
    progress.last = disclosed
    guard period.contains(time), isChosen else { return }
    if previous.map({ time < $0 || time - $0 > .seconds(120) }) ?? true { write(path.finish(), to: &text) }
    progress.lastTime = time
    progress.rows += 1
    if let disclosed { write(path.take(disclosed, at: location.coordinate), to: &text) }
    if progress.count + path.pending >= limit || progress.rows >= Self.mostRows
      || lists.count >= PlaceLists.most
    {
      endPage(at: stored.id, time, to: &text)
    }
  }

  private func takePlace(_ stored: StoredRecord, to text: inout [UInt8]) {
    guard let time = stored.record.time, period.contains(time) else { return }
    switch stored.record.body {
    case .visit(let visit): lists.add(visit, stored.id)
    case .trip(let trip): lists.add(trip, stored.id)
    case .event(let event):
      let definition = event.kind.definition
      guard definition.level != .debug || definition.effects.contains(.notifies) else { return }
      var coordinate: Coordinate?
      if case .location(let location)? = progress.last?.record.body { coordinate = location.coordinate }
      lists.add(event, stored.id, time, at: coordinate)
    case .location, .action: return
    }
    write(path.cut(), to: &text)
    if lists.count >= PlaceLists.most { endPage(at: stored.id, progress.lastTime ?? time, to: &text) }
  }

  private func endPage(at id: RecordID, _ time: Timestamp, to text: inout [UInt8]) {
    progress.next = id
    write(path.finish(), to: &text)
    reading.end(before: time)
  }

  private func write(_ points: [StoredRecord], to text: inout [UInt8]) {
    for stored in points {
      guard case .location(let location) = stored.record.body, let time = stored.record.time else { continue }
      columns.add(TrackColumns.Point(stored.id, time, location), to: &text)
      progress.count += 1
    }
  }

  private var head: [UInt8] {
    var text = period.head
    text.append(key: "resolution_m")
    text.append(resolution)
    let lists: [(StaticString, [String])] = [
      ("motions", TrackColumns.motions), ("fixes", FixKind.allCases.map { "\($0.word)" }),
      ("reasons", KeepReasons.words.map { "\($0.word)" }),
    ]
    for (key, words) in lists {
      text.append(key: key)
      text += Array("[\(words.map { "\"\($0)\"" }.joined(separator: ","))]".utf8)
    }
    text.append(",\n\"points\":[")
    return text
  }

  private func end(_ text: inout [UInt8]) {
    progress.isOver = true
    write(path.finish(), to: &text)
    columns.finish(to: &text)
    if progress.next == nil, period.to == nil, let last = progress.last,
      case .location(let location) = last.record.body, let start = location.trip?.time
    {
      lists.add(openTripAt: start, last.id)
    }
    text.append("],\n\"gaps\":")
    text += lists.gapList
    text.append(",\n\"visits\":")
    text += lists.visitList
    text.append(",\n\"trips\":")
    text += lists.tripList
    text.append(",\n\"events\":")
    text += lists.eventList
    text.append(",\n\"undated\":")
    text.append(Int64(progress.undated))
    text.append(key: "count")
    text.append(Int64(progress.count))
    text.append(key: "next")
    text.append(optional: progress.next?.rawValue)
    text.append("}\n")
  }
}
