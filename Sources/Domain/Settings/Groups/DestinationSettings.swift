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
  /// The maximum number of MQTT messages without an acknowledgement.
  public var inFlight: Int = Field.inFlight.fallback
  public var hasWholeSpeed: Bool = Field.wholeSpeed.fallback
  public var hasHistoricStats: Bool = Field.historicStats.fallback
  public var hasReconstructedTrips: Bool = Field.reconstructedTrips.fallback
  public var trackerID: String? = Field.trackerID.fallback
  public var method: QueryMethod = Field.method.fallback
  public var speedUnit: SpeedUnit = Field.speedUnit.fallback
  /// True if a query has Traccar's further items, and events are sent, too.
  public var isTraccar: Bool = Field.traccar.fallback
  /// The directory of a file destination; nil for other kinds.
  public var directory: String? = Field.directory.fallback
  public var fileFormat: TrackFileFormat = Field.fileFormat.fallback
  public var timeout: Duration = Field.timeout.fallback
  /// The time from one report of the device's health to the next.
  public var reportInterval: Duration = Field.reportInterval.fallback
  /// The longest time without a contact; nil for no limit.
  public var checkIn: Duration? = Field.checkIn.fallback
  /// True if the token is that of a card image, which the server replaces by one of this device.
  public var enrols: Bool = Field.enrols.fallback
  /// True if its server may change settings by `set`; nil for only the first destination.
  public var maySet: Bool? = Field.maySet.fallback
  /// True if its OwnTracks server may request the position of the device.
  public var mayAsk: Bool = Field.mayAsk.fallback

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

extension DestinationSettings {
  enum Field {
    typealias Of<Value: Equatable & Sendable> = Setting<DestinationSettings, Value>

