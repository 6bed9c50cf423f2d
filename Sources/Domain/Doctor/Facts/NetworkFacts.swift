/// The network and the destinations.
public struct NetworkFacts: Equatable, Sendable {
  /// The result of a step of the destination test.
  public enum Step: Equatable, Sendable {
    case good(String)
    /// The server does not reveal it.
    case unknown(String)
    case bad(String)

    var text: String {
      switch self {
      case .good(let text), .unknown(let text), .bad(let text): text
      }
    }
  }

  /// A destination and the steps of its test that were reached.
  public struct Destination: Equatable, Sendable {
    public var name: String
    /// The server's host; nil for a directory.
    public var host: String?
    /// The port of the address; nil if it has none.
    public var port: UInt16?
    public var isBroker = false
    public var isEncrypted = false
    public var proxy: String?
    /// The steps by the names that `outrider send --test` prints.
    public var steps: [String: Step] = [:]
    /// Seconds until the first certificate of the chain expires; nil if unknown.
    public var certificateSeconds: Int64?
    /// The reason why it was not tested; nil if it was.
    public var untested: String?

    public init(name: String, host: String?) { (self.name, self.host) = (name, host) }

    /// The port of the address, or the usual one of its scheme.
    var effectivePort: UInt16 { port ?? (isBroker ? (isEncrypted ? 8883 : 1883) : (isEncrypted ? 443 : 80)) }
  }

  /// The parts of MQTT messages that belong to a step of the test.
  private static let brokerFaults = [
    ("cannot resolve the host name", "name"), ("no connection", "connection"),
    ("no supported MQTT version", "connection"), ("cannot connect", "connection"),
    ("no trusted TLS connection", "encryption"), ("the broker rejects this client", "token"),
  ]

  /// Returns the step of the test that a running logger's message about a broker concerns.
  public static func brokerStep(ofFault text: String) -> String {
    brokerFaults.first { text.contains($0.0) }?.1 ?? "answer"
  }

  /// The reason why the network was not tested, such as `--offline`; nil if it was.
  public var untested: String?
  public var destinations: [Destination] = []
  /// The interfaces with a default route; hidden if the routes cannot be read.
  public var defaultRoutes: Fact<[String]> = .absent
  /// The word of NetworkManager for the connection, as in `portal`; nil without NetworkManager.
  public var connectivity: String?

  public init() {}
}
