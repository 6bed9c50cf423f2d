import Quantities
import Records

/// Writes the lines of a GPX 1.1 file (topografix.com/GPX/1/1/gpx.xsd), with the elements in the order of the schema.
///
/// Speed and course are in Garmin's TrackPointExtension, because GPX 1.1 has no elements for them.
enum GPXLine {
  static let head = Array(
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <gpx version="1.1" creator="Outrider" xmlns="http://www.topografix.com/GPX/1/1" \
    xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2">

    """.utf8)
  /// The head that the first versions wrote.
  static let firstHead = Array(
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <gpx version="1.1" creator="Outrider" xmlns="http://www.topografix.com/GPX/1/1">
    <trk><trkseg>

    """.utf8)

  static func trackPoint(_ feature: OverlandFeature) -> [UInt8] {
    var line: [UInt8] = []
    appendTrackPoint(feature.location, feature.time, to: &line)
    return line
  }

  /// Appends a track point. `further` appends elements of other namespaces to its extensions.
  static func appendTrackPoint(
    _ location: LocationRecord, _ time: Timestamp, to line: inout [UInt8],
    further: ((inout [UInt8]) -> Void)? = nil
  ) {
    line.append("<trkpt")
    line.appendPosition(location.coordinate)
    if let altitude = location.altitudeMillimetres {
      line.append("<ele>")
      line.appendDecimal(Int64(altitude), decimals: 3)
      line.append("</ele>")
    }
    line.appendGPXTime(time)
    if let fix = word(location.fixKind) {
      line.append("<fix>")
      line.append(fix)
      line.append("</fix>")
    }
    if let satellites = location.satellitesUsed {
      line.append("<sat>")
      line.appendDecimal(Int64(satellites), decimals: 0)
      line.append("</sat>")
    }
    if let tenths = location.horizontalDilutionTenths {
      line.append("<hdop>")
      line.appendDecimal(Int64(tenths), decimals: 1)
      line.append("</hdop>")
    }
    if let further {
      let start = line.count
      line.append("<extensions>")
      let empty = line.count
      appendMotion(of: location, to: &line)
      further(&line)
      if line.count > empty { line.append("</extensions>") } else { line.removeLast(empty - start) }
    } else if hasMotion(location) {
      line.append("<extensions>")
      appendMotion(of: location, to: &line)
      line.append("</extensions>")
    }
    line.append("</trkpt>")
  }

  private static func hasMotion(_ location: LocationRecord) -> Bool {
    location.speedMillimetresPerSecond ?? -1 >= 0 || location.courseMillidegrees ?? -1 >= 0
  }

  private static func appendMotion(of location: LocationRecord, to line: inout [UInt8]) {
    let speed = location.speedMillimetresPerSecond.flatMap { $0 < 0 ? nil : $0 }
    let course = location.courseMillidegrees.flatMap { $0 < 0 ? nil : $0 }
    guard speed != nil || course != nil else { return }
    line.append("<gpxtpx:TrackPointExtension>")
    if let speed {
      line.append("<gpxtpx:speed>")
      line.appendDecimal(Int64(speed), decimals: 3)
      line.append("</gpxtpx:speed>")
    }
    if let course {
      line.append("<gpxtpx:course>")
      line.appendDecimal(Int64(course), decimals: 3)
      line.append("</gpxtpx:course>")
    }
    line.append("</gpxtpx:TrackPointExtension>")
  }

  /// Returns the waypoint of a visit, trip or action; nil for other records.
  static func waypoint(_ record: LogRecord) -> [UInt8]? {
    var line: [UInt8] = []
    line.append("<wpt")
    if let visit = OverlandVisit(record) {
      line.appendPosition(visit.visit.coordinate)
      line.appendGPXTime(visit.time)
      let times = [visit.visit.arrival?.time, visit.visit.departure?.time].map { $0?.iso8601() ?? "unknown" }
      line.appendTexts(name: "visit", description: "from \(times[0]) to \(times[1])", type: "visit")
    } else if let trip = OverlandTrip(record) {
      line.appendPosition(trip.tripLocation.location.coordinate)
      line.appendGPXTime(trip.end)
      let metres = max(trip.trip.distanceMillimetres, 0) / 1000
      line.appendTexts(
        name: "trip",
        description: "\(trip.trip.mode.rawValue) from \(trip.start.iso8601()), \(metres) m"
          + (trip.trip.isReconstructed ? " in a straight line, reconstructed" : ""),
        type: "trip")
    } else if let action = OverlandAction(record) {
      line.appendPosition(action.action.coordinate)
      line.appendGPXTime(action.time)
      line.appendTexts(name: action.action.action.rawValue, description: nil, type: "action")
    } else {
      return nil
    }
    line.append("</wpt>")
    return line
  }

  /// Returns the schema's word for the kind of fix; nil if there is none.
  static func word(_ kind: FixKind) -> StaticString? {
    switch kind {
    case .none: "none"
    case .twoDimensional: "2d"
    case .threeDimensional: "3d"
    case .differential, .realTimeKinematicFloat, .realTimeKinematicFixed: "dgps"
    case .deadReckoning: nil
    }
  }
}

extension [UInt8] {
  /// Appends the coordinate attributes of a point and the end of its tag. The schema excludes a longitude of 180 degrees,
  /// which is -180.
  mutating func appendPosition(_ coordinate: Coordinate) {
    append(" lat=\"")
    appendDecimal(Int64(coordinate.latitudeE7), decimals: 7)
    append("\" lon=\"")
    let isDateLine = coordinate.longitudeE7 == 1_800_000_000
    appendDecimal(isDateLine ? -1_800_000_000 : Int64(coordinate.longitudeE7), decimals: 7)
    append("\">")
  }

  mutating func appendGPXTime(_ time: Timestamp) {
    append("<time>")
    time.appendISO8601(to: &self, fraction: .milliseconds)
    append("</time>")
  }

  fileprivate mutating func appendTexts(name: String, description: String?, type: StaticString) {
    append("<name>")
    appendXML(name)
    append("</name>")
    if let description {
      append("<desc>")
      appendXML(description)
      append("</desc>")
    }
    append("<type>")
    append(type)
    append("</type>")
  }

  /// Appends escaped text. Characters that XML 1.0 does not allow become `?`.
  mutating func appendXML(_ text: String) {
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x26: append("&amp;")
      case 0x3C: append("&lt;")
      case 0x3E: append("&gt;")
      case 0..<0x20, 0x7F, 0xFFFE, 0xFFFF: append(UInt8(ascii: "?"))
      default: append(contentsOf: scalar.utf8)
      }
    }
  }
}
