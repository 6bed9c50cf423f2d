extension DestinationSettings {
  enum Field {
    typealias Of<Value: Equatable & Sendable> = Setting<DestinationSettings, Value>

    static let name = Of<String>(
      "name", \.name, .name, default: "", isRequired: true, applies: .atOnce, effect: .always,
      "Name of the destination in messages and in the log, unique.")
    static let kind = Of<DestinationKind>(
      "kind", \.kind, .word, default: .overland, isRequired: true, applies: .atOnce, effect: .always,
      "Protocol that the destination speaks; a file destination is a directory of this machine.")
    static let url = Of<Endpoint>(
      "url", \.url, .endpoint, default: .unset, defaultText: "none, required but for kind file",
      applies: .atOnce, effect: .requires(.server),
      "Whole address to which records are sent; %TS, %LAT, %LON, %ACC, %SPD, %ALT and %BAT in it stand for the newest "
        + "fix. OwnTracks takes mqtt and mqtts too.")
    static let profile = Of<ServerProfile>(
      "profile", \.profile, .word, default: .overland, applies: .atOnce, effect: .requires(.serverProfile),
      "Server that an Overland destination is, where it wants something otherwise than the protocol has it.")
    static let loggingMode = Of<LoggingMode?>(
      "logging_mode", \.loggingMode, .optional(.word), default: nil,
      defaultText: "latest for owntracks, all for the others", applies: .atOnce, effect: .always,
      "Every record, or of the locations only the newest; owntracks is latest in the form of OwnTracks.")
    static let batchSize = Of<Int?>(
      "batch_size", \.batchSize, .optional(.integer(1...1000)), default: nil, defaultText: "main.batch_size",
      applies: .atOnce, effect: .requires(.batches),
      "Most records in one request; more at a time cost less data and less charge. owntracks and query take one."
    )
    static let sendInterval = Of<Duration??>(
      "send_interval", \.sendInterval, .optional(.offOr(.duration(.seconds(1) ... .seconds(86_400)))),
      default: nil,
      defaultText: "send_interval", applies: .atOnce, effect: .always,
      "Shortest time between two sends to this destination.")
    static let deviceID = Of<String?>(
      "device_id", \.deviceID, .optional(.text(atMost: Schema.longestDeviceID)), default: nil,
      defaultText: "device_id", applies: .atOnce, effect: .always,
      "Name of the device at this destination. For OwnTracks USER/DEVICE: Home Assistant takes nothing from a name without a "
        + "slash.")
    static let token = Of<Secret?>(
      "token", \.token, .optional(.secret), default: nil, applies: .atOnce, effect: .requires(.token),
      "Secret sent with each request; never shown.")
    static let tokenPlace = Of<TokenPlace?>(
      "token_in", \.tokenPlace, .optional(.word), default: nil,
      defaultText: "header, but as the profile has it",
      applies: .atOnce, effect: .requires(.tokenPlace),
      "Whether the token goes as bearer token in a header or in the query.")
    static let tokenParameter = Of<String?>(
      "token_parameter", \.tokenParameter, .optional(.name), default: nil, defaultText: "token",
      applies: .atOnce, effect: .requires(.tokenParameter),
      "Name of the query item that carries the token.")
    static let user = Of<String?>(
      "user", \.user, .optional(.name), default: nil, applies: .atOnce, effect: .requires(.user),
      "Name to log in with, by Basic authentication or at the broker; wants password.")
    static let password = Of<Secret?>(
      "password", \.password, .optional(.secret), default: nil, applies: .atOnce,
      effect: .requires(.password),
      "Password that belongs to the user; never shown.")
    static let headers = Of<[HeaderSetting]>(
      "headers", \.headers, .headers, default: [], applies: .atOnce, effect: .requires(.http),
      "Further headers of each request; their values are never shown.")
    static let caFile = Of<String?>(
      "ca_file", \.caFile, .optional(.path), default: nil, applies: .atOnce, effect: .requires(.encryption),
      "Certificates to trust for this destination instead of the system's, in PEM form.")
    static let clientCertificate = Of<String?>(
      "client_certificate", \.clientCertificate, .optional(.path), default: nil, applies: .atOnce,
      effect: .requires(.encryption),
      "Certificate of this device for servers that want one, in PEM form.")
    static let clientKey = Of<String?>(
      "client_key", \.clientKey, .optional(.path), default: nil, applies: .atOnce,
      effect: .requires(.clientCertificate),
      "Key of that certificate, in PEM form and without a password.")
    static let proxy = Of<String?>(
      "proxy", \.proxy, .optional(.proxy), default: nil, defaultText: "what the environment names",
      applies: .atOnce, effect: .requires(.http),
      "Proxy between this device and the server.")
    static let gzip = Of<Bool>(
      "gzip", \.isPacked, .boolean, default: false, applies: .atOnce, effect: .requires(.body),
      "Whether bodies go packed, which saves nine tenths of the data; only for servers that unpack them.")
    static let accept2xx = Of<Bool>(
      "accept_2xx", \.acceptsAny2xx, .boolean, default: false, applies: .atOnce, effect: .requires(.http),
      "Whether any status 2xx is success, whatever the answer says; records are lost where a server says so to what it "
        + "throws away. A phone wants JSON all the same; the box counts what is odd (outrider status).")
    static let acceptUnrouted = Of<Bool>(
      "accept_unrouted", \.acceptsUnrouted, .boolean, default: false, applies: .atOnce,
      effect: .requires(.broker),
      "Whether a message counts as delivered although the broker has no subscriber for its topic; the record is lost then. "
        + "Otherwise it is kept and sent again. Only brokers of MQTT 5 can tell; the newest position alone is retained by "
        + "the broker and counts in any case.")
    static let wholeSpeed = Of<Bool>(
      "whole_speed", \.hasWholeSpeed, .boolean, default: false, applies: .atOnce,
      effect: .requires(.overland),
      "Whether speed goes in whole metres per second.")
    static let historicStats = Of<Bool>(
      "historic_stats", \.hasHistoricStats, .boolean, default: false, applies: .atOnce,
      effect: .requires(.overland),
      "Whether records carry deferred and significant_change, as early versions of the app sent them, and "
        + "locations_in_payload is the number of locations of the request instead of 1.")
    static let reconstructedTrips = Of<Bool>(
      "reconstructed_trips", \.hasReconstructedTrips, .boolean, default: false, applies: .atOnce,
      effect: .requires(.tripRecords),
      "Whether trips are sent of which no position was recorded on the way: with automatic pauses and no motion sensor, a short "
        + "drive is known by its two ends alone. Such a trip has the property reconstructed, and the straight line for its "
        + "distance. A phone sends none; each costs some 900 bytes without compression.")
    static let trackerID = Of<String?>(
      "tid", \.trackerID, .optional(.text(atMost: 8)), default: nil, defaultText: "left to the server",
      applies: .atOnce, effect: .requires(.ownTracks),
      "Tracker id of OwnTracks, two characters that its maps show.")
    static let method = Of<QueryMethod>(
      "method", \.method, .word, default: .get, applies: .atOnce, effect: .requires(.query),
      "Method of a query destination.")
    static let speedUnit = Of<SpeedWord>(
      "speed_unit", \.speedUnit, .word, default: .knots, applies: .atOnce, effect: .requires(.query),
      "Unit of the speed in a query; Traccar wants knots.")
    static let directory = Of<String?>(
      "directory", \.directory, .optional(.path), default: nil, applies: .atOnce, effect: .requires(.file),
      "Directory in which a file destination writes its hourly files.")
    static let fileFormat = Of<TrackFileFormat>(
      "file_format", \.fileFormat, .word, default: .geojson, applies: .atOnce, effect: .requires(.file),
      "Form of the files of a file destination.")
    static let timeout = Of<Duration>(
      "timeout", \.timeout, .duration(.seconds(1) ... .seconds(600)), default: .seconds(60), applies: .atOnce,
      effect: .requires(.server),
      "Longest time that one request may take.")

    static let maySet = Of<Bool?>(
      "may_set", \.maySet, .optional(.boolean), default: nil, defaultText: "true for the first one",
      applies: .atOnce, effect: .requires(.server),
      "Whether the settings that its server sends with an answer are obeyed; what it has set is forgotten when they are no "
        + "longer. Where servers want different values for the box, the destination that stands first in the list has its way."
    )

    static let table = SettingTable<DestinationSettings>([
      name, kind, url, profile, loggingMode, batchSize, sendInterval, deviceID, token, tokenPlace,
      tokenParameter, user,
      password, headers, caFile, clientCertificate, clientKey, proxy, gzip, accept2xx, acceptUnrouted,
      wholeSpeed, historicStats, reconstructedTrips,
      trackerID,
      method,
      speedUnit, directory, fileFormat, timeout, maySet,
    ])
  }

  /// What the kind of a destination cannot do without, and what it cannot have.
  @Sendable static func check(_ destination: DestinationSettings, _ path: String, _ findings: inout Findings)
  {
    func missing(_ key: String, _ remedy: String) {
      findings.add(.value, path) {
        var place = $0
        place.path = Shown.path(path, key)
        return .missing(place, remedy: remedy)
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
      findings.add(.key, Shown.path(path, Field.proxy.path)) { .conflict($0, with: "the url of a broker") }
    }
    if destination.clientKey == nil, destination.clientCertificate != nil {
      missing(Field.clientKey.path, "give the key of client_certificate")
    }
  }
}
