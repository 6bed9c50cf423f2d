import EventLoop
import Formats
import MQTTClient
import Quantities
import Records

/// Sends records to an MQTT broker, one OwnTracks message per record. A record is delivered once the broker has
/// acknowledged it.
public final class MQTTTransport: BatchTransport {
  private let broker: MQTTBroker
  private let trackerID: String?
  public let isNewestOnly: Bool
  private let acceptsUnrouted: Bool
  /// The device id for the topic of records that have none.
  private let deviceID: String
  private let loop: EventLoop
  private let utc: () -> Timestamp
  private var session: NegotiatedSession?
  private var isConnected = false
  /// The MQTT version of the broker; nil before the first connection.
  private var version: MQTTVersion?
  /// The topic of the will.
  private var willTopic = ""
  private var attempt: (message: MQTTMessage, keepsConnection: Bool, completion: (Verdict, [UInt8]) -> Void)?
  /// The failure if the broker was disconnected for flooding while no message was being sent. The next attempt reports
  /// it and backs off.
  private var flood: MQTTFailure?
  /// A session that ended within its own callback. It is released later, after the callback has returned.
  private var spent: NegotiatedSession?

  /// Creates a transport.
  ///
  /// If `isNewestOnly` is true, the broker retains the last message for later subscribers. If `acceptsUnrouted` is
  /// true, a message counts as delivered although the broker has no subscriber for it; it is then lost.
  public init(
    _ broker: MQTTBroker, deviceID: String, trackerID: String?, isNewestOnly: Bool, acceptsUnrouted: Bool,
    loop: EventLoop, utc: (() -> Timestamp)? = nil
  ) {
    self.broker = broker
    self.deviceID = deviceID
    self.trackerID = trackerID
    self.isNewestOnly = isNewestOnly
    self.acceptsUnrouted = acceptsUnrouted
    self.loop = loop
    self.utc = utc ?? loop.clock.timestamp
  }

  deinit { session?.close() }

  public var takesEvents: Bool { false }

  /// No batch is exempt: a message is one record in a fixed format, so a new configuration never changes a batch.
  public var cut: BatchCut { BatchCut() }

  public func rendered(_ records: [StoredRecord], of range: BatchRange) -> RenderedBatch {
    for stored in records.reversed() {
      guard let message = OwnTracksMessage(stored.record) else { continue }
      var text: [UInt8] = []
      message.append(to: &text, trackerID: trackerID)
      return RenderedBatch(count: 1, bytes: text, records: [stored.record])
    }
    return RenderedBatch(count: 0, bytes: [])
  }

  public func send(
    _ batch: OutgoingBatch, completion: @escaping (Verdict, _ answer: [UInt8]) -> Void
  ) {
    spent = nil
    if let flood {
      self.flood = nil
      return completion(.refused(Refusal(flood)), [])
    }
    guard let topic = topic(of: batch.batch.records.last) else {
      let reason = "\(broker.displayURL): the topic requires a device_id; set device_id"
      return completion(.refused(Refusal(.configuration, reason: reason)), [])
    }
    let message = MQTTMessage(topic: topic, payload: batch.batch.bytes, isRetained: isNewestOnly)
    // A changed device id changes the topic of the will, too.
    if session != nil, topic != willTopic { leave() }
    attempt = (message, batch.keepsConnection, completion)
    if let session {
      if isConnected { session.publish(message) }
      return
    }
    connect(topic)
  }

  private func connect(_ topic: String) {
    willTopic = topic
    do throws(MQTTFailure) {
      session = try NegotiatedSession(broker, known: version, will: will(topic), loop: loop) {
        [weak self] in self?.handle($0)
      }
    } catch {
      finish(.refused(Refusal(error)))
    }
  }

  private func topic(of record: LogRecord?) -> String? {
    guard case .location(let location)? = record?.body else { return nil }
    return OwnTracksMessage.topic(deviceID: location.deviceID.isEmpty ? deviceID : location.deviceID)
  }

  /// Returns the will that the broker publishes after a lost connection (owntracks.org/booklet/tech/json, `_type=lwt`).
  private func will(_ topic: String) -> MQTTMessage {
    let seconds = utc().milliseconds / 1000
    return MQTTMessage(
      topic: topic, payload: Array(#"{"_type":"lwt","tst":\#(seconds)}"#.utf8), isRetained: false)
  }

  private func handle(_ event: MQTTSession.Event) {
    switch event {
    case .connected:
      isConnected = true
      version = session?.version
      if let message = attempt?.message { session?.publish(message) }
    case .published:
      if attempt?.keepsConnection == false { leave() }
      finish(.accepted)
    case .unrouted:
      guard let message = attempt?.message else { return }
      if attempt?.keepsConnection == false { leave() }
      guard !message.isRetained, !acceptsUnrouted else { return finish(.accepted) }
      let reason =
        "\(broker.displayURL): the broker has no subscriber for \(message.topic); start the subscriber or set "
        + "accept_unrouted"
      finish(.refused(Refusal(.unrouted, reason: reason)))
    case .refused(let failure): finish(.refused(Refusal(failure)))
    case .ended(let failure):
      isConnected = false
      spent = session
      session = nil
      if attempt == nil, case .flooded = failure { flood = failure }
      finish(.refused(Refusal(failure)))
    }
  }

  private func finish(_ verdict: Verdict) {
    guard let completion = attempt?.completion else { return }
    attempt = nil
    completion(verdict, [])
  }

  private func leave() {
    session?.close()
    spent = session
    session = nil
    isConnected = false
  }

  public func abandon() {
    attempt = nil
    // The acknowledgement of this message would be taken for that of the next attempt.
    leave()
  }

  public func stop() {
    attempt = nil
    leave()
    spent = nil
  }
}

extension Refusal {
  init(_ failure: MQTTFailure) {
    let kind: Kind =
      switch failure {
      case .nameNotResolved, .unreachable, .tls, .versionRefused: .unreachable
      case .notAdmitted, .topicRefused: .credentials
      case .messageRefused: .content
      case .busy, .flooded: .busy
      case .interrupted: .outcomeUnknown
      case .invalid: .configuration
      }
    self.init(kind, reason: failure.description)
  }
}
