import Quantities

/// A closed route through a city: the corners of the streets, the speed on each street, and the stops.
public struct CityRoute: Sendable {
  /// One corner with the street that begins there.
  public struct Leg: Sendable {
    public var corner: Coordinate
    /// Speed in m/s on the street that begins at the corner.
    public var speed: Double
    /// Stop of the vehicle at the corner in seconds.
    public var wait: Double
  }

  /// Times at which the vehicle stands wherever it is, apart from the stops at corners.
  public struct Halts: Equatable, Sendable {
    /// Seconds since the start of the drive, in order. The vehicle brakes at the beginning and starts at the end.
    public var spans: [Range<Double>]
    /// Seconds after which the spans begin again; nil if they do not.
    public var period: Double?

    public init(_ spans: [Range<Double>], period: Double? = nil) {
      self.spans = spans
      self.period = period
    }

    func contain(_ second: Double) -> Bool {
      let second = period.map { $0 > 0 ? second.truncatingRemainder(dividingBy: $0) : second } ?? second
      return spans.contains { $0.contains(second) }
    }
  }

  public var legs: [Leg]
  public var halts = Halts([])

  /// The route without the stops at corners, with these halts instead.
  public func halting(_ halts: Halts) -> CityRoute {
    var route = self
    for index in route.legs.indices { route.legs[index].wait = 0 }
    route.halts = halts
    return route
  }

  /// A loop of about 3.6 km through the centre of Berlin: avenue, side streets, two traffic lights.
  public static let berlin = CityRoute(
    legs: [
      Leg(52.516260, 13.377720, speed: 13, wait: 6), Leg(52.516890, 13.385900, speed: 13, wait: 0),
      Leg(52.517180, 13.389050, speed: 12, wait: 9), Leg(52.519700, 13.388400, speed: 9, wait: 0),
      Leg(52.520260, 13.387560, speed: 9, wait: 0), Leg(52.522730, 13.387010, speed: 11, wait: 12),
      Leg(52.522350, 13.381890, speed: 8, wait: 0), Leg(52.520830, 13.379350, speed: 12, wait: 0),
      Leg(52.519180, 13.376430, speed: 10, wait: 0), Leg(52.517330, 13.376390, speed: 8, wait: 0),
    ].compactMap { $0 })
}

extension CityRoute.Leg {
  fileprivate init?(_ latitude: Double, _ longitude: Double, speed: Double, wait: Double) {
    guard let corner = Coordinate(latitude: latitude, longitude: longitude) else { return nil }
    self.init(corner: corner, speed: speed, wait: wait)
  }
}
