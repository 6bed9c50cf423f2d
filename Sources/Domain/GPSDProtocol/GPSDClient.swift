import Quantities

/// One client of the shared receiver: reads its requests, answers them, and holds what it has not taken yet.
///
/// A client that breaks a limit is to be disconnected, as gpsd does.
public struct GPSDClient: Sendable {
  /// The most bytes that wait for a client.
  public static let unsentLimit = 16_384
  /// The version of gpsd whose protocol is served.
  private static let release = "3.25"

  /// What the answers are about.
  public struct Situation: Sendable {
    /// Nil without a receiver.
    public var device: SharedDevice?
    public var reports: SharedReports
    public var time: Timestamp

    public init(device: SharedDevice?, reports: SharedReports, time: Timestamp) {
      (self.device, self.reports, self.time) = (device, reports, time)
    }
  }

  public private(set) var policy = WatchPolicy()
  /// The bytes that wait, oldest first.
  public private(set) var unsent: [UInt8] = []
  /// True if the client must be disconnected: a request was too long, or too much waits.
  public private(set) var hasFailed = false
  private let version: String
  private var hasPolled = false
  private var reader = RequestReader()

  /// A new client, for which the VERSION object waits. `version` is the version of this program.
  public init(version: String) {
    self.version = version
    var greeting: [UInt8] = []
    appendVersion(to: &greeting)
    unsent = greeting
  }

  /// True if the client gets reports or sentences of the receiver.
  public var isWatching: Bool { policy.wantsReports || policy.wantsSentences }

  /// True if the client shows the satellites: it gets reports, or watches without a form and so can only poll, or has
  /// polled.
  public var wantsSatellites: Bool {
    policy.wantsReports || policy.isEnabled && (policy.hasNoForm || hasPolled)
  }

  /// Reads bytes of the client and appends the answers to ``unsent``.
  public mutating func receive(_ bytes: some Sequence<UInt8>, _ situation: Situation) {
    guard !hasFailed else { return }
    var requests = reader
    requests.take(bytes) { request in
      send(answer(to: request, situation))
      return !hasFailed
    }
    reader = requests
    if reader.isOverlong { fail() }
  }

  /// Appends bytes for the client.
  public mutating func send(_ bytes: [UInt8]) {
    guard !hasFailed, !bytes.isEmpty else { return }
    guard unsent.isEmpty || unsent.count + bytes.count <= Self.unsentLimit else { return fail() }
    unsent += bytes
  }

  /// Removes the first `count` waiting bytes, which the client has taken.
  public mutating func sent(_ count: Int) {
    if count >= unsent.count { unsent = [] } else { unsent.removeFirst(max(count, 0)) }
  }

  private mutating func fail() {
    hasFailed = true
    unsent = []
  }

  // MARK: Answers

  private mutating func answer(to request: GPSDRequest, _ situation: Situation) -> [UInt8] {
    var text: [UInt8] = []
    switch request {
    case .version: appendVersion(to: &text)
    case .devices: Self.append(devices: situation.device, to: &text)
    case .device:
      if let device = situation.device {
        device.append(to: &text)
        text.append("\r\n")
      } else {
        Self.append(error: "No device", to: &text)
      }
    case .poll:
      hasPolled = true
      situation.reports.appendPoll(
        to: &text, of: situation.device, isWatching: policy.isEnabled, time: situation.time)
    case .watch(let change):
      if let change { watch(change, situation.device, &text) }
      Self.append(devices: situation.device, to: &text)
      policy.append(to: &text)
    case .configuration:
      Self.append(error: "Read only: the receiver is configured by Outrider", to: &text)
    case .invalidWatch: Self.append(error: "Invalid WATCH", to: &text)
    case .unknown(let request): Self.append(error: "Unrecognized request '\(request)'", to: &text)
    }
    return text
  }

  private mutating func watch(
    _ change: WatchPolicy.Change, _ device: SharedDevice?, _ text: inout [UInt8]
  ) {
    policy.apply(change)
    guard let name = policy.device, name != device?.path else { return }
    policy.disable()
    Self.append(error: "No such device as \(name.prefix(200))", to: &text)
  }

  private func appendVersion(to text: inout [UInt8]) {
    text.append(#"{"class":"VERSION","release":"#)
    text.appendJSONString(Self.release)
    text.append(#","rev":"#)
    text.appendJSONString("outrider \(version)")
    text.append(#","proto_major":3,"proto_minor":15}"#)
    text.append("\r\n")
  }

  private static func append(devices device: SharedDevice?, to text: inout [UInt8]) {
    text.append(#"{"class":"DEVICES","devices":["#)
    device?.append(to: &text)
    text.append("]}\r\n")
  }

  private static func append(error message: String, to text: inout [UInt8]) {
    text.append(#"{"class":"ERROR","message":"#)
    text.appendJSONString(message)
    text.append("}\r\n")
  }
}
