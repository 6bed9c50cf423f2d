import Quantities
import Records

/// The choice of the locations of an export, and their division into tracks.
public struct ExportRequest: Equatable, Sendable {
  /// The division into tracks.
  public enum Split: String, CaseIterable, Sendable {
    /// One track for each trip, and one a local day for the locations between trips.
    case trip
    /// A new track after every gap.
    case gap
    /// One track a local day.
    case day
    case none
  }

  /// The first time; nil for the start of the log.
  public var from: Timestamp?
  /// The end, which is excluded; nil for the end of the log.
  public var to: Timestamp?
  /// The start of the only trip, compared in whole seconds; nil for all locations.
  public var trip: Timestamp?
  public var split = Split.trip
  /// The longest time between two locations of one segment.
  public var longestPause = Duration.seconds(120)
  /// The largest distance in metres of an omitted location from the track; nil to omit none.
  public var tolerance: Double?
  /// The largest horizontal accuracy in metres. Locations of unknown accuracy are kept.
  public var worstAccuracy: Double?
  /// The shortest time between two locations of one segment; nil for any.
  public var interval: Duration?
  public var hasVisits = true
  public var hasEvents = false
  /// True if a point between two locations may be private, so that a file must not have it.
  public var hasPrivacyZones = false

  public init() {}

  func contains(_ time: Timestamp) -> Bool {
    from.map { time >= $0 } ?? true && to.map { time < $0 } ?? true
  }

  func contains(_ location: LocationRecord, at time: Timestamp) -> Bool {
    guard contains(time), !location.coordinate.isNullIsland else { return false }
    if let trip, location.trip?.time?.wholeSeconds != trip.wholeSeconds { return false }
    if let worstAccuracy, let radius = location.horizontalAccuracyMillimetres,
      Double(radius) / 1000 > worstAccuracy
    {
      return false
    }
    return true
  }
}

/// The description of an exported file.
public struct ExportTitle: Equatable, Sendable {
  /// `Outrider` with its version.
  public var creator: String
  public var name: String
  /// The time of the export.
  public var created: Timestamp
  /// The time zone of days and names.
  public var zone: String

  public init(creator: String, name: String, created: Timestamp, zone: String) {
    self.creator = creator
    self.name = name
    self.created = created
    self.zone = zone
  }
}

/// What a first pass over the log finds, for the heads of files.
public struct ExportOverview: Equatable, Sendable {
  /// The number of locations before simplification.
  public var count = 0
  /// The number of locations that were left out because their time is unknown.
  public var undated = 0
  var south = Int32.max
  var north = Int32.min
  var west = Int32.max
  var east = Int32.min
  /// The modes of trips by their start in milliseconds, at most ``mostTrips``.
  private var modes: [Int64: TripMode] = [:]

  static let mostTrips = 20_000

  public init() {}

  mutating func add(_ coordinate: Coordinate) {
    count += 1
    south = min(south, coordinate.latitudeE7)
    north = max(north, coordinate.latitudeE7)
    west = min(west, coordinate.longitudeE7)
    east = max(east, coordinate.longitudeE7)
  }

  mutating func add(_ trip: TripRecord) {
    guard let start = trip.start.time, modes.count < Self.mostTrips else { return }
    modes[start.milliseconds] = trip.mode
  }

  func mode(ofTripAt start: Timestamp) -> TripMode? { modes[start.milliseconds] }
}
