/// What one sort of server wants otherwise than the protocol has it: a row of data, read where a Feature is written
/// and where a request is made.
public struct OverlandProfile: Equatable, Sendable {
  /// How a place is written.
  public enum Coordinates: Equatable, Sendable {
    /// GeoJSON: `[longitude, latitude]`.
    case pair
    /// `{"latitude":…,"longitude":…}`, as the oldest app had it.
    case named
  }

  /// Which words stand in `motion`.
  public enum MotionWords: Equatable, Sendable {
    /// Every word that holds, none while undecided; a vehicle is `driving`.
    case overland
    /// Exactly one; a vehicle is `automotive`, undecided is `unknown`.
    case trace
  }

  /// What the oldest app told of its settings.
  public struct Historic: Equatable, Sendable {
    /// Metres after which fixes that had been put off were delivered; 0 is off.
    public var deferredMetres = 0
    /// Whether coarse positions are taken: for a location that was kept with tracking statistics these say so.
    public var significantChange = SignificantChange.disabled

    public init() {}
  }

  /// Keys of the tracking statistics that a server of that sort always gets.
  enum LastingKeys: Equatable, Sendable {
    /// `pauses`, `activity`, `desired_accuracy` and `locations_in_payload`: with the two of ``Historic`` the six of the
    /// oldest form.
    case oldest
    /// `activity` alone.
    case activity
  }

  /// The word for each tracking mode.
  public enum SignificantChange: String, Equatable, Sendable {
    case disabled, enabled, exclusive
  }

  /// What a server of that sort answers without being sent anything.
  public enum Probe: Equatable, Sendable {
    /// Whatever it says to a GET of the endpoint.
    case endpoint
    /// `{"name":…}` to a GET of the endpoint with the right token, `{"error":…}` with another.
    case name
    /// `{"status":"ok"}` to a GET of this path beside the endpoint's last one.
    case status(path: String)
  }

  /// The word by which the operator names it.
  public let name: String
  public var coordinates = Coordinates.pair
  public var motion = MotionWords.overland
  /// `speed` in whole m/s instead of hundredths.
  public var hasWholeSpeed = false
  /// `locations_in_payload` is the number of locations of the body, as the README of the app has it, instead of 1.
  public var countsPayload = false
  /// That number, once it is known.
  var payloadCount = 1
  /// Keys of the tracking statistics that are written also where a record has none; nil: none are.
  var lasting: LastingKeys?
  /// Times in milliseconds and measures in thousandths, as the log has them, instead of what the protocol cuts or rounds.
  var keepsDigits = false
  /// An unknown charge is sent as a full one, for the server drops a point without.
  public var assumesFullBattery = false
  /// `deferred` and `significant_change`, as the oldest app sent them; nil where they are not.
  public var historic: Historic?
  /// Identity of the installation, written into every record; nil where nobody asked for it.
  public var uniqueID: String?
  /// What the device is called in every record; nil: as the record has it.
  public var deviceID: String?
  /// Trips that are known by their ends alone are sent too.
  public var hasReconstructedTrips = false
  /// The newest fix goes along while a backlog is sent.
  public var sendsCurrent = true
  /// Name of the query item that carries the token; nil: `Authorization: Bearer` does.
  public var tokenParameter: String?
  public var probe = Probe.endpoint
  /// A request holds records of one span of the clock, in order of time, and never of the span in progress.
  public var bucket: Duration?

  init(_ name: String, _ change: (inout OverlandProfile) -> Void = { _ in }) {
    self.name = name
    change(&self)
  }

  /// The protocol as the app speaks it.
  public static let overland = OverlandProfile("overland")

  /// As the files of this machine have it: with every digit of the log.
  static let file = OverlandProfile("file") { $0.keepsDigits = true }

  /// Every profile. Those that are as ``overland`` but for the name are there to be found by their server's name.
  public static let all = [
    overland, OverlandProfile("dawarich"), OverlandProfile("geopulse"), OverlandProfile("reitti"),
    OverlandProfile("phonetrack"), OverlandProfile("open_humans"),
    OverlandProfile("compass") {
      $0.tokenParameter = "token"
      $0.probe = .name
    },
    OverlandProfile("wayfinder") {
      $0.hasWholeSpeed = true
      $0.assumesFullBattery = true
    },
    OverlandProfile("trace") { $0.becomeTrace(.seconds(60)) },
    OverlandProfile("trace_hourly") { $0.becomeTrace(.seconds(3600)) },
    OverlandProfile("gpslogger") {
      $0.coordinates = .named
      $0.hasWholeSpeed = true
      $0.historic = Historic()
      $0.lasting = .oldest
    },
  ]

  private mutating func becomeTrace(_ bucket: Duration) {
    motion = .trace
    lasting = .activity
    sendsCurrent = false
    probe = .status(path: "status")
    self.bucket = bucket
  }

  /// True for a trip that is sent to a server of that sort.
  func takes(_ trip: OverlandTrip) -> Bool { hasReconstructedTrips || !trip.trip.isReconstructed }

  public static func named(_ name: String) -> OverlandProfile? { all.first { $0.name == name } }
}
