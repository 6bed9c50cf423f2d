import Quantities
import Records

/// Divides points into tracks and segments.
struct TrackAssembly {
  /// The identity of a track.
  struct Key: Equatable {
    /// The start of the trip; nil outside trips.
    var trip: Timestamp?
    /// The local day outside trips; 0 if tracks are not divided by days.
    var day: Int
  }

  private let request: ExportRequest
  private let hasTracks: Bool
  private var thinner: PointThinner
  private var key: Key?
  private var last: (time: Timestamp, boot: Int64)?
  /// True if the logger started since the last point.
  private var hasRestarted = false

  init(_ request: ExportRequest, hasTracks: Bool, longestRun: Int) {
    self.request = request
    self.hasTracks = hasTracks
    thinner = PointThinner(request, longestRun: longestRun)
  }

  /// True after the first point of a track.
  var isOpen: Bool { key != nil }

  /// Adds a point of a track, and returns the elements that are complete.
  mutating func add(_ point: ExportPoint, _ next: Key, header: () -> ExportTrack) -> [ExportElement] {
    var elements: [ExportElement] = []
    let isInterrupted =
      last.map { last in
        hasRestarted || last.boot != point.boot || point.time < last.time
          || point.time - last.time > request.longestPause
      } ?? true
    let isOther = key != next || request.split == .gap && isInterrupted
    if isOther || isInterrupted { elements += endSegment() }
    if isOther {
      if hasTracks { elements += key == nil ? [.track(header())] : [.endOfTrack, .track(header())] }
      key = next
    }
    if hasTracks, isOther || isInterrupted { elements.append(.segment) }
    (last, hasRestarted) = ((point.time, point.boot), false)
    return elements + thinner.take(point).map(ExportElement.point)
  }

  /// Registers a record that is no location.
  mutating func note(_ body: LogRecord.Body) -> [ExportElement] {
    switch body {
    case .event(let event):
      if event.kind == .started { hasRestarted = true }
      guard event.kind.definition.level != .debug else { return [] }
    case .visit, .trip: break
    case .location, .action: return []
    }
    return thinner.cut().map(ExportElement.point)
  }

  /// Ends the last track.
  mutating func finish() -> [ExportElement] {
    guard key != nil else { return [] }
    let elements = endSegment()
    key = nil
    return hasTracks ? elements + [.endOfTrack] : elements
  }

  private mutating func endSegment() -> [ExportElement] {
    guard last != nil else { return [] }
    last = nil
    let points = thinner.finish().map(ExportElement.point)
    return hasTracks ? points + [.endOfSegment] : points
  }
}
