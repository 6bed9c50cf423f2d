import Quantities

/// What the host knows that shortens a receiver's start: the time and the place.
///
/// Both grow uncertain with their age and are brought forward to the moment they are sent; what has become too
/// uncertain is kept back, for a wrong hint costs more than none.
public struct StartAid: Equatable, Sendable {
  public var time: Time?
  public var place: Place?

  public init(time: Time? = nil, place: Place? = nil) {
    self.time = time
    self.place = place
  }

  /// UTC at a moment.
  public struct Time: Equatable, Sendable {
    /// An uncertainty beyond which the time says nothing of the satellites' places any more.
    public static let largestError = Duration.seconds(60)
    /// The boot-time clock runs off by so many parts in a million at most, between two corrections.
    static let drift: Int64 = 100
    /// What all families can say; GPS began in 1980.
    static let years = 1981...2099

    public var utc: Timestamp
    /// One sigma.
    public var error: Duration
    /// When it was `utc`.
    public var moment: Moment

    public init(utc: Timestamp, error: Duration, at moment: Moment) {
      self.utc = utc
      self.error = error
      self.moment = moment
    }

    /// The time as it is at `now`; nil when its error passes ``largestError``, and for years that no
    /// receiver knows.
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
  public struct Place: Equatable, Sendable {
    /// One sigma in metres beyond which the satellites in view are others.
    public static let largestError = 100_000.0
    /// What may carry the receiver moves no faster, in metres a second. Who knows that it stands gives the place
    /// anew with a later moment.
    public static let fastest = 50.0

    /// WGS 84.
    public var position: Coordinate
    /// Metres above the ellipsoid; nil when unknown.
    public var altitude: Double?
    /// One sigma in metres, of the horizontal position.
    public var error: Double
    /// When it was there.
    public var moment: Moment

    public init(position: Coordinate, altitude: Double? = nil, error: Double, at moment: Moment) {
      self.position = position
      self.altitude = altitude
      self.error = error
      self.moment = moment
    }

    /// The place as it can be told at `now`; nil when its error passes ``largestError``, and for latitude 0,
    /// longitude 0.
    func forwarded(to now: Moment) -> Place? {
      guard error >= 0, !position.isNullIsland else { return nil }
      let age = Double((now - moment).nanosecondsOfAge) * 1e-9
      let error = error + age * Self.fastest
      guard error <= Self.largestError else { return nil }
      return Place(position: position, altitude: altitude, error: error, at: now)
    }
  }
}

extension Duration {
  /// How far apart, in nanoseconds and never negative.
  fileprivate var nanosecondsOfAge: Int64 { Int64(clamping: wholeNanoseconds.magnitude) }
}
