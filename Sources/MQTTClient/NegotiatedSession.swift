import SystemLoop

/// One connection to a broker in the newest MQTT that it speaks: 5, and 3.1.1 where it refuses that.
///
/// Otherwise as a ``MQTTSession``, whose events it passes on: it ends once and is not used again.
public final class NegotiatedSession {
  /// What is spoken; certain once the session is connected.
  public private(set) var version: MQTTVersion

  private let broker: MQTTBroker
  private let will: MQTTMessage?
  private let loop: EventLoop
  private let onEvent: (MQTTSession.Event) -> Void
  private var mayFallBack: Bool
  private var session: MQTTSession?
  /// Ended while it was calling: let go with this one.
  private var refused: MQTTSession?

  /// Begins to connect. `known` is the version in which the broker was met before; it is asked for no other then.
  public init(
    _ broker: MQTTBroker, known: MQTTVersion? = nil, will: MQTTMessage?, loop: EventLoop,
    onEvent: @escaping (MQTTSession.Event) -> Void
  ) throws(MQTTFailure) {
    self.broker = broker
    self.will = will
    self.loop = loop
    self.onEvent = onEvent
    version = known ?? .five
    mayFallBack = known == nil
    try connect()
  }

  deinit { session?.close() }

  public func publish(_ message: MQTTMessage) { session?.publish(message) }

  /// Leaves in good order when connected; the broker publishes no will then.
  public func close() { session?.close() }

  private func connect() throws(MQTTFailure) {
    session = try MQTTSession(broker, version: version, will: will, loop: loop) { [weak self] in
      self?.handle($0)
    }
  }

  private func handle(_ event: MQTTSession.Event) {
    switch event {
    case .ended(.versionRefused) where mayFallBack:
      mayFallBack = false
      version = .threeOneOne
      refused = session
      do throws(MQTTFailure) { try connect() } catch { onEvent(.ended(error)) }
    case .connected, .published, .unrouted, .refused, .ended: onEvent(event)
    }
  }
}