    static let name = Of<String>(
      "name", \.name, .name, default: "", isRequired: true, applies: .atOnce, effect: .always,
      "Unique name of the destination in messages and in the log.")
    static let kind = Of<DestinationKind>(
      "kind", \.kind, .word, default: .overland, isRequired: true, applies: .atOnce, effect: .always,
      "Protocol of the destination. file is a directory of this host.")
    static let url = Of<Endpoint>(
      "url", \.url, .endpoint, default: .unset, defaultText: "none, required except for kind file",
      applies: .atOnce, effect: .requires(.server),
      "Complete address to which records are sent. %TS, %LAT, %LON, %ACC, %SPD, %ALT and %BAT in it "
        + "stand for the newest fix. OwnTracks also takes mqtt and mqtts.")
    static let profile = Of<ServerProfile>(
      "profile", \.profile, .word, default: .overland, applies: .atOnce, effect: .requires(.serverProfile),
      "Server of an Overland destination, if it deviates from the protocol.")
    static let loggingMode = Of<LoggingMode?>(
      "logging_mode", \.loggingMode, .optional(.word), default: nil,
      defaultText: "latest for owntracks, all for others", applies: .atOnce, effect: .always,
      "Records to send: all, latest (of the locations only the newest) or owntracks (latest in "
        + "OwnTracks format).")
    static let batchSize = Of<Int?>(
      "batch_size", \.batchSize, .optional(.integer(1...1000)), default: nil, defaultText: "main.batch_size",
      applies: .atOnce, effect: .requires(.batches),
      "Largest number of records in one request. Larger requests cost less data and less charge. "
        + "owntracks and query take one record.")
    static let sendInterval = Of<Duration??>(
      "send_interval", \.sendInterval, .optional(.offOr(.duration(.seconds(1) ... .seconds(86_400)))),
      default: nil,
      defaultText: "send_interval", applies: .atOnce, effect: .always,
      "Shortest time between two sends to this destination.")
    static let deviceID = Of<String?>(
      "device_id", \.deviceID, .optional(.text(atMost: Schema.longestDeviceID)), default: nil,
      defaultText: "device_id", applies: .atOnce, effect: .always,
      "Name of the device at this destination. For OwnTracks it is USER/DEVICE; Home Assistant ignores "
        + "a name without a slash.")
    static let token = Of<Secret?>(
      "token", \.token, .optional(.secret), default: nil, applies: .atOnce, effect: .requires(.token),
      "Secret that is sent with every request. It is never shown.")
    static let tokenPosition = Of<TokenPosition?>(
      "token_in", \.tokenPosition, .optional(.word), default: nil,
      defaultText: "header, unless the profile differs",
      applies: .atOnce, effect: .requires(.tokenPosition),
      "Position of the token in a request: header, as a bearer token, or query.")
    static let tokenParameter = Of<String?>(
      "token_parameter", \.tokenParameter, .optional(.name), default: nil, defaultText: "token",
      applies: .atOnce, effect: .requires(.tokenParameter),
      "Name of the query parameter that carries the token.")
    static let user = Of<String?>(
      "user", \.user, .optional(.name), default: nil, applies: .atOnce, effect: .requires(.user),
      "User name for Basic authentication or at the broker. It requires password.")
    static let password = Of<Secret?>(
      "password", \.password, .optional(.secret), default: nil, applies: .atOnce,
      effect: .requires(.password),
      "Password of the user. It is never shown.")
    static let headers = Of<[HeaderSetting]>(
      "headers", \.headers, .headers, default: [], applies: .atOnce, effect: .requires(.http),
      "Additional headers of every request. Their values are never shown.")
    static let caFile = Of<String?>(
      "ca_file", \.caFile, .optional(.path), default: nil, applies: .atOnce, effect: .requires(.encryption),
      "File with the certificates to trust for this destination instead of the system's, in PEM format.")
    static let clientCertificate = Of<String?>(
      "client_certificate", \.clientCertificate, .optional(.path), default: nil, applies: .atOnce,
      effect: .requires(.encryption),
      "File with the certificate of this device, in PEM format, for servers that require one.")
    static let clientKey = Of<String?>(
      "client_key", \.clientKey, .optional(.path), default: nil, applies: .atOnce,
      effect: .requires(.clientCertificate),
      "File with the key of client_certificate, in PEM format and without a password.")
    static let proxy = Of<String?>(
      "proxy", \.proxy, .optional(.proxy), default: nil, defaultText: "that of the environment",
      applies: .atOnce, effect: .requires(.http),
      "Proxy between this device and the server.")
    static let gzip = Of<Bool>(
      "gzip", \.isPacked, .boolean, default: false, applies: .atOnce, effect: .requires(.body),
      "Compresses request bodies, which saves nine tenths of the data. The server must support it.")
    static let accept2xx = Of<Bool>(
      "accept_2xx", \.acceptsAny2xx, .boolean, default: false, applies: .atOnce, effect: .requires(.http),
      "Treats every 2xx status as success, regardless of the response body. Records are lost if the "
        + "server discards them with such a status. Unusual responses are counted (outrider status).")
    static let acceptUnrouted = Of<Bool>(
      "accept_unrouted", \.acceptsUnrouted, .boolean, default: false, applies: .atOnce,
      effect: .requires(.broker),
      "Counts a message as delivered even if the broker has no subscriber for its topic. The record "
        + "is then lost; otherwise it is kept and sent again. Only MQTT 5 brokers report subscribers. "
        + "If only the newest location is sent, the broker retains it and it always counts as "
        + "delivered.")
    static let inFlight = Of<Int>(
      "in_flight", \.inFlight, .integer(1...200), default: 20, applies: .atOnce,
      effect: .requires(.messages),
      "Largest number of MQTT messages that are sent before the broker has acknowledged the first of "
        + "them. The broker may allow fewer.")
    static let wholeSpeed = Of<Bool>(
      "whole_speed", \.hasWholeSpeed, .boolean, default: false, applies: .atOnce,
      effect: .requires(.protocolBody),
      "Rounds speed to whole metres per second.")
    static let historicStats = Of<Bool>(
      "historic_stats", \.hasHistoricStats, .boolean, default: false, applies: .atOnce,
      effect: .requires(.protocolBody),
      "Adds deferred and significant_change to records, as early versions of the app did. "
        + "locations_in_payload is then the number of locations in the request instead of 1.")
    static let reconstructedTrips = Of<Bool>(
      "reconstructed_trips", \.hasReconstructedTrips, .boolean, default: false, applies: .atOnce,
      effect: .requires(.tripRecords),
      "Sends trips without a recorded position between their two ends, too. With automatic pauses "
        + "and no motion sensor, a short drive is known by its two ends alone. Such a trip has the "
        + "property reconstructed and the straight line as its distance. Each costs about 900 bytes "
        + "without compression.")
    static let trackerID = Of<String?>(
      "tid", \.trackerID, .optional(.text(atMost: 8)), default: nil, defaultText: "left to the server",
      applies: .atOnce, effect: .requires(.ownTracks),
      "OwnTracks tracker ID, two characters that its maps show.")
    static let method = Of<QueryMethod>(
      "method", \.method, .word, default: .get, applies: .atOnce, effect: .requires(.query),
      "HTTP method of a query destination.")
    static let speedUnit = Of<SpeedUnit>(
      "speed_unit", \.speedUnit, .word, default: .knots, applies: .atOnce, effect: .requires(.query),
      "Unit of speed in a query. Traccar requires knots.")
    static let traccar = Of<Bool>(
      "traccar", \.isTraccar, .boolean, default: false, applies: .atOnce, effect: .requires(.query),
      "Adds valid, sat, hdop, charge and motion to a query, and sends ignition, driving, supply and zone "
        + "events as alarms and attributes of Traccar. logging_mode latest sends no events.")
    static let directory = Of<String?>(
      "directory", \.directory, .optional(.path), default: nil, applies: .atOnce, effect: .requires(.file),
      "Directory in which a file destination writes its hourly files.")
    static let fileFormat = Of<TrackFileFormat>(
      "file_format", \.fileFormat, .word, default: .geojson, applies: .atOnce, effect: .requires(.file),
      "Format of the files of a file destination.")
    static let timeout = Of<Duration>(
      "timeout", \.timeout, .duration(.seconds(1) ... .seconds(600)), default: .seconds(60), applies: .atOnce,
      effect: .requires(.server),
      "Longest time that one request may take.")

