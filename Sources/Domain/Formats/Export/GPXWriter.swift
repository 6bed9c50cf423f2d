import Quantities
import Records

/// Writes GPX 1.1 with the elements in the order of the schema (topografix.com/GPX/1/1/gpx.xsd).
///
/// Speed and course are in Garmin's TrackPointExtension v2; accuracy, motion, keep reasons and battery in a namespace of
/// Outrider.
struct GPXWriter: ExportWriter {
  /// The namespace of the elements that GPX and Garmin do not have.
  static let namespace: StaticString = "urn:outrider:gpx:1"

  func write(_ element: ExportElement, to text: inout [UInt8]) {
    switch element {
    case .start: text.append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
    case .head(let title, let request, let overview): appendHead(title, request, overview, to: &text)
    case .day, .endOfDay: break
    case .track(let track):
      text.append("<trk><name>")
      text.appendXML(track.name)
      text.append("</name>")
      if let mode = track.mode {
        text.append("<type>")
        text.appendXML(mode.rawValue)
        text.append("</type>")
      }
      text.append("\n")
    case .endOfTrack: text.append("</trk>\n")
    case .segment: text.append("<trkseg>\n")
    case .endOfSegment: text.append("</trkseg>\n")
    case .point(let point):
      GPXLine.appendTrackPoint(point.location, point.time, to: &text) {
        Self.appendExtensions(point, to: &$0)
      }
      text.append("\n")
    case .visit(let visit, let time):
      appendWaypoint(
        at: visit.coordinate, time, name: "visit", type: "visit",
        description: "from \(visit.arrival?.time?.iso8601() ?? "unknown") to "
          + (visit.departure?.time?.iso8601() ?? "unknown"), to: &text)
    case .event(let event, let time, let coordinate):
      appendWaypoint(
        at: coordinate, time, name: event.kind.rawValue, type: "event", description: event.detail, to: &text)
    case .end: text.append("</gpx>\n")
    }
  }

  private func appendHead(
    _ title: ExportTitle, _ request: ExportRequest, _ overview: ExportOverview, to text: inout [UInt8]
  ) {
    text.append("<gpx version=\"1.1\" creator=\"")
    text.appendXML(title.creator)
    text.append("\" xmlns=\"http://www.topografix.com/GPX/1/1\"")
    text.append(" xmlns:gpxtpx=\"http://www.garmin.com/xmlschemas/TrackPointExtension/v2\" xmlns:outrider=\"")
    text.append(Self.namespace)
    text.append("\">\n<metadata><name>")
    text.appendXML(title.name)
    text.append("</name><desc>")
    text.appendXML(title.description(of: request))
    text.append("</desc>")
    text.appendGPXTime(title.created)
    if overview.count > 0 {
      text.append("<bounds minlat=\"")
      text.appendDecimal(Int64(overview.south), decimals: 7)
      text.append("\" minlon=\"")
      text.appendDecimal(Int64(overview.west), decimals: 7)
      text.append("\" maxlat=\"")
      text.appendDecimal(Int64(overview.north), decimals: 7)
      text.append("\" maxlon=\"")
      // The schema excludes 180 degrees.
      text.appendDecimal(min(Int64(overview.east), 1_799_999_999), decimals: 7)
      text.append("\"/>")
    }
    text.append("</metadata>\n")
  }

  private static func appendExtensions(_ point: ExportPoint, to text: inout [UInt8]) {
    func append(_ name: StaticString, _ content: (inout [UInt8]) -> Void) {
      text.append("<outrider:")
      text.append(name)
      text.append(">")
      content(&text)
      text.append("</outrider:")
      text.append(name)
      text.append(">")
    }
    if let accuracy = point.accuracy { append("accuracy") { $0.appendDecimal(accuracy, decimals: 3) } }
    if !point.location.motion.isEmpty { append("motion") { $0.append(contentsOf: point.motion.utf8) } }
    if !point.location.reasons.isEmpty { append("reason") { $0.append(contentsOf: point.reasons.utf8) } }
    if let percent = point.location.batteryPercent {
      append("battery") { $0.appendDecimal(Int64(percent), decimals: 0) }
    }
  }

  private func appendWaypoint(
    at coordinate: Coordinate, _ time: Timestamp, name: String, type: String, description: String,
    to text: inout [UInt8]
  ) {
    text.append("<wpt")
    text.appendPosition(coordinate)
    text.appendGPXTime(time)
    text.append("<name>")
    text.appendXML(name)
    text.append("</name><desc>")
    text.appendXML(description)
    text.append("</desc><type>")
    text.appendXML(type)
    text.append("</type></wpt>\n")
  }
}

extension ExportTitle {
  /// One sentence on times and tolerance, for files that have a place for it.
  func description(of request: ExportRequest) -> String {
    "Days and names in the time zone \(zone); times in UTC"
      + (request.tolerance.map { "; simplified with a tolerance of \(metres: $0)" }
        ?? "; every recorded location")
  }
}

extension DefaultStringInterpolation {
  fileprivate mutating func appendInterpolation(metres: Double) {
    appendLiteral("\(metres.text(decimals: metres.rounded() == metres ? 0 : 1)) m")
  }
}
