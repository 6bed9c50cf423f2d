import Quantities

/// What one line of gpsd says, as far as a logger needs it (gpsd_json(5)).
enum GPSDReport: Equatable, Sendable {
  /// TPV.
  case position(GPSDPosition)
  /// SKY.
  case sky(GPSDSky)
  /// GST.
  case deviation(GPSDDeviation)
  /// DEVICE: something about one receiver has changed.
  case device(GPSDDevice)
  /// DEVICES: all receivers.
  case devices([GPSDDevice])
  /// VERSION.
  case version(release: String)
  /// Anything else.
  case other

  /// Whether this shows that a receiver speaks. Mode 0 is gpsd's own word, before it has heard one.
  var isOfReceiver: Bool {
    switch self {
    case .position(let position): position.mode >= 1
    case .sky, .deviation: true
    case .device, .devices, .version, .other: false
    }
  }
}

/// TPV: time, position, velocity. What gpsd did not say is nil.
struct GPSDPosition: Equatable, Sendable {
  /// The receiver's path on gpsd's machine; empty when gpsd does not say.
  var device = ""
  /// 0 nothing seen yet, 1 no fix, 2 two-dimensional, 3 three-dimensional.
  var mode = 0
  /// What sort of fix: 2 differential, 3 RTK fixed, 4 RTK float, 5 and 6 dead reckoning, 8 simulated.
  var status = 0
  var time: Timestamp?
  /// Degrees.
  var latitude: Double?
  var longitude: Double?
  /// Metres above mean sea level.
  var altitude: Double?
  /// Metres above the ellipsoid.
  var ellipsoidHeight: Double?
  /// m/s
  var speed: Double?
  /// Degrees from true north.
  var course: Double?
  /// m/s
  var climb: Double?
  /// `eph`, `epv` in metres, `eps` in m/s, `epd` in degrees, at a level that depends on the receiver.
  var horizontalError: Double?
  var verticalError: Double?
  var speedError: Double?
  var courseError: Double?
}

/// SKY: the geometry of the satellites.
struct GPSDSky: Equatable, Sendable {
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
  /// On gpsd's machine; empty where gpsd does not name it.
  public var path: String
  /// `u-blox`, `NMEA0183` and so on; empty until gpsd knows.
  public var driver = ""
  /// What the receiver calls itself; empty unless gpsd asked.
  public var subtype = ""
  /// False once gpsd has let go of it: unplugged, or nobody reads it.
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
