import Quantities

/// Aiding data of the host, which shortens a receiver's start: time and position.
///
/// The uncertainty of both grows with their age, up to the moment they are sent. Data that is too uncertain
/// is withheld, because wrong aiding costs more time than none.
public struct StartAid: Equatable, Sendable {
  public var time: Time?
  public var knownPosition: KnownPosition?

  public init(time: Time? = nil, knownPosition: KnownPosition? = nil) {
    self.time = time
    self.knownPosition = knownPosition
  }

  /// UTC at a moment.
  public struct Time: Equatable, Sendable {
    /// Largest useful uncertainty. Beyond it the time does not determine the satellites' positions.
    public static let largestError = Duration.seconds(60)
    /// Largest drift of the boot clock between two corrections, in parts per million.
    static let drift: Int64 = 100
    /// Years that all families can encode; GPS began in 1980.
    static let years = 1981...2099

    public var utc: Timestamp
    /// Error of the time, one sigma.
    public var error: Duration
    /// The moment of `utc`.
    public var moment: Moment

    public init(utc: Timestamp, error: Duration, at moment: Moment) {
      self.utc = utc
      self.error = error
      self.moment = moment
    }

    /// The time at `now`; nil if its error exceeds ``largestError`` or no receiver accepts its year.
    func forwarded(to now: Moment) -> Time? {
      guard error >= .zero, error <= Self.largestError else { return nil }
      let age = now - moment
      let drift = Duration(wholeNanoseconds: age.nanosecondsOfAge / 1_000_000 * Self.drift)
      let error = error + drift
      let forwarded = utc + age
      guard error <= Self.largestError, Self.years.contains(forwarded.date.year) else { return nil }
      return Time(utc: forwarded, error: error, at: now)
    }
  }

  /// A position at a moment.
  public struct KnownPosition: Equatable, Sendable {
    /// Largest useful error: one sigma in metres, beyond which other satellites are in view.
    public static let largestError = 100_000.0
    /// Assumed highest speed of the device in m/s. A caller that knows that the device is stationary supplies
    /// the position again with a later moment.
    public static let fastest = 50.0

    /// The position in WGS 84.
    public var position: Coordinate
    /// Height in metres above the ellipsoid; nil if unknown.
    public var altitude: Double?
    /// Error of the horizontal position in metres, one sigma.
    public var error: Double
    /// The moment of `position`.
    public var moment: Moment

    public init(position: Coordinate, altitude: Double? = nil, error: Double, at moment: Moment) {
      self.position = position
      self.altitude = altitude
      self.error = error
      self.moment = moment
    }

    /// The position with its uncertainty at `now`; nil if its error exceeds ``largestError``, and at latitude
    /// 0, longitude 0.
    func forwarded(to now: Moment) -> KnownPosition? {
      guard error >= 0, !position.isNullIsland else { return nil }
      let age = Double((now - moment).nanosecondsOfAge) * 1e-9
      let error = error + age * Self.fastest
      guard error <= Self.largestError else { return nil }
      return KnownPosition(position: position, altitude: altitude, error: error, at: now)
    }
  }
}

extension Duration {
  /// Distance in nanoseconds, never negative.
  fileprivate var nanosecondsOfAge: Int64 { Int64(clamping: wholeNanoseconds.magnitude) }
}
