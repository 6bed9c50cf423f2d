import History
import Quantities
import Records

/// Turns the records of a log into a file, in bounded memory.
///
/// The caller reads: it passes the records after ``position`` to ``take(_:through:)`` until ``isOver``. Formats with
/// tracks need several passes over the records, so the position also moves back.
public struct TrackExport: Sendable {
  private enum Pass: Equatable {
    /// Counts, and finds bounds and trips.
    case overview
    /// Writes visits and events before the tracks.
    case waypoints
    /// Writes the locations of one local day that belong to no trip.
    case between
    /// Writes the trips that start on that day.
    case trips
    /// Writes all locations in their order.
    case all
    case over
  }

  /// What is exported: records after `start`, through `end` if there is one.
  private struct Order {
    let request: ExportRequest
    let format: ExportFormat
    let title: ExportTitle
    let clock: WallClock
    let start: RecordID
    let end: RecordID?
  }

  private let order: Order
  private var writer: any ExportWriter
  private var pass: Pass
  private var track: TrackAssembly
  /// The extent of the local day: the records after its start through its end.
  private var day: (start: RecordID, number: Int?, through: RecordID?)
  /// The trip that was written last.
  private var writtenTrip: Timestamp?
  private var lastPosition: Coordinate?
  private var hasBegun = false
  /// A visit whose departure may follow.
  private var openVisit: (visit: VisitRecord, time: Timestamp)?

  /// The id after which the next records are read.
  public private(set) var position: RecordID
  /// What the first pass has found. Only its `count` is complete in formats without tracks.
  public private(set) var overview = ExportOverview()

  /// Creates an export of the records after `start`, through `end` if it is given. Days are those of `clock`.
  /// `longestRun` limits the work of the simplification in one step.
  public init(
    _ request: ExportRequest, as format: ExportFormat, title: ExportTitle, clock: WallClock,
    after start: RecordID,
    through end: RecordID? = nil, longestRun: Int = PathSimplification.usualRun
  ) {
    order = Order(
      request: request, format: format, title: title, clock: clock, start: start, end: end)
    writer = format.writer
    pass = format.hasTracks ? .overview : .all
    track = TrackAssembly(request, hasTracks: format.hasTracks, longestRun: longestRun)
    day = (start, nil, nil)
    position = start
  }

  public var isOver: Bool { pass == .over }

  /// Processes the records after ``position``, and returns the next bytes of the file, which may be none.
  ///
  /// `through` is the last id that was read, also of records that must not be disclosed; nil at the end of the log.
  public mutating func take(_ records: some Sequence<StoredRecord>, through: RecordID?) -> [UInt8] {
    var text: [UInt8] = []
    if !hasBegun {
      hasBegun = true
      writer.write(.start, to: &text)
      if !order.format.hasTracks { writeHead(to: &text) }
    }
    let current = pass
    for stored in records {
      if let end = order.end, stored.id > end { break }
      guard take(stored, to: &text) else {
        if pass == current { finishPass(to: &text) }
        return text
      }
      position = stored.id
    }
    if let through, order.end.map({ through < $0 }) ?? true {
      position = max(position, through)
    } else {
      if pass == .between { day.through = nil }
      finishPass(to: &text)
    }
    return text
  }

  /// Returns false if the pass ends before the record.
  private mutating func take(_ stored: StoredRecord, to text: inout [UInt8]) -> Bool {
    switch pass {
    case .overview: count(stored)
    case .waypoints: writeWaypoint(stored, to: &text)
    case .between:
      if let time = stored.record.time, case .location = stored.record.body, order.request.contains(time) {
        let number = order.clock.day(of: time)
        if let present = day.number, number > present {
          day.through = position
          return false
        }
        if day.number == nil { beginDay(number, to: &text) }
      }
      if order.format != .gpx { writeWaypoint(stored, to: &text) }
      writeLocation(stored, to: &text) { $0.location.trip?.time == nil }
    case .trips: return writeTrip(stored, to: &text)
    case .all:
      if order.format != .gpx { writeWaypoint(stored, to: &text) }
      if !order.format.hasTracks { count(stored) }
      writeLocation(stored, to: &text) { _ in true }
    case .over: return false
    }
    return true
  }

  private mutating func count(_ stored: StoredRecord) {
    switch stored.record.body {
    case .location(let location):
      guard let time = stored.record.time else {
        overview.undated += 1
        return
      }
      if order.request.contains(location, at: time) { overview.add(location.coordinate) }
    case .trip(let trip): overview.add(trip)
    case .event, .visit, .action: break
    }
  }

  // MARK: Writing

  private mutating func beginDay(_ number: Int, to text: inout [UInt8]) {
    day.number = number
    if order.format == .kml { writer.write(.day(Self.name(ofDay: number)), to: &text) }
  }

  private mutating func writeWaypoint(_ stored: StoredRecord, to text: inout [UInt8]) {
    switch stored.record.body {
    case .location(let location): lastPosition = location.coordinate
    case .visit(let visit):
      guard order.request.hasVisits, order.request.trip == nil, let time = stored.record.time,
        order.request.contains(time)
      else {
        return
      }
      writeVisit(visit, time, to: &text)
    case .event(let event):
      guard order.request.hasEvents, let time = stored.record.time, order.request.contains(time),
        let lastPosition
      else {
        return
      }
      writer.write(.event(event, time: time, at: lastPosition), to: &text)
    case .trip, .action: break
    }
  }

