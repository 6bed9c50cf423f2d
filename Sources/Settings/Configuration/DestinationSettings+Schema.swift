extension DestinationSettings {
  enum Field {
    typealias Of<Value: Equatable & Sendable> = Setting<DestinationSettings, Value>

    static let name = Of<String>(
      "name", \.name, .name, default: "", isRequired: true, applies: .atOnce,
      "Name of the destination in messages and in the log, unique.")
    static let kind = Of<DestinationKind>(
      "kind", \.kind, .word, default: .overland, isRequired: true, applies: .atOnce,
      "Protocol that the destination speaks; a file destination is a directory of this machine.")
    static let url = Of<Endpoint>(
      "url", \.url, .endpoint, default: .unset, defaultText: "none, required but for kind file",
      applies: .atOnce,
      "Whole address to which records are sent; %TS, %LAT, %LON, %ACC, %SPD, %ALT and %BAT in it stand for the newest "
        + "fix. OwnTracks takes mqtt and mqtts too.")
    static let profile = Of<ServerProfile>(
      "profile", \.profile, .word, default: .overland, applies: .atOnce,
      "Server that an Overland destination is, where it wants something otherwise than the protocol has it.")
    static let loggingMode = Of<LoggingMode?>(
      "logging_mode", \.loggingMode, .optional(.word), default: nil,
      defaultText: "latest for owntracks, all for the others", applies: .atOnce,
      "Every record, or of the locations only the newest; owntracks is latest in the form of OwnTracks.")
    static let batchSize = Of<Int?>(
      "batch_size", \.batchSize, .optional(.integer(1...1000)), default: nil, defaultText: "main.batch_size",
      applies: .atOnce,
      "Most records in one request; more at a time cost less data and less charge. owntracks and query take one."
    )
    static let sendInterval = Of<Duration??>(
      "send_interval", \.sendInterval, .optional(.offOr(.duration(.seconds(1) ... .seconds(86_400)))),
      default: nil,
      defaultText: "send_interval", applies: .atOnce, "Shortest time between two sends to this destination.")
    static let token = Of<Secret?>(
      "token", \.token, .optional(.secret), default: nil, applies: .atOnce,
      "Secret sent with each request; never shown.")
    static let tokenPlace = Of<TokenPlace?>(
      "token_in", \.tokenPlace, .optional(.word), default: nil,
      defaultText: "header, but as the profile has it",
      applies: .atOnce, "Whether the token goes as bearer token in a header or in the query.")
    static let tokenParameter = Of<String?>(
      "token_parameter", \.tokenParameter, .optional(.name), default: nil, defaultText: "token",
      applies: .atOnce,
      "Name of the query item that carries the token.")
    static let user = Of<String?>(
      "user", \.user, .optional(.name), default: nil, applies: .atOnce,
      "Name to log in with, by Basic authentication or at the broker; wants password.")
    static let password = Of<Secret?>(
      "password", \.password, .optional(.secret), default: nil, applies: .atOnce,
      "Password that belongs to the user; never shown.")
    static let headers = Of<[HeaderSetting]>(
      "headers", \.headers, .headers, default: [], applies: .atOnce,
      "Further headers of each request; their values are never shown.")
    static let caFile = Of<String?>(
      "ca_file", \.caFile, .optional(.path), default: nil, applies: .atOnce,
      "Certificates to trust for this destination instead of the system's, in PEM form.")
    static let clientCertificate = Of<String?>(
      "client_certificate", \.clientCertificate, .optional(.path), default: nil, applies: .atOnce,
      "Certificate of this device for servers that want one, in PEM form.")
    static let clientKey = Of<String?>(
      "client_key", \.clientKey, .optional(.path), default: nil, applies: .atOnce,
      "Key of that certificate, in PEM form and without a password.")
    static let proxy = Of<String?>(
      "proxy", \.proxy, .optional(.proxy), default: nil, defaultText: "what the environment names",
      applies: .atOnce,
      "Proxy between this device and the server.")
    static let gzip = Of<Bool>(
      "gzip", \.isPacked, .boolean, default: false, applies: .atOnce,
      "Whether bodies go packed, which saves nine tenths of the data; only for servers that unpack them.")
    static let accept2xx = Of<Bool>(
      "accept_2xx", \.acceptsAny2xx, .boolean, default: false, applies: .atOnce,
      "Whether any status 2xx is success, whatever the answer says; records are lost where a server says so to what it "
        + "throws away. A phone wants JSON all the same; the box counts what is odd (outrider status).")
    static let wholeSpeed = Of<Bool>(
      "whole_speed", \.hasWholeSpeed, .boolean, default: false, applies: .atOnce,
      "Whether speed goes in whole metres per second.")
    static let trackerID = Of<String?>(
      "tid", \.trackerID, .optional(.text(atMost: 8)), default: nil, defaultText: "left to the server",
      applies: .atOnce, "Tracker id of OwnTracks, two characters that its maps show.")
    static let method = Of<QueryMethod>(
      "method", \.method, .word, default: .get, applies: .atOnce, "Method of a query destination.")
    static let speedUnit = Of<SpeedWord>(
      "speed_unit", \.speedUnit, .word, default: .knots, applies: .atOnce,
      "Unit of the speed in a query; Traccar wants knots.")
    static let directory = Of<String?>(
      "directory", \.directory, .optional(.path), default: nil, applies: .atOnce,
      "Directory in which a file destination writes its hourly files.")
    static let fileFormat = Of<TrackFileFormat>(
      "file_format", \.fileFormat, .word, default: .geojson, applies: .atOnce,
      "Form of the files of a file destination.")
    static let timeout = Of<Duration>(
      "timeout", \.timeout, .duration(.seconds(1) ... .seconds(600)), default: .seconds(60), applies: .atOnce,
      "Longest time that one request may take.")

    static let maySet = Of<Bool?>(
      "may_set", \.maySet, .optional(.boolean), default: nil, defaultText: "true for the first one",
      applies: .atOnce,
      "Whether the settings that its server sends with an answer are obeyed; what it has set is forgotten when they are no "
        + "longer. Where servers want different values for the box, the destination that stands first in the list has its way."
    )

    static let table = SettingTable<DestinationSettings>([
      name, kind, url, profile, loggingMode, batchSize, sendInterval, token, tokenPlace, tokenParameter, user,
      password, headers, caFile, clientCertificate, clientKey, proxy, gzip, accept2xx, wholeSpeed, trackerID,
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
