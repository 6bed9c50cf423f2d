import Quantities

/// The settings of the local API (`api`).
public struct APISettings: Equatable, Sendable {
  public var socket: String
  public var isEnabled: Bool = Schema.apiEnabled.fallback
  /// The TCP address, `ADDRESS:PORT`; nil for none.
  public var listen: String? = Schema.apiListen.fallback
  public var token: Secret? = Schema.apiToken.fallback

  public var guest: GuestMode = Schema.apiGuest.fallback
  /// Further names of this host, as clients give them in `Host`.
  public var names: [String] = Schema.apiNames.fallback

  public init(socket: String) { self.socket = socket }

  /// The shortest token with which the page signs in from other hosts, in bytes.
  public static let shortestPageToken = 16

  /// True if only programs on this host can connect to an address of ``listen``.
  public static func isLoopback(_ address: String) -> Bool {
    address.hasPrefix("127.") || address.hasPrefix("[::1]:") || address.hasPrefix("localhost:")
  }
}

extension Schema {
  static let apiSocket = Of<String>(
    "api.socket", \.api.socket, .path, default: "",
    defaultText: "api.sock in $RUNTIME_DIRECTORY, otherwise in /run/outrider", applies: .afterRestart,
    effect: .requires(.api),
    "Unix socket of the local API, for the command line and other programs.")
  static let apiEnabled = Of<Bool>(
    "api.enabled", \.api.isEnabled, .boolean, default: true, applies: .afterRestart, effect: .always,
    "Switch of the local API, which serves the command line and other programs.")
  static let apiListen = Of<String?>(
    "api.listen", \.api.listen, .offOr(.listenAddress), default: nil, applies: .atOnce,
    effect: .requires(.api),
    alsoCalled: ["port"],
    "TCP address on which the local API also serves other machines. It requires api.token. The "
      + "connection is not encrypted.")
  static let apiToken = Of<Secret?>(
    "api.token", \.api.token, .optional(.secret), default: nil, applies: .atOnce,
    effect: .requires(.apiListen),
    "Secret that clients of api.listen send as a bearer token. It is never shown.")
  static let apiGuest = Of<GuestMode>(
    "api.guest", \.api.guest, .word, default: .off, applies: .atOnce,
    effect: .requires(.apiListen),
    "What clients of api.listen may read without the token. status is all but positions, settings and "
      + "satellites. positions adds the positions. Guests change nothing.")
  static let apiNames = Of<[String]>(
    "api.names", \.api.names, .list(of: .hostName, "host names without port"), default: [], defaultText: "[]",
    applies: .atOnce, effect: .requires(.api),
    "Further names of this host in addresses, such as that of a proxy. Requests for other names with a "
      + "dot are rejected, because a page of another site could have sent them.")
}

extension APISettings {
  /// The declarations in the order of the reference.
  static let declared: [any SettingDeclaration<Configuration>] = [
    Schema.apiSocket, Schema.apiEnabled, Schema.apiListen, Schema.apiToken, Schema.apiGuest, Schema.apiNames,
  ]
}