  /// Writes a visit once: its first record only if the second one is missing.
  private mutating func writeVisit(_ visit: VisitRecord, _ time: Timestamp, to text: inout [UInt8]) {
    if let openVisit, visit.arrival == nil || openVisit.visit.arrival != visit.arrival {
      writer.write(.visit(openVisit.visit, time: openVisit.time), to: &text)
    }
    openVisit = order.format.hasTracks && visit.departure == nil ? (visit, time) : nil
    if openVisit == nil { writer.write(.visit(visit, time: time), to: &text) }
  }

  private mutating func finishVisits(to text: inout [UInt8]) {
    if let openVisit { writer.write(.visit(openVisit.visit, time: openVisit.time), to: &text) }
    openVisit = nil
  }

  private mutating func writeLocation(
    _ stored: StoredRecord, to text: inout [UInt8], where isIncluded: (ExportPoint) -> Bool
  ) {
    guard let point = ExportPoint(stored) else {
      for element in track.note(stored.record.body) { writer.write(element, to: &text) }
      return
    }
    guard order.request.contains(point.location, at: point.time), isIncluded(point) else { return }
    add(point, to: &text)
  }

  /// Writes the trips that start on the day. Returns false at the first location after the day that continues none.
  private mutating func writeTrip(_ stored: StoredRecord, to text: inout [UInt8]) -> Bool {
    let isLater = day.through.map { stored.id > $0 } ?? false
    guard let point = ExportPoint(stored) else {
      for element in track.note(stored.record.body) { writer.write(element, to: &text) }
      return true
    }
    let trip = point.location.trip?.time
    if isLater, trip == nil || trip != writtenTrip { return false }
    guard let trip, order.request.contains(point.location, at: point.time) else { return true }
    // A trip over midnight was written with the day before.
    if trip == writtenTrip, !track.isOpen { return true }
    writtenTrip = trip
    add(point, to: &text)
    return true
  }

  /// Adds a point to its track.
  private mutating func add(_ point: ExportPoint, to text: inout [UInt8]) {
    let trip = order.request.split == .trip ? point.location.trip?.time : nil
    let day =
      switch order.request.split {
      case .trip where trip == nil, .day: order.clock.day(of: point.time)
      case .trip, .gap, .none: 0
      }
    let (overview, clock, split, name) = (overview, order.clock, order.request.split, order.title.name)
    let elements = track.add(point, .init(trip: trip, day: day)) {
      Self.header(of: point, split, overview, clock, name: name)
    }
    for element in elements { writer.write(element, to: &text) }
  }

  /// The track that begins with a point.
  private static func header(
    of point: ExportPoint, _ split: ExportRequest.Split, _ overview: ExportOverview, _ clock: WallClock,
    name: String
  ) -> ExportTrack {
    func local(_ time: Timestamp, _ length: Int) -> String {
      String((time + clock.ahead(time)).iso8601().prefix(length).map { $0 == "T" ? " " : $0 })
    }
    switch (split, point.location.trip?.time) {
    case (.trip, let start?):
      let mode = overview.mode(ofTripAt: start)
      return ExportTrack(name: "\(local(start, 16)) \(mode?.rawValue ?? "trip")", mode: mode, trip: start)
    case (.trip, nil): return ExportTrack(name: "\(local(point.time, 10)) between trips")
    case (.day, _): return ExportTrack(name: local(point.time, 10))
    case (.gap, _): return ExportTrack(name: local(point.time, 16))
    case (.none, _): return ExportTrack(name: name)
    }
  }

  private mutating func writeHead(to text: inout [UInt8]) {
    writer.write(.head(order.title, order.request, overview), to: &text)
  }

  private static func name(ofDay number: Int) -> String {
    String(Timestamp(CalendarDate(daysSince1970: min(max(number, -719_162), 2_932_896))).iso8601().prefix(10))
  }

  // MARK: Passes

  private mutating func finishPass(to text: inout [UInt8]) {
    for element in track.finish() { writer.write(element, to: &text) }
    switch pass {
    case .overview:
      writeHead(to: &text)
      begin(
        order.format == .gpx && (order.request.hasVisits || order.request.hasEvents)
          ? .waypoints : firstTracks, at: order.start)
    case .waypoints:
      finishVisits(to: &text)
      begin(firstTracks, at: order.start)
    case .between:
      // Trips of a log without a dated location in this range have none either.
      if day.number == nil { end(&text) } else { begin(.trips, at: day.start) }
    case .trips:
      if order.format == .kml { writer.write(.endOfDay, to: &text) }
      if let through = day.through {
        day = (through, nil, nil)
        begin(.between, at: through)
      } else {
        end(&text)
      }
    case .all: end(&text)
    case .over: break
    }
  }

  private var firstTracks: Pass { order.request.split == .trip ? .between : .all }

  private mutating func begin(_ next: Pass, at position: RecordID) {
    (pass, self.position, lastPosition) = (next, position, nil)
  }

  private mutating func end(_ text: inout [UInt8]) {
    finishVisits(to: &text)
    writer.write(.end, to: &text)
    pass = .over
  }
}
