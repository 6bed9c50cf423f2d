import Quantities

/// The settings of a destination: a server, broker or directory that receives records. Defaults are those of the schema.
public struct DestinationSettings: Equatable, Sendable {
  public var name: String = Field.name.fallback
  public var kind: DestinationKind = Field.kind.fallback
  /// The address of the server. ``Endpoint/text`` is empty for a kind without a server.
  public var url: Endpoint = Field.url.fallback
  public var profile: ServerProfile = Field.profile.fallback
  /// The logging mode; nil for the default of the kind.
  public var loggingMode: LoggingMode? = Field.loggingMode.fallback
  /// The batch size; nil for that of `main.batch_size`.
  public var batchSize: Int? = Field.batchSize.fallback
  /// The send interval; nil for that of `send_interval`. An inner nil means off.
  public var sendInterval: Duration?? = Field.sendInterval.fallback
  /// The name of the device; nil for the general one.
  public var deviceID: String? = Field.deviceID.fallback
  public var token: Secret? = Field.token.fallback
  /// The position of the token; nil for the default of the profile.
  public var tokenPosition: TokenPosition? = Field.tokenPosition.fallback
  public var tokenParameter: String? = Field.tokenParameter.fallback
  public var user: String? = Field.user.fallback
  public var password: Secret? = Field.password.fallback
  public var headers: [HeaderSetting] = Field.headers.fallback
  public var caFile: String? = Field.caFile.fallback
  public var clientCertificate: String? = Field.clientCertificate.fallback
  public var clientKey: String? = Field.clientKey.fallback
  public var proxy: String? = Field.proxy.fallback
  public var isPacked: Bool = Field.gzip.fallback
  public var acceptsAny2xx: Bool = Field.accept2xx.fallback
  public var acceptsUnrouted: Bool = Field.acceptUnrouted.fallback
  public var hasWholeSpeed: Bool = Field.wholeSpeed.fallback
  public var hasHistoricStats: Bool = Field.historicStats.fallback
  public var hasReconstructedTrips: Bool = Field.reconstructedTrips.fallback
  public var trackerID: String? = Field.trackerID.fallback
  public var method: QueryMethod = Field.method.fallback
  public var speedUnit: SpeedUnit = Field.speedUnit.fallback
  /// The directory of a file destination; nil for other kinds.
  public var directory: String? = Field.directory.fallback
  public var fileFormat: TrackFileFormat = Field.fileFormat.fallback
  public var timeout: Duration = Field.timeout.fallback
  /// True if its server may change settings by `set`; nil for only the first destination.
  public var maySet: Bool? = Field.maySet.fallback

  /// True if its server has set a logging mode that is not proven.
  public var isLoggingModeOnTrial = false

  init() {}

  /// Creates a destination with defaults except for name, kind and address.
  public init(name: String, kind: DestinationKind, url: Endpoint) {
    self.name = name
    self.kind = kind
    self.url = url
  }

  /// The default of the kind: OwnTracks takes the newest location; nil if the kind follows `main.logging_mode`.
  var usualLoggingMode: LoggingMode? {
    switch kind {
    case .owntracks: .latest
    case .query, .file: .all
    case .overland: nil
    }
  }

  /// The logging mode of the destination itself, without that of a server or of `main`.
  public var records: LoggingMode { loggingMode ?? usualLoggingMode ?? .all }

  /// True if locations older than the newest are skipped. False for a mode on trial, because skipped locations are never sent.
  public var isNewestOnly: Bool { records != .all && !isLoggingModeOnTrial }

  /// True if `other` differs at most in batch size and send interval, which can change at any time.
  public func isServed(as other: DestinationSettings) -> Bool {
    var same = other
    same.batchSize = batchSize
    same.sendInterval = sendInterval
    return same == self
  }
}
