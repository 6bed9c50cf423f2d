import EventLoop

/// One connection to a broker in the newest MQTT version that it supports: 5, or 3.1.1 if the broker refuses 5.
///
/// Otherwise it behaves like a ``MQTTSession``, whose events it forwards: it ends once and is not reused.
public final class NegotiatedSession {
  /// The protocol version; definite once the session is connected.
  public private(set) var version: MQTTVersion

  private let broker: MQTTBroker
  private let will: MQTTMessage?
  private let subscription: String?
  private let loop: EventLoop
  private let onEvent: (MQTTSession.Event) -> Void
  private var mayFallBack: Bool
  private var session: MQTTSession?
  /// The session that ended in its own callback, kept until this object is released.
  private var refused: MQTTSession?

  /// Starts to connect. `known` is the version of an earlier connection; no other version is tried then.
  /// ``MQTTSession/init(_:version:will:subscription:loop:onEvent:)`` has the other parameters.
  public init(
    _ broker: MQTTBroker, known: MQTTVersion? = nil, will: MQTTMessage?, subscription: String? = nil,
    loop: EventLoop, onEvent: @escaping (MQTTSession.Event) -> Void
  ) throws(MQTTFailure) {
    self.broker = broker
    self.will = will
    self.subscription = subscription
    self.loop = loop
    self.onEvent = onEvent
    version = known ?? .five
    mayFallBack = known == nil
    try connect()
  }

  deinit { session?.close() }

  /// Publishes a message; see ``MQTTSession/publish(_:)``.
  public func publish(_ message: MQTTMessage) -> Int32? { session?.publish(message) }

  /// The maximum number of messages in flight that the broker permits.
  public var receiveMaximum: Int { session?.receiveMaximum ?? 1 }

  /// Disconnects properly: the broker publishes no will.
  public func close() { session?.close() }

  private func connect() throws(MQTTFailure) {
    session = try MQTTSession(
      broker, version: version, will: will, subscription: subscription, loop: loop
    ) { [weak self] in self?.handle($0) }
  }

  private func handle(_ event: MQTTSession.Event) {
    switch event {
    case .ended(.versionRefused) where mayFallBack:
      mayFallBack = false
      version = .threeOneOne
      refused = session
      do throws(MQTTFailure) { try connect() } catch { onEvent(.ended(error)) }
    case .connected, .published, .unrouted, .refused, .received, .notSubscribed, .ended: onEvent(event)
    }
  }
}