    static let reportInterval = Of<Duration>(
      "report_interval", \.reportInterval, .duration(.seconds(60) ... .seconds(86_400)),
      default: .seconds(3600), applies: .atOnce, effect: .requires(.reports),
      "Shortest time between two reports of battery, queue and settings. A report is part of a "
        + "request that is due anyway.")
    static let checkIn = Of<Duration?>(
      "check_in", \.checkIn, .offOr(.duration(.seconds(300) ... .seconds(604_800))),
      default: .seconds(43_200), applies: .atOnce, effect: .requires(.reports),
      "Longest time without a request while sending is on. If there is nothing to send, a request "
        + "without records has a report. The server then knows that a silent device has a fault.")

    static let enrols = Of<Bool>(
      "enrol", \.enrols, .boolean, default: false, applies: .atOnce, effect: .requires(.reports),
      "The token is the same on many card images. The server answers it with a token of this device, "
        + "which is stored and used from then on.")

    static let maySet = Of<Bool?>(
      "may_set", \.maySet, .optional(.boolean), default: nil, defaultText: "true for the first one",
      applies: .atOnce, effect: .requires(.server),
      "Lets the server change settings with its response. Values that it has set are forgotten when "
        + "the permission ends. If servers disagree on a value for the device, the destination listed "
        + "first wins.")

    static let mayAsk = Of<Bool>(
      "may_ask", \.mayAsk, .boolean, default: false, applies: .atOnce, effect: .requires(.ownTracks),
      "Lets an OwnTracks server request the position of the device (reportLocation), at most once a "
        + "minute and twelve times an hour. Each request may start the receiver. Other commands are ignored.")

    static let table = SettingTable<DestinationSettings>([
      name, kind, url, profile, loggingMode, batchSize, sendInterval, deviceID, token, tokenPosition,
      tokenParameter, user,
      password, headers, caFile, clientCertificate, clientKey, proxy, gzip, accept2xx, acceptUnrouted,
      inFlight, wholeSpeed, historicStats, reconstructedTrips,
      trackerID,
      method,
      speedUnit, traccar, directory, fileFormat, timeout, reportInterval, checkIn, enrols, maySet, mayAsk,
    ])
  }

  /// Adds errors for settings that the kind of a destination requires or excludes.
  @Sendable static func check(_ destination: DestinationSettings, _ path: String, _ findings: inout Findings)
  {
    func missing(_ key: String, _ remedy: String) {
      findings.add(.value, path) {
        var location = $0
        location.path = Shown.path(path, key)
        return .missing(location, remedy: remedy)
      }
    }
    switch destination.kind {
    case .file:
      if destination.directory == nil { missing(Field.directory.path, "give \(Field.directory.expected)") }
    case .overland, .query, .owntracks:
      if destination.url == .unset { missing(Field.url.path, "give \(Field.url.expected)") }
      if destination.url.isBroker, destination.kind != .owntracks {
        findings.add(.value, Shown.path(path, Field.url.path)) {
          .badValue(
            $0, expected: "an address https://HOST/… or http://HOST/…", got: "the address of a broker")
        }
      }
    }
    if destination.proxy != nil, destination.url.isBroker {
      findings.add(.key, Shown.path(path, Field.proxy.path)) { .conflict($0, with: "the URL of a broker") }
    }
    if destination.clientKey == nil, destination.clientCertificate != nil {
      missing(Field.clientKey.path, "give the key of client_certificate")
    }
  }
}
