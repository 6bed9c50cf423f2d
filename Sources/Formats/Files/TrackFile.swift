import Quantities
import Records

/// What one hour adds to one file of a directory: a frame of fixed text around one line for each record.
///
/// `2026-03-01T10.geojson` is a GeoJSON FeatureCollection (RFC 7946) of Overland's Features, `2026-03-01T10.gpx` a GPX
/// 1.1 track; the hour is of UTC. The same record gives the same line each time, so that a line which is there already
/// need not be added again.
public struct TrackFile: Equatable, Sendable {
  public enum Format: Equatable, Sendable, CaseIterable {
    case geoJSON, gpx

    var suffix: String {
      switch self {
      case .geoJSON: "geojson"
      case .gpx: "gpx"
      }
    }
  }

  public let name: String
  /// Stands before the first line, with its line end.
  public let head: [UInt8]
  /// Stands between two lines, before the line end.
  public let separator: [UInt8]
  /// Stands behind the last line.
  public let tail: [UInt8]
  /// Every line that is a record begins with it.
  public let mark: [UInt8]
  /// Without line ends.
  public var lines: [[UInt8]]

  init(name: String, format: Format) {
    self.name = "\(name).\(format.suffix)"
    lines = []
    switch format {
    case .geoJSON:
      head = Array("{\"type\":\"FeatureCollection\",\"features\":[\n".utf8)
      separator = Array(",".utf8)
      tail = Array("]}\n".utf8)
      mark = Array(#"{"type":"Feature","#.utf8)
    case .gpx:
      head = Array(
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <gpx version="1.1" creator="Outrider" xmlns="http://www.topografix.com/GPX/1/1">
        <trk><trkseg>

        """.utf8)
      separator = []
      tail = Array("</trkseg></trk>\n</gpx>\n".utf8)
      mark = Array("<trkpt ".utf8)
    }
  }

  /// The files to which records belong, in order of time; what has no place or no time belongs to none.
  public static func files(_ records: some Sequence<LogRecord>, _ formats: [Format]) -> [TrackFile] {
    var files: [TrackFile] = []
    for record in records {
      guard let feature = OverlandFeature(record) else { continue }
      // 2026-03-01T10
      let hour = String(feature.time.iso8601().prefix(13))
      for format in formats {
        let name = "\(hour).\(format.suffix)"
        let index =
          files.firstIndex { $0.name == name } ?? files.endIndex
        if index == files.endIndex { files.append(TrackFile(name: hour, format: format)) }
        files[index].lines.append(line(feature, format))
      }
    }
    return files
  }

  private static func line(_ feature: OverlandFeature, _ format: Format) -> [UInt8] {
    var line: [UInt8] = []
    switch format {
    case .geoJSON: feature.append(to: &line)
    case .gpx:
      line.append("<trkpt lat=\"")
      line.appendDecimal(Int64(feature.location.coordinate.latitudeE7), decimals: 7)
      line.append("\" lon=\"")
      line.appendDecimal(Int64(feature.location.coordinate.longitudeE7), decimals: 7)
      line.append("\">")
      if let altitude = feature.location.altitudeMillimetres {
        line.append("<ele>")
        line.appendDecimal(Int64(altitude), decimals: 3)
        line.append("</ele>")
      }
      line.append("<time>")
      feature.time.appendISO8601(to: &line, fraction: .milliseconds)
      line.append("</time></trkpt>")
    }
    return line
  }
}
