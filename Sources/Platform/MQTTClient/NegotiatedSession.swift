import EventLoop

/// One connection to a broker in the newest MQTT version that it supports: 5, or 3.1.1 as ``VersionMemory`` decides.
///
/// Otherwise it behaves like a ``MQTTSession``, whose events it forwards: it ends once and is not reused.
public final class NegotiatedSession {
  /// The protocol version; definite once the session is connected.
  public private(set) var version: MQTTVersion
  /// What this and earlier connections show about the broker, for the next one.
  public private(set) var memory: VersionMemory

  private let broker: MQTTBroker
  private let will: MQTTMessage?
  private let subscription: String?
  private let loop: EventLoop
  private let onEvent: (MQTTSession.Event) -> Void
  private var isConnected = false
  /// The reason for MQTT 3.1.1 after MQTT 5 failed.
  private var evidence: VersionMemory.Evidence?
  private var session: MQTTSession?
  /// The session that ended in its own callback, kept until this object is released.
  private var refused: MQTTSession?

  /// Starts to connect. `memory` is that of the earlier connections.
  /// ``MQTTSession/init(_:version:will:subscription:loop:onEvent:)`` has the other parameters.
  public init(
    _ broker: MQTTBroker, memory: VersionMemory, will: MQTTMessage?, subscription: String? = nil,
    loop: EventLoop, onEvent: @escaping (MQTTSession.Event) -> Void
  ) throws(MQTTFailure) {
    self.broker = broker
    self.memory = memory
    self.will = will
    self.subscription = subscription
    self.loop = loop
    self.onEvent = onEvent
    version = memory.first(now: loop.now)
    try connect()
  }

  deinit { session?.close() }

  /// Publishes a message; see ``MQTTSession/publish(_:)``.
  public func publish(_ message: MQTTMessage) -> Int32? { session?.publish(message) }

  /// The maximum number of messages in flight that the broker permits.
  public var receiveMaximum: Int { session?.receiveMaximum ?? 1 }

  /// Disconnects properly: the broker publishes no will.
  public func close() { session?.close() }

  /// Notes that the owner no longer waits for an answer, and disconnects.
  public func giveUp() {
    if !isConnected, session?.hasReachedBroker == true { memory.gaveUp(version) }
    close()
  }

  private func connect() throws(MQTTFailure) {
    session = try MQTTSession(
      broker, version: version, will: will, subscription: subscription, loop: loop
    ) { [weak self] in self?.handle($0) }
  }

  private func handle(_ event: MQTTSession.Event) {
    switch event {
    case .connected:
      isConnected = true
      memory.accepted(version, because: evidence, now: loop.now)
      onEvent(event)
    case .ended(let failure): handle(failure)
    case .published, .unrouted, .refused, .received, .notSubscribed: onEvent(event)
    }
  }

  private func handle(_ failure: MQTTFailure) {
    guard !isConnected, let found = failure.evidence else {
      // Without a network nothing is learned about the broker.
      if !isConnected, version == .threeOneOne, session?.hasReachedBroker == true { memory.olderFailed() }
      return onEvent(.ended(failure))
    }
    guard version == .five, memory.fiveFailed(found) else {
      if version == .threeOneOne { memory.olderFailed() }
      return onEvent(.ended(failure.withoutVersion))
    }
    (version, evidence) = (.threeOneOne, found)
    refused = session
    do throws(MQTTFailure) { try connect() } catch { onEvent(.ended(error)) }
  }
}

extension MQTTFailure {
  /// The evidence that the broker does not know the version; nil if it is another failure.
  fileprivate var evidence: VersionMemory.Evidence? {
    switch self {
    case .versionRefused(_, _, let isStated): isStated ? .stated : .suspected
    case .crashed(_, _, wasConnected: false): .suspected
    default: nil
    }
  }

  /// The failure of a broker that is known to support the version.
  fileprivate var withoutVersion: MQTTFailure {
    guard case .versionRefused(let broker, let reason, isStated: false) = self else { return self }
    return .notAccepted(broker: broker, reason: reason)
  }
}
