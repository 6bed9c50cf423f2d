import Quantities
import Records

/// The lines to add to the file of one hour: fixed text around one line per record.
///
/// `2026-03-01T10.geojson` is a GeoJSON FeatureCollection (RFC 7946) of Overland Features with the digits of the log.
/// `2026-03-01T10.gpx` is a GPX 1.1 track with visits, trips and actions as waypoints. The hour is in UTC. A record always
/// yields the same line, so that an existing line is recognized and not added again.
public struct TrackFile: Equatable, Sendable {
  /// The file format.
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
  /// The text before the first line, with its line end.
  public let head: [UInt8]
  /// The heads that earlier versions of the program wrote.
  public let olderHeads: [[UInt8]]
  /// The text between the waypoints and the other lines, with its line end; empty if the format has no waypoints.
  public let bridge: [UInt8]
  /// The text between two lines, before the line end.
  public let separator: [UInt8]
  /// The text after the last line.
  public let tail: [UInt8]
  /// The start of every line that is a record; such a line ends with ``end``.
  public let mark: [UInt8]
  public let end: [UInt8]
  /// The start of every waypoint line; empty if the format has no waypoints.
  public let waypointMark: [UInt8]
  public let waypointEnd: [UInt8]
  /// The text between two lines at an interruption of the track, without its line end; empty if the format has none.
  public let interruption: [UInt8]
  /// The lines, without line ends.
  public var lines: [[UInt8]] = []
  public var waypoints: [[UInt8]] = []
  /// The indices of the lines before which the track is interrupted.
  public var interrupted: Set<Int> = []

  init(name: String, format: Format) {
    self.name = "\(name).\(format.suffix)"
    switch format {
    case .geoJSON:
      head = Array("{\"type\":\"FeatureCollection\",\"features\":[\n".utf8)
      olderHeads = []
      bridge = []
      separator = Array(",".utf8)
      tail = Array("]}\n".utf8)
      mark = Array(#"{"type":"Feature","#.utf8)
      end = Array("}}".utf8)
      (waypointMark, waypointEnd, interruption) = ([], [], [])
    case .gpx:
      head = GPXLine.head
      olderHeads = [GPXLine.firstHead]
      bridge = Array("<trk><trkseg>\n".utf8)
      separator = []
      tail = Array("</trkseg></trk>\n</gpx>\n".utf8)
      mark = Array("<trkpt ".utf8)
      end = Array("</trkpt>".utf8)
      waypointMark = Array("<wpt ".utf8)
      waypointEnd = Array("</wpt>".utf8)
      interruption = Array("</trkseg><trkseg>".utf8)
    }
  }

  /// The state of a track between two additions.
  public struct Course: Equatable, Sendable {
    /// The time of the last location; nil before the first.
    public var last: Timestamp?
    /// The longest gap that does not interrupt the track.
    public var longestPause: Duration

    public init(longestPause: Duration) { self.longestPause = longestPause }

    /// Processes the time of the next location and returns true if it does not continue the track.
    mutating func isInterrupted(at time: Timestamp) -> Bool {
      defer { last = time }
      guard let last else { return true }
      return time < last || time - last > longestPause
    }
  }

  /// Returns the additions for the given records, in order of time. Records without a position or time are omitted.
  ///
  /// `uniqueID`, if given, is added to every Feature. Reconstructed trips are written if `reconstructedTrips` is true.
  /// `course` is the state after the earlier records, and is updated.
  public static func files(
    _ records: some Sequence<LogRecord>, _ formats: [Format], uniqueID: String? = nil,
    reconstructedTrips: Bool = false, course: inout Course
  ) -> [TrackFile] {
    var files: [TrackFile] = []
    var profile = OverlandProfile.file
    profile.uniqueID = uniqueID
    profile.hasReconstructedTrips = reconstructedTrips
    for record in records {
      guard let time = record.time, isWritten(record, reconstructedTrips: reconstructedTrips) else {
        continue
      }
      var isInterrupted = false
      if case .location = record.body { isInterrupted = course.isInterrupted(at: time) }
      // 2026-03-01T10
      let hour = String(time.iso8601().prefix(13))
      for format in formats {
        let name = "\(hour).\(format.suffix)"
        let index =
          files.firstIndex { $0.name == name } ?? files.endIndex
        if index == files.endIndex { files.append(TrackFile(name: hour, format: format)) }
        files[index].add(record, format, profile, isInterrupted: isInterrupted)
      }
    }
    return files
  }

  /// Returns true for a location, visit, trip or action with a time and a position.
  public static func isWritten(_ record: LogRecord, reconstructedTrips: Bool = false) -> Bool {
    switch record.body {
    case .location: OverlandFeature(record) != nil
    case .visit: OverlandVisit(record) != nil
    case .trip(let trip): (reconstructedTrips || !trip.isReconstructed) && OverlandTrip(record) != nil
    case .action: OverlandAction(record) != nil
    case .event: false
    }
  }

  private mutating func add(
    _ record: LogRecord, _ format: Format, _ profile: OverlandProfile, isInterrupted: Bool
  ) {
    switch format {
    case .geoJSON:
      var line: [UInt8] = []
      if OverlandBatch.append(record, to: &line, for: profile) { lines.append(line) }
    case .gpx:
      if let feature = OverlandFeature(record) {
        if isInterrupted { interrupted.insert(lines.count) }
        lines.append(GPXLine.trackPoint(feature))
      } else if let waypoint = GPXLine.waypoint(record) {
        waypoints.append(waypoint)
      }
    }
  }
}
