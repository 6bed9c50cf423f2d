import Quantities

/// The settings of the sign of life for a monitor (`heartbeat`).
public struct HeartbeatSettings: Equatable, Sendable {
  /// The address of the monitor; nil for none.
  public var url: Endpoint? = Schema.heartbeatURL.fallback
  public var every: Duration = Schema.heartbeatEvery.fallback

  public init() {}
}

extension Schema {
  static let heartbeatURL = Of<Endpoint?>(
    "heartbeat.url", \.heartbeat.url, .offOr(.webAddress), default: nil, applies: .atOnce, effect: .always,
    "Address that is requested as long as logging works. A monitor such as healthchecks.io alerts you when "
      + "the requests stay out. If logging fails, /fail is appended and the reason is the body. The "
      + "request goes together with a send: it neither starts the network nor wakes the host.")
  static let heartbeatEvery = Of<Duration>(
    "heartbeat.every", \.heartbeat.every, .duration(.seconds(60) ... .days(1)), default: .seconds(3600),
    applies: .atOnce, effect: .requires(.heartbeat),
    "Shortest time between two requests to heartbeat.url. The monitor should wait longer than this and "
      + "send_interval together.")
}

extension HeartbeatSettings {
  /// The declarations in the order of the reference.
  static let declared: [any SettingDeclaration<Configuration>] = [Schema.heartbeatURL, Schema.heartbeatEvery]
}

extension SettingKind where Value == Endpoint {
  /// The address of a web server. Its path and query can contain secrets, so no message repeats it.
  static var webAddress: Self {
    SettingKind(
      "an address https://HOST/… or http://HOST/…", isShown: false, text: \.description,
      written: { endpoint, reveals in .text(reveals ? endpoint.text : endpoint.description) }
    ) { value in
      guard case .text(let text) = value else { return .wrongType }
      if let excess = SettingLimits.hostExcess(in: text) {
        return .badPart(expected: excess.expected, got: excess.got)
      }
      guard let endpoint = Endpoint(text), !endpoint.isBroker, !endpoint.isListed else { return .badValue }
      return .value(endpoint)
    }
  }
}
