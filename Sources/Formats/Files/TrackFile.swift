import Quantities
import Records

/// What one hour adds to one file of a directory: a frame of fixed text around one line for each record.
///
/// `2026-03-01T10.geojson` is a GeoJSON FeatureCollection (RFC 7946) of Overland's Features with the digits of the log,
/// `2026-03-01T10.gpx` a GPX 1.1 track with visits, trips and actions as its waypoints; the hour is of UTC. The same record
/// gives the same line each time, so that a line which is there already need not be added again.
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
  /// What earlier versions of this program wrote in its place.
  public let olderHeads: [[UInt8]]
  /// Stands between the waypoints and the other lines, with its line end; empty where there are no waypoints.
  public let bridge: [UInt8]
  /// Stands between two lines, before the line end.
  public let separator: [UInt8]
  /// Stands behind the last line.
  public let tail: [UInt8]
  /// Every line that is a record begins with it, and ends with ``end``.
  public let mark: [UInt8]
  public let end: [UInt8]
  /// The same of a waypoint; empty where the format has none.
  public let waypointMark: [UInt8]
  public let waypointEnd: [UInt8]
  /// Stands between two lines where the track is interrupted, without its line end; empty where the format has no such
  /// thing.
  public let interruption: [UInt8]
  /// Without line ends.
  public var lines: [[UInt8]] = []
  public var waypoints: [[UInt8]] = []
  /// The indices of the lines in front of which the track is interrupted.
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

  /// Where a track stands, for what is added next.
  public struct Course: Equatable, Sendable {
    /// The time of the last location; nil before the first.
    public var last: Timestamp?
    /// A longer time without a location interrupts the track.
    public var longestPause: Duration

    public init(longestPause: Duration) { self.longestPause = longestPause }

    /// True where the next location does not go on from the last one.
    mutating func isInterrupted(at time: Timestamp) -> Bool {
      defer { last = time }
      guard let last else { return true }
      return time < last || time - last > longestPause
    }
  }

  /// The files to which records belong, in order of time; what has no place or no time belongs to none.
  ///
  /// `uniqueID` stands in each Feature where it is given; trips that are known by their ends alone are written where
  /// `reconstructedTrips` is true. `course` goes on from the records before these.
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

  /// True for a record that these files hold: a location, visit, trip or action with a time and a place.
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
