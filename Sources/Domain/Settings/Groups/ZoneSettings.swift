import Quantities

/// The settings of a zone: a circle, or a polygon if that has corners.
public struct ZoneSettings: Equatable, Sendable {
  public var name: String = Field.name.fallback
  /// The centre; nil for a polygon.
  public var latitude: Double? = Field.latitude.fallback
  public var longitude: Double? = Field.longitude.fallback
  public var radiusMetres: Double = Field.radius.fallback
  /// The corners of a polygon, at least three; empty for a circle.
  public var polygon: [ZoneCorner] = Field.polygon.fallback
  /// Time inside after which an event is logged; nil if off.
  public var dwell: Duration? = Field.dwell.fallback
  /// True if the profile `in_zone` applies inside.
  public var hasProfile: Bool = Field.profile.fallback

  public init() {}

  enum Field {
    typealias Of<Value: Equatable & Sendable> = Setting<ZoneSettings, Value>

    static let name = Of<String>(
      "name", \.name, .name, default: "", isRequired: true, applies: .atOnce, effect: .always,
      "Unique name of the zone in events.")
    static let latitude = Of<Double?>(
      "latitude", \.latitude, .optional(.number(-90...90, "°")), default: nil, applies: .atOnce,
      effect: .always,
      "Latitude of the centre of the circle, in degrees.")
    static let longitude = Of<Double?>(
      "longitude", \.longitude, .optional(.number(-180...180, "°")), default: nil, applies: .atOnce,
      effect: .always,
      "Longitude of the centre of the circle, in degrees.")
    static let radius = Of<Double>(
      "radius", \.radiusMetres, .distance(1...1_000_000), default: 100, applies: .atOnce,
      effect: .requires(.circle),
      "Radius of the circle. Below about 50 m, the accuracy of the fixes decides.")
    static let polygon = Of<[ZoneCorner]>(
      "polygon", \.polygon, .corners, default: [], defaultText: "not set", applies: .atOnce, effect: .always,
      "Corners of a polygon in their order, instead of a circle.")

    static let dwell = Of<Duration?>(
      "dwell", \.dwell, .offOr(.duration(.seconds(1) ... .days(30))), default: nil, applies: .atOnce,
      effect: .always,
      "Dwell time in the zone after which an event is logged, once per visit.")
    static let profile = Of<Bool>(
      "profile", \.hasProfile, .boolean, default: false, applies: .atOnce, effect: .requires(.zoneProfile),
      "Use of the profile in_zone inside the zone.")

    static let table = SettingTable<ZoneSettings>(shapeSettings + [dwell, profile], check: lack)
    /// The settings of a zone without events.
    static let shapeTable = SettingTable<ZoneSettings>(shapeSettings, check: lack)

    private static let shapeSettings: [any SettingDeclaration<ZoneSettings>] = [
      name, latitude, longitude, radius, polygon,
    ]

    @Sendable private static func lack(_ zone: ZoneSettings) -> String? {
      let isCircle = zone.latitude != nil && zone.longitude != nil
      let isHalf = (zone.latitude == nil) != (zone.longitude == nil)
      if isHalf || isCircle != zone.polygon.isEmpty {
        return "latitude and longitude for a circle, or polygon alone"
      }
      return zone.shape == nil
        ? "a polygon of 3 to \(ZoneShape.mostCorners) corners, not all at one point, within "
          + "\(Int(ZoneShape.mostReach / 1000)) km of its centre" : nil
    }
  }
}

extension ZoneSettings {
  /// The shape of the zone; nil if it is invalid.
  public var shape: ZoneShape? {
    if let latitude, let longitude {
      return Coordinate(latitude: latitude, longitude: longitude).flatMap {
        ZoneShape(centre: $0, radius: radiusMetres)
      }
    }
    let corners = polygon.compactMap { Coordinate(latitude: $0.latitude, longitude: $0.longitude) }
    return corners.count == polygon.count ? ZoneShape(polygon: corners) : nil
  }
}

/// A corner of a polygon, in degrees.
public struct ZoneCorner: Equatable, Sendable {
  public var latitude: Double
  public var longitude: Double

  public init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }
}

/// A Wi-Fi network with known coordinates.
public struct WifiZoneSettings: Equatable, Sendable {
  public var name: String = Field.name.fallback
  /// The name of the network; nil for any.
  public var ssid: String? = Field.ssid.fallback
  /// The hardware address of an access point, in lower case with colons; nil for any.
  public var address: String? = Field.address.fallback
  public var latitude: Double = Field.latitude.fallback
  public var longitude: Double = Field.longitude.fallback

  public init() {}

  enum Field {
    typealias Of<Value: Equatable & Sendable> = Setting<WifiZoneSettings, Value>

    static let name = Of<String>(
      "name", \.name, .name, default: "", isRequired: true, applies: .atOnce, effect: .always,
      "Unique name of the zone in events.")
    static let ssid = Of<String?>(
      "ssid", \.ssid, .optional(.name), default: nil, applies: .atOnce, effect: .always,
      "Exact name of the network.")
    static let address = Of<String?>(
      "address", \.address, .optional(.hardwareAddress), default: nil, applies: .atOnce, effect: .always,
      "Hardware address of one access point, as in 02:00:5e:10:00:01.")
    static let latitude = Of<Double>(
      "latitude", \.latitude, .number(-90...90, "°"), default: 0, isRequired: true, applies: .atOnce,
      effect: .always,
      "Latitude that is recorded at the network, in degrees.")
    static let longitude = Of<Double>(
      "longitude", \.longitude, .number(-180...180, "°"), default: 0, isRequired: true, applies: .atOnce,
      effect: .always,
      "Longitude that is recorded at the network, in degrees.")

    static let table = SettingTable<WifiZoneSettings>(
      [name, ssid, address, latitude, longitude],
      check: { $0.ssid == nil && $0.address == nil ? "ssid, address or both" : nil })
  }
}
