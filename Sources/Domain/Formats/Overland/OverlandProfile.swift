import Records

/// The differences of one kind of server from the Overland protocol, applied when Features and requests are written.
public struct OverlandProfile: Equatable, Sendable {
  /// The form of the coordinates.
  public enum Coordinates: Equatable, Sendable {
    /// GeoJSON order: `[longitude, latitude]`.
    case pair
    /// An object `{"latitude":…,"longitude":…}`, as in the first version of the app.
    case named
  }

  /// The vocabulary of `motion`.
  public enum MotionVocabulary: Equatable, Sendable {
    /// All applicable words, none while undecided; a vehicle is `driving`.
    case overland
    /// Exactly one word: a vehicle is `automotive`, undecided is `unknown`.
    case trace
  }

  /// The settings that the first version of the app reported.
  public struct Historic: Equatable, Sendable {
    /// The distance in metres after which deferred fixes were delivered; 0 is off.
    public var deferredMetres = 0
    /// The use of coarse positions. A location that was stored with tracking statistics contains its own value.
    public var significantChange = SignificantChange.disabled

    public init() {}
  }

  /// The keys of the tracking statistics that are always sent.
  enum LastingKeys: Equatable, Sendable {
    /// The keys `pauses`, `activity`, `desired_accuracy` and `locations_in_payload`, which together with the two of
    /// ``Historic`` are the six keys of the first version.
    case oldest
    /// The key `activity` only.
    case activity
  }

  /// The words for the tracking modes.
  public enum SignificantChange: String, Equatable, Sendable {
    case disabled, enabled, exclusive
  }

  /// The request that tests a server without sending a record.
  public enum Probe: Equatable, Sendable {
    /// A GET of the endpoint, with an unspecified response.
    case endpoint
    /// A GET of the endpoint: `{"name":…}` with the correct token, `{"error":…}` with another.
    case name
    /// A GET of this path instead of the endpoint's last component: `{"status":"ok"}`.
    case status(path: String)
  }

  /// The name in the configuration.
  public let name: String
  public var coordinates = Coordinates.pair
  public var motion = MotionVocabulary.overland
  /// True to write `speed` in whole m/s instead of hundredths.
  public var hasWholeSpeed = false
  /// True if `locations_in_payload` is the number of locations in the body, as in the app's README, instead of 1.
  public var countsPayload = false
  /// The number of locations, if it is known.
  var payloadCount = 1
  /// The keys of the tracking statistics that are written even if a record has none; nil for none.
  var lasting: LastingKeys?
  /// True to send all that the log has, events included, in the form of ``OutriderBatch``.
  public private(set) var isComplete = false
  /// The UUID of the log, for a complete profile; nil while it is unknown.
  public var logID: String?
  /// The first record that the server may get, for a complete profile; nil to omit it.
  public var firstRecord: RecordID?
  /// The present name of the device, for a complete profile: a request without records has it, too.
  public var senderName: String?
  /// True to write milliseconds and thousandths as in the log, instead of truncating or rounding as the protocol does.
  var keepsDigits = false
  /// True to send an unknown charge as full, because the server drops a point without a charge.
  public var assumesFullBattery = false
  /// The horizontal accuracy in metres of a position without one.
  public var unknownAccuracy = OverlandFeature.unknownHorizontalAccuracy
  /// The keys `deferred` and `significant_change`, as in the first version of the app; nil to omit them.
  public var historic: Historic?
  /// The identity of the installation, written into every record; nil to omit it.
  public var uniqueID: String?
  /// The name of the device in every record; nil for the name in the record.
  public var deviceID: String?
  /// True to send reconstructed trips.
  public var hasReconstructedTrips = false
  /// True to send the newest fix with a backlog.
  public var sendsCurrent = true
  /// The name of the query item for the token; nil: `Authorization: Bearer`.
  public var tokenParameter: String?
  public var probe = Probe.endpoint
  /// The length of the clock interval to which a request is limited: its records are in order of time, and none is of
  /// the present interval. Nil for no limit.
  public var bucket: Duration?

  init(_ name: String, _ change: (inout OverlandProfile) -> Void = { _ in }) {
    self.name = name
    change(&self)
  }

  /// Dawarich 1.7 hides points above 100 m by default. A point without an accuracy is not worse than one that it shows.
  private static let dawarichAccuracy = 99

  /// The protocol of the app.
  public static let overland = OverlandProfile("overland")

  /// The form of the local files, with all digits of the log.
  static let file = OverlandProfile("file") { $0.keepsDigits = true }

  /// All profiles. Some are equal to ``overland`` and exist only under the name of their server.
  public static let all = [
    overland, OverlandProfile("dawarich") { $0.unknownAccuracy = dawarichAccuracy },
    OverlandProfile("geopulse"), OverlandProfile("reitti"),
    OverlandProfile("phonetrack"), OverlandProfile("open_humans"),
    OverlandProfile("outrider") {
      $0.isComplete = true
      $0.keepsDigits = true
      $0.probe = .status(path: "status")
    },
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

  /// Returns true if a trip is sent to the server.
  func takes(_ trip: OverlandTrip) -> Bool { hasReconstructedTrips || !trip.trip.isReconstructed }

  public static func named(_ name: String) -> OverlandProfile? { all.first { $0.name == name } }
}
