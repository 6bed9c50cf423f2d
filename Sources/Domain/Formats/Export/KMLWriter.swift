import Quantities
import Records

/// Writes KML 2.2: a folder a day, a folder a track, and for each segment a placemark with `gx:Track` and one with a
/// `LineString` for readers without that extension.
///
/// A segment is collected before it is written, because a `gx:Track` has all times before all coordinates. A long one is
/// divided after ``longest`` points; the pieces share a point.
struct KMLWriter: ExportWriter {
  static let longest = 5000

  private var whens: [UInt8] = []
  private var coordinates: [UInt8] = []
  private var line: [UInt8] = []
  private var speeds: [UInt8] = []
  private var accuracies: [UInt8] = []
  private var motions: [UInt8] = []
  private var first: Timestamp?
  private var last: ExportPoint?
  private var count = 0
  private var track = ExportTrack(name: "")

  mutating func write(_ element: ExportElement, to text: inout [UInt8]) {
    switch element {
    case .start: text.append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
    case .head(let title, let request, _): appendHead(title, request, to: &text)
    case .day(let day): Self.begin("Folder", day, to: &text)
    case .track(let track):
      self.track = track
      Self.begin("Folder", track.name, to: &text)
    case .endOfDay, .endOfTrack: text.append("</Folder>\n")
    case .segment: break
    case .point(let point):
      if count >= Self.longest, let last {
        flush(to: &text)
        add(last)
      }
      add(point)
    case .endOfSegment: flush(to: &text)
    case .visit(let visit, let time):
      Self.begin("Placemark", "visit", to: &text)
      Self.append(from: visit.arrival?.time ?? time, to: visit.departure?.time, &text)
      Self.append(visit.coordinate, &text)
    case .event(let event, let time, let coordinate):
      Self.begin("Placemark", event.kind.rawValue, to: &text)
      text.append("<description>")
      text.appendXML(event.detail)
      text.append("</description><TimeStamp><when>")
      time.appendISO8601(to: &text)
      text.append("</when></TimeStamp>")
      Self.append(coordinate, &text)
    case .end: text.append("</Document></kml>\n")
    }
  }

  private func appendHead(_ title: ExportTitle, _ request: ExportRequest, to text: inout [UInt8]) {
    text.append(
      "<kml xmlns=\"http://www.opengis.net/kml/2.2\" xmlns:gx=\"http://www.google.com/kml/ext/2.2\">\n")
    Self.begin("Document", title.name, to: &text)
    text.append("<description>")
    text.appendXML("\(title.creator). \(title.description(of: request))")
    text.append("</description>\n")
    for (mode, colour) in Self.colours {
      text.append(
        contentsOf:
          "<Style id=\"\(mode)\"><LineStyle><color>\(colour)</color><width>3</width></LineStyle></Style>\n"
          .utf8)
    }
    text.append("<Schema id=\"point\">")
    for (name, type) in [("speed", "float"), ("accuracy", "float"), ("motion", "string")] {
      text.append(contentsOf: "<gx:SimpleArrayField name=\"\(name)\" type=\"\(type)\"/>".utf8)
    }
    text.append("</Schema>\n")
  }

  /// Line colours as alpha, blue, green, red; by mode, and `other`.
  private static let colours =
    TripMode.allCases.map { mode in
      let colour =
        switch mode {
        case .walk, .run: "ff3c9e3c"
        case .bicycle, .scooter: "ff1e90ff"
        case .car, .taxi: "ffd2691e"
        case .bus, .tram, .metro, .train, .monorail, .gondola: "ffb4469b"
        case .plane, .boat, .sleigh: "ff8c8c28"
        }
      return (mode.rawValue, colour)
    } + [("other", "ff606060")]

  private mutating func add(_ point: ExportPoint) {
    if first == nil { first = point.time }
    last = point
    count += 1
    whens.append("<when>")
    point.time.appendISO8601(to: &whens, fraction: .milliseconds)
    whens.append("</when>")
    coordinates.append("<gx:coord>")
    coordinates.appendCoordinate(of: point, separator: " ")
    coordinates.append("</gx:coord>")
    if count > 1 { line.append(" ") }
    line.appendCoordinate(of: point, separator: ",")
    Self.append(point.speed, to: &speeds)
    Self.append(point.accuracy, to: &accuracies)
    motions.append("<gx:value>")
    motions.append(contentsOf: point.motion.utf8)
    motions.append("</gx:value>")
  }

  private static func append(_ thousandths: Int64?, to text: inout [UInt8]) {
    text.append("<gx:value>")
    if let thousandths { text.appendDecimal(thousandths, decimals: 3) }
    text.append("</gx:value>")
  }

  private mutating func flush(to text: inout [UInt8]) {
    guard let first, let last, count > 0 else { return }
    Self.begin("Placemark", track.name, to: &text)
    appendStyle(to: &text)
    text.append("<gx:Track>\n")
    text += whens
    text.append("\n")
    text += coordinates
    text.append("\n<ExtendedData><SchemaData schemaUrl=\"#point\">")
    for (name, values) in [("speed", speeds), ("accuracy", accuracies), ("motion", motions)] {
      text.append(contentsOf: "<gx:SimpleArrayData name=\"\(name)\">".utf8)
      text += values
      text.append("</gx:SimpleArrayData>\n")
    }
    text.append("</SchemaData></ExtendedData></gx:Track></Placemark>\n")
    if count > 1 {
      Self.begin("Placemark", track.name, to: &text)
      Self.append(from: first, to: last.time, &text)
      appendStyle(to: &text)
      text.append("<LineString><tessellate>1</tessellate><coordinates>")
      text += line
      text.append("</coordinates></LineString></Placemark>\n")
    }
    self = KMLWriter(track: track)
  }

  private init(track: ExportTrack) { self.track = track }
  init() {}

  private func appendStyle(to text: inout [UInt8]) {
    text.append("<styleUrl>#")
    text.append(contentsOf: (track.mode?.rawValue ?? "other").utf8)
    text.append("</styleUrl>")
  }

  private static func begin(_ element: StaticString, _ name: String, to text: inout [UInt8]) {
    text.append("<")
    text.append(element)
    text.append("><name>")
    text.appendXML(name)
    text.append("</name>")
    text.append("\n")
  }

  private static func append(from: Timestamp, to end: Timestamp?, _ text: inout [UInt8]) {
    text.append("<TimeSpan><begin>")
    from.appendISO8601(to: &text)
    text.append("</begin>")
    if let end {
      text.append("<end>")
      end.appendISO8601(to: &text)
      text.append("</end>")
    }
    text.append("</TimeSpan>")
  }

  private static func append(_ coordinate: Coordinate, _ text: inout [UInt8]) {
    text.append("<Point><coordinates>")
    text.appendDecimal(Int64(coordinate.longitudeE7), decimals: 7)
    text.append(",")
    text.appendDecimal(Int64(coordinate.latitudeE7), decimals: 7)
    text.append("</coordinates></Point></Placemark>\n")
  }
}

extension [UInt8] {
  /// Appends longitude, latitude, and the altitude if it is known.
  fileprivate mutating func appendCoordinate(of point: ExportPoint, separator: StaticString) {
    appendDecimal(Int64(point.location.coordinate.longitudeE7), decimals: 7)
    append(separator)
    appendDecimal(Int64(point.location.coordinate.latitudeE7), decimals: 7)
    guard let altitude = point.location.altitudeMillimetres else { return }
    append(separator)
    appendDecimal(Int64(altitude), decimals: 3)
  }
}
