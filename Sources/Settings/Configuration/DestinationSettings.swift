/// A server that receives the records. Defaults are those of the schema.
public struct DestinationSettings: Equatable, Sendable {
  public var name: String = Field.name.fallback
  public var kind: DestinationKind = Field.kind.fallback
  public var url: Endpoint = Field.url.fallback
  public var token: Secret? = Field.token.fallback
  public var caFile: String? = Field.caFile.fallback
  public var timeout: Duration = Field.timeout.fallback
  /// Whether its server's `set` is obeyed; nil: only where it is the first destination.
  public var maySet: Bool? = Field.maySet.fallback

  init() {}

  /// A destination of which everything but name and address is the default.
  public init(name: String, kind: DestinationKind, url: Endpoint) {
    self.name = name
    self.kind = kind
    self.url = url
  }

  enum Field {
    typealias Of<Value: Equatable & Sendable> = Setting<DestinationSettings, Value>

    static let name = Of<String>(
      "name", \.name, .name, default: "", isRequired: true, applies: .atOnce,
      "Name of the destination in messages and in the log, unique.")
    static let kind = Of<DestinationKind>(
      "kind", \.kind, .word, default: .overland, isRequired: true, applies: .atOnce,
      "Protocol that the destination speaks.")
    static let url = Of<Endpoint>(
      "url", \.url, .endpoint, default: .unset, isRequired: true, applies: .atOnce,
      "Address to which records are sent.")
    static let token = Of<Secret?>(
      "token", \.token, .optional(.secret), default: nil, applies: .atOnce,
      "Secret sent as bearer token with each request; never shown.")
    static let caFile = Of<String?>(
      "ca_file", \.caFile, .optional(.path), default: nil, applies: .atOnce,
      "Certificates to trust for this destination instead of the system's, in PEM form.")
    static let timeout = Of<Duration>(
      "timeout", \.timeout, .duration(.seconds(1) ... .seconds(600)), default: .seconds(60), applies: .atOnce,
      "Longest time that one request may take.")
    static let maySet = Of<Bool?>(
      "may_set", \.maySet, .optional(.boolean), default: nil, defaultText: "true for the first one",
      applies: .atOnce,
      "Whether the settings that its server sends with an answer are obeyed.")

    static let table = SettingTable<DestinationSettings>([name, kind, url, token, caFile, timeout, maySet])
  }
}
