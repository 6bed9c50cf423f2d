import Quantities
import Records

/// Writes GeoJSON (RFC 7946): a Feature with a `LineString` for each segment, and the times of its positions in
/// `coordTimes`.
///
/// A line that crosses the antimeridian is divided there (section 3.1.9). A long segment is divided after ``longest``
/// points; the pieces share a point.
struct GeoJSONWriter: ExportWriter {
  static let longest = 5000

  private var coordinates: [UInt8] = []
  private var times: [UInt8] = []
  private var last: ExportPoint?
  private var count = 0
  private var track = ExportTrack(name: "")
  private var hasFeature = false
  /// True if a point between two locations may be inside a privacy zone.
  private var hasPrivacyZones = false

  mutating func write(_ element: ExportElement, to text: inout [UInt8]) {
    switch element {
    case .start: text.append("{\"type\":\"FeatureCollection\",")
    case .head(let title, let request, _):
      hasPrivacyZones = request.hasPrivacyZones
      text.append("\"generator\":")
      text.appendJSONString(title.creator)
      text.append(",\"name\":")
      text.appendJSONString(title.name)
      text.append(",\"description\":")
      text.appendJSONString(title.description(of: request))
      text.append(",\"features\":[\n")
    case .day, .endOfDay, .endOfTrack, .segment: break
    case .track(let track): self.track = track
    case .point(let point):
      if let last { join(last, point, to: &text) }
      add(point.location.coordinate, point.location.altitudeMillimetres, point.time)
      last = point
    case .endOfSegment:
      flush(to: &text)
      last = nil
    case .visit(let visit, let time):
      beginFeature(to: &text)
      text.append("\"geometry\":{\"type\":\"Point\",\"coordinates\":")
      text.appendPair(visit.coordinate)
      text.append("},\"properties\":{\"type\":\"visit\",\"from\":")
      text.appendTime(visit.arrival?.time)
      text.append(",\"to\":")
      text.appendTime(visit.departure?.time)
      text.append(",\"time\":")
      text.appendTime(time)
      text.append("}}")
    case .event(let event, let time, let coordinate):
      beginFeature(to: &text)
      text.append("\"geometry\":{\"type\":\"Point\",\"coordinates\":")
      text.appendPair(coordinate)
      text.append("},\"properties\":{\"type\":\"event\",\"kind\":")
      text.appendJSONString(event.kind.rawValue)
      text.append(",\"time\":")
      text.appendTime(time)
      text.append(",\"text\":")
      text.appendJSONString(event.detail)
      text.append("}}")
    case .end: text.append("\n]}\n")
    }
  }

  /// Divides the line between two points, if it crosses the antimeridian or is long enough.
  private mutating func join(_ a: ExportPoint, _ b: ExportPoint, to text: inout [UInt8]) {
    let (from, to) = (a.location.coordinate, b.location.coordinate)
    let east = Int64(to.longitudeE7) - Int64(from.longitudeE7)
    if abs(east) > 1_800_000_000, hasPrivacyZones {
      flush(to: &text)
    } else if abs(east) > 1_800_000_000 {
      let border: Int32 = from.longitudeE7 > 0 ? 1_800_000_000 : -1_800_000_000
      let length = 3_600_000_000 - abs(east)
      let share =
        length > 0 ? Double((Int64(border) - Int64(from.longitudeE7)).magnitude) / Double(length) : 0
      let latitude = Double(from.latitudeE7) + Double(Int64(to.latitudeE7) - Int64(from.latitudeE7)) * share
      let time = a.time + .milliseconds(Int64(Double((b.time - a.time).wholeMilliseconds) * share))
      guard let end = Coordinate(latitudeE7: Int32(latitude), longitudeE7: border),
        let start = Coordinate(latitudeE7: Int32(latitude), longitudeE7: -border)
      else { return }
      if end != from { add(end, nil, time) }
      flush(to: &text)
      if start != to { add(start, nil, time) }
    } else if count >= Self.longest {
      flush(to: &text)
      add(from, a.location.altitudeMillimetres, a.time)
    }
  }

  private mutating func add(_ coordinate: Coordinate, _ altitude: Int32?, _ time: Timestamp) {
    if count > 0 {
      coordinates.append(",")
      times.append(",")
    }
    count += 1
    coordinates.append("[")
    coordinates.appendDecimal(Int64(coordinate.longitudeE7), decimals: 7)
    coordinates.append(",")
    coordinates.appendDecimal(Int64(coordinate.latitudeE7), decimals: 7)
    if let altitude {
      coordinates.append(",")
      coordinates.appendDecimal(Int64(altitude), decimals: 3)
    }
    coordinates.append("]")
    times.append("\"")
    time.appendISO8601(to: &times, fraction: .milliseconds)
    times.append("\"")
  }

  private mutating func flush(to text: inout [UInt8]) {
    guard count > 0 else { return }
    beginFeature(to: &text)
    text.append(
      count > 1
        ? "\"geometry\":{\"type\":\"LineString\",\"coordinates\":["
        : "\"geometry\":{\"type\":\"Point\",\"coordinates\":")
    text += coordinates
    if count > 1 { text.append("]") }
    text.append("},\"properties\":{\"name\":")
    text.appendJSONString(track.name)
    if let mode = track.mode {
      text.append(",\"mode\":")
      text.appendJSONString(mode.rawValue)
    }
    if let trip = track.trip {
      text.append(",\"trip_start\":")
      text.appendTime(trip)
    }
    text.append(",\"coordTimes\":[")
    text += times
    text.append("]}}")
    (coordinates, times, count) = ([], [], 0)
  }

  private mutating func beginFeature(to text: inout [UInt8]) {
    text.append(hasFeature ? ",\n{\"type\":\"Feature\"," : "{\"type\":\"Feature\",")
    hasFeature = true
  }
}

/// Writes locations and visits as GeoJSON Features with the properties of Overland and the digits of the log.
struct FeatureWriter: ExportWriter {
  /// The text around the Features.
  enum Form { case collection, lines, sequence }

  let form: Form
  private var hasFeature = false

  init(form: Form) { self.form = form }

  mutating func write(_ element: ExportElement, to text: inout [UInt8]) {
    switch element {
    case .start: if form == .collection { text.append("{\"type\":\"FeatureCollection\",\"features\":[\n") }
    case .point(let point):
      separate(&text)
      OverlandFeature(point.location, time: point.time).append(to: &text, for: .file)
      terminate(&text)
    case .visit(let visit, let time):
      guard
        let feature = OverlandVisit(
          LogRecord(moment: .zero, time: time, timeQuality: .none, body: .visit(visit)))
      else { return }
      separate(&text)
      feature.append(to: &text, for: .file)
      terminate(&text)
    case .end: if form == .collection { text.append("\n]}\n") }
    case .head, .day, .endOfDay, .track, .endOfTrack, .segment, .endOfSegment, .event: break
    }
  }

  private mutating func separate(_ text: inout [UInt8]) {
    switch form {
    case .collection: if hasFeature { text.append(",\n") }
    case .lines: break
    case .sequence: text.append(UInt8(0x1E))
    }
    hasFeature = true
  }

  private func terminate(_ text: inout [UInt8]) { if form != .collection { text.append("\n") } }
}

extension [UInt8] {
  /// Appends longitude and latitude as a GeoJSON position.
  fileprivate mutating func appendPair(_ coordinate: Coordinate) {
    append("[")
    appendDecimal(Int64(coordinate.longitudeE7), decimals: 7)
    append(",")
    appendDecimal(Int64(coordinate.latitudeE7), decimals: 7)
    append("]")
  }
}
