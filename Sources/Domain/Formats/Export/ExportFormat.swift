/// A file format of exports.
public enum ExportFormat: Equatable, Sendable {
  case gpx
  case kml
  /// GeoJSON with one Feature a segment.
  case geoJSON
  /// GeoJSON with the Overland Features of the destination `file`.
  case geoJSONPoints
  /// One GeoJSON Feature a line; with `isSequence` each after a record separator (RFC 8142).
  case geoJSONLines(isSequence: Bool)
  /// CSV with columns of the view `location`.
  case csv([ExportColumn])
  /// CSV with the column names of gpsbabel's format unicsv.
  case gpsbabelCSV
  case nmea

  /// The type of the content.
  public var contentType: String {
    switch self {
    case .gpx: "application/gpx+xml"
    case .kml: "application/vnd.google-earth.kml+xml"
    case .geoJSON, .geoJSONPoints: "application/geo+json"
    case .geoJSONLines: "application/geo+json-seq"
    case .csv, .gpsbabelCSV: "text/csv; charset=utf-8"
    case .nmea: "text/plain; charset=us-ascii"
    }
  }

  /// True if blank lines may be added anywhere after the head.
  public var allowsBlankLines: Bool {
    switch self {
    case .gpx, .kml, .geoJSON, .geoJSONPoints: true
    case .geoJSONLines, .csv, .gpsbabelCSV, .nmea: false
    }
  }

  /// True if the format has tracks and segments; otherwise it is one row a record.
  var hasTracks: Bool {
    switch self {
    case .gpx, .kml, .geoJSON: true
    case .geoJSONPoints, .geoJSONLines, .csv, .gpsbabelCSV, .nmea: false
    }
  }

  var writer: any ExportWriter {
    switch self {
    case .gpx: GPXWriter()
    case .kml: KMLWriter()
    case .geoJSON: GeoJSONWriter()
    case .geoJSONPoints: FeatureWriter(form: .collection)
    case .geoJSONLines(let isSequence): FeatureWriter(form: isSequence ? .sequence : .lines)
    case .csv(let columns): CSVWriter(columns: columns)
    case .gpsbabelCSV: GPSBabelWriter()
    case .nmea: NMEAWriter()
    }
  }
}
