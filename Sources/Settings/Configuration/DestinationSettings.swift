/// A server or a directory that receives the records. Defaults are those of the schema.
public struct DestinationSettings: Equatable, Sendable {
  public var name: String = Field.name.fallback
  public var kind: DestinationKind = Field.kind.fallback
  /// ``Endpoint/text`` is empty for a kind without a server.
  public var url: Endpoint = Field.url.fallback
  public var profile: ServerProfile = Field.profile.fallback
  /// Nil: what is usual for the kind.
  public var loggingMode: LoggingMode? = Field.loggingMode.fallback
  /// Nil: as `main.batch_size` says.
  public var batchSize: Int? = Field.batchSize.fallback
  /// Nil: as `send_interval` says; inside, nil is off.
  public var sendInterval: Duration?? = Field.sendInterval.fallback
  /// Nil: that of the device.
  public var deviceID: String? = Field.deviceID.fallback
  public var token: Secret? = Field.token.fallback
  /// Nil: where the profile has it.
  public var tokenPlace: TokenPlace? = Field.tokenPlace.fallback
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
  public var speedUnit: SpeedWord = Field.speedUnit.fallback
  /// Nil: not a file destination.
  public var directory: String? = Field.directory.fallback
  public var fileFormat: TrackFileFormat = Field.fileFormat.fallback
  public var timeout: Duration = Field.timeout.fallback
  /// Whether its server's `set` is obeyed; nil: only where it is the first destination.
  public var maySet: Bool? = Field.maySet.fallback

  /// What its server has set of the logging mode has not proved itself.
  public var isLoggingModeOnTrial = false

  init() {}

  /// A destination of which everything but name and address is the default.
  public init(name: String, kind: DestinationKind, url: Endpoint) {
    self.name = name
    self.kind = kind
    self.url = url
  }

  /// Where the kind has one of its own: OwnTracks is for the newest position, the others follow `main.logging_mode`.
  var usualLoggingMode: LoggingMode? {
    switch kind {
    case .owntracks: .latest
    case .query, .file: .all
    case .overland: nil
    }
  }

  /// Which records it gets, where nothing else counts for it.
  public var records: LoggingMode { loggingMode ?? usualLoggingMode ?? .all }

  /// Older positions than the newest are passed over; not for a mode on trial, for what was passed over does not come again.
  public var isNewestOnly: Bool { records != .all && !isLoggingModeOnTrial }

  /// Whether `other` is the same destination but for how much is sent and how often, which can change at any time.
  public func isServed(as other: DestinationSettings) -> Bool {
    var same = other
    same.batchSize = batchSize
    same.sendInterval = sendInterval
    return same == self
  }
}
