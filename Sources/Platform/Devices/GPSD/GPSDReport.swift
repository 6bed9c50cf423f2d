import Quantities

/// The content of one line of gpsd, reduced to the fields that a logger needs (gpsd_json(5)).
enum GPSDReport: Equatable, Sendable {
  /// TPV.
  case position(GPSDPosition)
  /// SKY.
  case satellites(GPSDSatellites)
  /// GST.
  case deviation(GPSDDeviation)
  /// DEVICE: a change of one receiver.
  case device(GPSDDevice)
  /// DEVICES: all receivers.
  case devices([GPSDDevice])
  /// VERSION.
  case version(release: String)
  /// WATCH: the answer to the request of reports.
  case watch
  /// A line that libgps does not read.
  case ignored(IgnoredInput)

  /// True if the report shows that a receiver sends data. Mode 0 comes from gpsd itself, before any data.
  var isOfReceiver: Bool {
    switch self {
    case .position(let position): position.mode >= 1
    case .satellites, .deviation: true
    case .device, .devices, .version, .watch, .ignored: false
    }
  }
}

/// TPV: time, position, velocity. Absent values are nil.
struct GPSDPosition: Equatable, Sendable {
  /// The receiver's path on gpsd's host; empty if gpsd does not report it.
  var device = ""
  /// Mode of the fix: 0 no data yet, 1 no fix, 2 two-dimensional, 3 three-dimensional.
  var mode = 0
  /// Quality of the fix: 2 differential, 3 RTK fixed, 4 RTK float, 5 and 6 dead reckoning, 8 simulated.
  var status = 0
  var time: Timestamp?
  /// Degrees.
  var latitude: Double?
  var longitude: Double?
  /// Altitude in metres above mean sea level.
  var altitude: Double?
  /// Height in metres above the ellipsoid.
  var ellipsoidHeight: Double?
  /// `alt` in metres. Versions before 3.20 send it alone, and mean the altitude above mean sea level. Later ones have
  /// deprecated it without a definition.
  var undefinedAltitude: Double?
  /// Speed over ground in m/s.
  var speed: Double?
  /// Degrees from true north.
  var course: Double?
  /// Vertical speed in m/s, up positive.
  var climb: Double?
  /// `eph`, `epv` in metres, `eps` in m/s, `epd` in degrees, at a confidence level that depends on the
  /// receiver.
  var horizontalError: Double?
  /// `epx` and `epy` in metres: the error along each axis. Versions before 3.20 send them instead of `eph`.
  var longitudeError: Double?
  var latitudeError: Double?
  var verticalError: Double?
  var speedError: Double?
  var courseError: Double?
}

/// SKY: the geometry of the satellites.
struct GPSDSatellites: Equatable, Sendable {
  var device = ""
  var horizontalDilution: Double?
  var verticalDilution: Double?
  var positionDilution: Double?
  var satellitesUsed: UInt8?
}

/// GST: the error ellipse, one sigma in metres.
struct GPSDDeviation: Equatable, Sendable {
  var device = ""
  var time: Timestamp?
  var latitude: Double?
  var longitude: Double?
  var altitude: Double?
}

/// A receiver that gpsd reads.
public struct GPSDDevice: Equatable, Sendable {
  /// Path on gpsd's host; empty if gpsd does not name it.
  public var path: String
  /// `u-blox`, `NMEA0183` and so on; empty until gpsd has identified the receiver.
  public var driver = ""
  /// The receiver's own identification; empty unless gpsd requested it.
  public var subtype = ""
  /// True until gpsd has released the receiver, because it was unplugged or no client reads it.
  public var isActive = true

  public init(path: String) { self.path = path }
}

extension GPSDDevice: CustomStringConvertible {
  /// `/dev/ttyACM0 (u-blox)`
  public var description: String {
    let name = path.isEmpty ? "a receiver" : path
    return driver.isEmpty ? name : "\(name) (\(driver))"
  }
}
