import EventLoop
import Formats
import MQTTClient
import Quantities
import Records

/// Sends records to an MQTT broker, one OwnTracks message per record. A record is delivered once the broker has
/// acknowledged it and all records before it.
public final class MQTTTransport: BatchTransport {
  private let broker: MQTTBroker
  private let trackerID: String?
  public let isNewestOnly: Bool
  private let acceptsUnrouted: Bool
  /// The maximum number of messages without an acknowledgement.
  private let inFlight: Int
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
  private var attempt: Attempt?
  /// The failure if the broker was disconnected for flooding while no message was being sent. The next attempt reports
  /// it and backs off.
  private var flood: MQTTFailure?
  /// A session that ended within its own callback. It is released later, after the callback has returned.
  private var spent: NegotiatedSession?

  private struct Attempt {
    let batch: OutgoingBatch
    let completion: (Verdict, [UInt8]) -> Void
    var window: MessageWindow
  }

  /// Creates a transport.
  ///
  /// If `isNewestOnly` is true, the broker retains the last message for later subscribers. If `acceptsUnrouted` is
  /// true, a message counts as delivered although the broker has no subscriber for it; it is then lost. At most
  /// `inFlight` messages wait for their acknowledgement, or fewer if the broker requires that.
  public init(
    _ broker: MQTTBroker, deviceID: String, trackerID: String?, isNewestOnly: Bool, acceptsUnrouted: Bool,
    inFlight: Int, loop: EventLoop, utc: (() -> Timestamp)? = nil
  ) {
    self.broker = broker
    self.deviceID = deviceID
    self.trackerID = trackerID
    self.isNewestOnly = isNewestOnly
    self.acceptsUnrouted = acceptsUnrouted
    self.inFlight = inFlight
    self.loop = loop
    self.utc = utc ?? loop.clock.timestamp
  }

  deinit { session?.close() }

  public var takesEvents: Bool { false }

  /// No batch is exempt: a message is one record in a fixed format, so a new configuration never changes a batch.
  public var cut: BatchCut { BatchCut() }

  public func rendered(_ records: [StoredRecord], of range: BatchRange) -> RenderedBatch {
    var rendered = RenderedBatch(count: 0, bytes: [])
    for stored in isNewestOnly ? records.reversed() : records {
      guard let message = OwnTracksMessage(stored.record) else { continue }
      let start = rendered.bytes.count
      message.append(to: &rendered.bytes, trackerID: trackerID)
      rendered.records.append(stored.record)
      rendered.messages.append(RenderedBatch.Message(id: stored.id, range: start..<rendered.bytes.count))
      if isNewestOnly { break }
    }
    rendered.count = rendered.messages.count
    return rendered
  }

  public func send(
    _ batch: OutgoingBatch, completion: @escaping (Verdict, _ answer: [UInt8]) -> Void
  ) {
    spent = nil
    if let flood {
      self.flood = nil
      return completion(.refused(Refusal(flood)), [])
    }
    attempt = Attempt(
      batch: batch, completion: completion, window: MessageWindow(count: batch.batch.messages.count))
    publish()
  }

  /// Publishes the next messages as far as the window has room. Connects first if there is no connection.
  private func publish() {
    while let current = attempt, let index = current.window.next(limit: limit) {
      guard let message = message(index, of: current.batch.batch) else {
        let reason = "\(broker.displayURL): the topic requires a device_id; set device_id"
        return finish(.refused(Refusal(.configuration, reason: reason)))
      }
      guard let session else { return connect(message.topic) }
      if message.topic != willTopic {
        // A changed device id changes the topic of the will, too.
        guard current.window.isEmpty else { return }
        leave()
        return connect(message.topic)
      }
      guard isConnected, let number = session.publish(message) else { return }
      attempt?.window.publish(as: number)
    }
  }

  private var limit: Int { min(inFlight, session?.receiveMaximum ?? 1) }

  private func message(_ index: Int, of batch: RenderedBatch) -> MQTTMessage? {
    topic(of: batch.records[index]).map {
      MQTTMessage(
        topic: $0, payload: Array(batch.bytes[batch.messages[index].range]), isRetained: isNewestOnly)
    }
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

  private func topic(of record: LogRecord) -> String? {
    guard case .location(let location) = record.body else { return nil }
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
      publish()
    case .published(let number): acknowledge(number)
    case .unrouted(let number):
      guard let current = attempt, let index = current.window.message(number),
        let message = message(index, of: current.batch.batch)
      else { return }
      guard !message.isRetained, !acceptsUnrouted else { return acknowledge(number) }
      if !current.batch.keepsConnection { leave() }
      let reason =
        "\(broker.displayURL): the broker has no subscriber for \(message.topic); start the subscriber or set "
        + "accept_unrouted"
      finish(.refused(Refusal(.unrouted, reason: reason)))
    case .refused(let number, let failure):
      if attempt?.window.message(number) != nil { finish(.refused(Refusal(failure))) }
    case .ended(let failure):
      isConnected = false
      spent = session
      session = nil
      if attempt == nil, case .flooded = failure { flood = failure }
      finish(.refused(Refusal(failure)))
    }
  }

  private func acknowledge(_ number: Int32) {
    guard attempt?.window.acknowledge(number) == true, let current = attempt else { return publish() }
    guard !current.window.isComplete else {
      if !current.batch.keepsConnection { leave() }
      return finish(.accepted)
    }
    current.batch.onProgress(current.window.confirmed)
    publish()
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
    // The broker does not respond, or messages of this attempt would still occupy the window.
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
