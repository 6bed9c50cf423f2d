import EventLoop
import Formats
import MQTTClient
import Quantities
import Records

/// Sends records to an MQTT broker, one OwnTracks message per record. A record is delivered once the broker has
/// acknowledged it and all records before it.
///
/// Locations are published to the topic of the device, and entries and exits of zones to its subtopic `event`. Commands
/// are received on the subtopic `cmd`, in a session that the broker keeps for the next connection.
public final class MQTTTransport: BatchTransport {
  private let broker: MQTTBroker
  private let trackerID: String?
  public let isNewestOnly: Bool
  private let acceptsUnrouted: Bool
  /// The maximum number of messages without an acknowledgement.
  private let inFlight: Int
  /// The device id for the topic of records that have none.
  private let deviceID: String
  private let commands: CommandChannel?
  private let loop: EventLoop
  private let utc: () -> Timestamp
  private var connection = Connection()
  /// What the connections so far show about the MQTT version of the broker.
  private var memory = VersionMemory()
  /// True if the last location had a subscriber; nil before the first acknowledgement.
  private var hasSubscriber: Bool?
  private var attempt: Attempt?
  /// The failure if the broker was disconnected for flooding while no message was being sent. The next attempt reports
  /// it and backs off.
  private var flood: MQTTFailure?
  private var erasure: Erasure?
  /// Called when a retained message is sent and when it is acknowledged; set by the owner.
  public var onRetained: (RetainedMessageEvent) -> Void = { _ in }

  private static let commandSuffix = "/cmd"

  private struct Connection {
    private(set) var session: NegotiatedSession?
    var isOpen = false
    /// The topic of the locations, on which the will is published.
    private(set) var topic = ""
    /// A session that ended within its own callback. It is released later, after the callback has returned.
    private var spent: NegotiatedSession?

    mutating func begin(_ session: NegotiatedSession, topic: String) {
      (self.session, self.topic) = (session, topic)
    }

    mutating func ended() { (spent, session, isOpen) = (session, nil, false) }
    mutating func release() { spent = nil }
  }

  /// The removal of retained messages at the broker.
  private struct Erasure {
    var topics: [String]
    /// The topics whose removal is not acknowledged, by the numbers of the messages.
    var inFlight: [Int32: String] = [:]
    let completion: (_ isDone: Bool) -> Void
  }

  private struct Attempt {
    let batch: OutgoingBatch
    let completion: (Verdict, [UInt8]) -> Void
    var window: MessageWindow
    /// The entries and exits of zones without a subscriber. A location shows if there is any subscriber.
    var doubtful: [Int32] = []
  }

  /// Creates a transport.
  ///
  /// If `isNewestOnly` is true, the broker retains the last message for later subscribers. If `acceptsUnrouted` is
  /// true, a message counts as delivered although the broker has no subscriber for it; it is then lost. At most
  /// `inFlight` messages wait for their acknowledgement, or fewer if the broker requires that. `commands` gets the
  /// commands of servers; nil if they are not permitted.
  public init(
    _ broker: MQTTBroker, deviceID: String, trackerID: String?, isNewestOnly: Bool, acceptsUnrouted: Bool,
    inFlight: Int, loop: EventLoop, commands: CommandChannel? = nil, utc: (() -> Timestamp)? = nil
  ) {
    self.commands = commands
    self.broker = broker
    self.deviceID = deviceID
    self.trackerID = trackerID
    self.isNewestOnly = isNewestOnly
    self.acceptsUnrouted = acceptsUnrouted
    self.inFlight = inFlight
    self.loop = loop
    self.utc = utc ?? loop.clock.timestamp
  }

  deinit { connection.session?.close() }

  public var events: EventSelection { .zones }

  /// No batch is exempt: a message is one record in a fixed format, so a new configuration never changes a batch.
  public var cut: BatchCut { BatchCut() }

  public func rendered(_ records: [StoredRecord], of range: BatchRange) -> RenderedBatch {
    RenderedBatch(
      ownTracks: records, isNewestOnly: isNewestOnly, trackerID: trackerID, deviceID: deviceID,
      isAnswer: commands?.isAnswer)
  }

  public func send(
    _ batch: OutgoingBatch, completion: @escaping (Verdict, _ answer: [UInt8]) -> Void
  ) {
    connection.release()
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
      let record = current.batch.batch.records[index]
      guard let topic = topic(of: record), let message = message(index, of: current.batch.batch) else {
        let reason = "\(broker.displayURL): the topic requires a device_id; set device_id"
        return finish(.refused(Refusal(.configuration, reason: reason)))
      }
      guard let session = connection.session else { return connect(topic) }
      if topic != connection.topic {
        // A changed device id changes the topic of the will, too.
        guard current.window.isEmpty else { return }
        leave()
        return connect(topic)
      }
      guard connection.isOpen, let number = session.publish(message) else { return }
      attempt?.window.publish(as: number)
      if message.isRetained, case .location(let location) = record.body {
        onRetained(.sending(location, at: record.time, topic: message.topic))
      }
    }
  }

  private var limit: Int { min(inFlight, connection.session?.receiveMaximum ?? 1) }

  private func message(_ index: Int, of batch: RenderedBatch) -> MQTTMessage? {
    let isLocation = batch.records[index].isLocation
    return topic(of: batch.records[index]).map {
      MQTTMessage(
        topic: isLocation ? $0 : $0 + OwnTracksTransition.topicSuffix,
        payload: Array(batch.bytes[batch.messages[index].range]), isRetained: isLocation && isNewestOnly)
    }
  }

  private func connect(_ topic: String) {
    do throws(MQTTFailure) {
      let session = try NegotiatedSession(
        broker, memory: memory, will: will(topic),
        subscription: commands.map { _ in topic + Self.commandSuffix },
        loop: loop
      ) { [weak self] in self?.handle($0) }
      connection.begin(session, topic: topic)
    } catch {
      endErasure(isDone: false)
      finish(.refused(Refusal(error)))
    }
  }

  /// The topic of the device at the time of a record; nil without a device id.
  private func topic(of record: LogRecord) -> String? {
    guard case .location(let location) = record.body, !location.deviceID.isEmpty else {
      return OwnTracksMessage.topic(deviceID: deviceID)
    }
    return OwnTracksMessage.topic(deviceID: location.deviceID)
  }

  /// Returns the will that the broker publishes after a lost connection (owntracks.org/booklet/tech/json, `_type=lwt`).
  private func will(_ topic: String) -> MQTTMessage {
    let seconds = utc().milliseconds / 1000
    return MQTTMessage(
      topic: topic, payload: Array(#"{"_type":"lwt","tst":\#(seconds)}"#.utf8), isRetained: false)
  }

  private func handle(_ event: MQTTSession.Event) {
    if let session = connection.session { memory = session.memory }
    switch event {
    case .connected:
      connection.isOpen = true
      publishErasure()
      publish()
    case .published(let number), .unrouted(let number):
      guard !handleErased(number) else { return }
      if case .unrouted = event { return handleUnrouted(number) }
      if isLocation(number) { hasSubscriber = true }
      acknowledge(number)
      takeDoubtful()
    case .received(let message):
      // A retained command would be repeated at every connection.
      if !message.isRetained, message.topic == connection.topic + Self.commandSuffix {
        commands?.handle(message.payload)
      }
    case .notSubscribed(let reason): commands?.rejected(reason)
    case .refused(let number, let failure):
      if erasure?.inFlight[number] != nil { endErasure(isDone: false) }
      if attempt?.window.message(number) != nil { finish(.refused(Refusal(failure))) }
    case .ended(let failure):
      connection.ended()
      if attempt == nil, case .flooded = failure { flood = failure }
      endErasure(isDone: false)
      finish(.refused(Refusal(failure)))
    }
  }

  private func handleUnrouted(_ number: Int32) {
    guard let current = attempt, let index = current.window.message(number),
      let message = message(index, of: current.batch.batch)
    else { return }
    guard !message.isRetained, !acceptsUnrouted else { return acknowledge(number) }
    guard isLocation(number) else { return handleUnroutedTransition(number) }
    hasSubscriber = false
    refuseUnrouted(message.topic)
  }

  // MARK: Retained messages

  /// The topic of the locations of a device; nil without a device id.
  public static func topic(of deviceID: String) -> String? { OwnTracksMessage.topic(deviceID: deviceID) }

  /// The URL of the broker, without user and password.
  public var brokerURL: String { broker.displayURL }

  /// Lets the broker discard the retained messages of these topics, by an empty one. Connects if there is no connection.
  /// `completion` is called once, later, unless the transport is stopped.
  public func erase(_ topics: [String], completion: @escaping (_ isDone: Bool) -> Void) {
    guard erasure == nil, let topic = OwnTracksMessage.topic(deviceID: deviceID) ?? topics.first else {
      return completion(false)
    }
    connection.release()
    erasure = Erasure(topics: topics, completion: completion)
    if connection.isOpen { publishErasure() } else if connection.session == nil { connect(topic) }
  }

  /// Gives up the removal of retained messages.
  public func abandonErasure() {
    guard erasure != nil else { return }
    if attempt == nil { abandon() } else { endErasure(isDone: false) }
  }

  private func publishErasure() {
    guard let topics = erasure?.topics, let session = connection.session else { return }
    erasure?.topics = []
    for topic in topics {
      guard let number = session.publish(MQTTMessage(topic: topic, payload: [], isRetained: true)) else {
        return endErasure(isDone: false)
      }
      erasure?.inFlight[number] = topic
    }
  }

  /// Notes an acknowledged removal; returns false if the message is another one.
  private func handleErased(_ number: Int32) -> Bool {
    guard erasure?.inFlight.removeValue(forKey: number) != nil else { return false }
    if erasure?.inFlight.isEmpty == true {
      if attempt == nil { leave() }
      endErasure(isDone: true)
    }
    return true
  }

  private func endErasure(isDone: Bool) {
    guard let ended = erasure else { return }
    erasure = nil
    ended.completion(isDone)
  }

  private func isLocation(_ number: Int32) -> Bool {
    guard let current = attempt, let index = current.window.message(number) else { return false }
    return current.batch.batch.records[index].isLocation
  }

  /// Handles an entry or exit of a zone without a subscriber. It counts as delivered if the locations have one, because
  /// then nobody requests entries and exits; otherwise it waits for the acknowledgement of a location.
  private func handleUnroutedTransition(_ number: Int32) {
    guard !isNewestOnly, hasSubscriber != true else { return acknowledge(number) }
    attempt?.doubtful.append(number)
    publish()
    takeDoubtful()
  }

  /// Acknowledges the doubtful messages if the locations have a subscriber, or if none is left that could show it.
  private func takeDoubtful() {
    guard let current = attempt, !current.doubtful.isEmpty else { return }
    let isLast =
      current.window.inFlightCount == current.doubtful.count && current.window.next(limit: limit) == nil
    guard hasSubscriber == true || hasSubscriber == nil && isLast else {
      if isLast { refuseUnrouted(connection.topic) }
      return
    }
    attempt?.doubtful = []
    for number in current.doubtful { acknowledge(number) }
  }

  private func refuseUnrouted(_ topic: String) {
    if attempt?.batch.keepsConnection == false { leave() }
    let reason =
      "\(broker.displayURL): the broker has no subscriber for \(topic); start the subscriber or set "
      + "accept_unrouted"
    finish(.refused(Refusal(.unrouted, reason: reason)))
  }

  private func acknowledge(_ number: Int32) {
    noteStored(number)
    guard attempt?.window.acknowledge(number) == true, let current = attempt else { return publish() }
    guard !current.window.isComplete else {
      // An erasure in progress leaves at its end.
      if !current.batch.keepsConnection, erasure == nil { leave() }
      return finish(.accepted)
    }
    current.batch.onProgress(current.window.confirmed)
    publish()
  }

  private func noteStored(_ number: Int32) {
    guard let current = attempt, let index = current.window.message(number),
      let message = message(index, of: current.batch.batch), message.isRetained,
      case .location(let location) = current.batch.batch.records[index].body
    else { return }
    onRetained(.stored(location, topic: message.topic))
  }

  private func finish(_ verdict: Verdict) {
    guard let completion = attempt?.completion else { return }
    attempt = nil
    completion(verdict, [])
  }

  private func leave() {
    // The session may report its end meanwhile.
    connection.session?.close()
    connection.ended()
  }

  public func abandon() {
    attempt = nil
    // The broker does not respond, or messages of this attempt would still occupy the window.
    if let session = connection.session {
      session.giveUp()
      memory = session.memory
    }
    connection.ended()
    endErasure(isDone: false)
  }

  public func stop() {
    attempt = nil
    erasure = nil
    leave()
    connection.release()
  }
}

extension Refusal {
  init(_ failure: MQTTFailure) {
    let kind: Kind =
      switch failure {
      case .nameNotResolved, .unreachable, .tls, .versionRefused, .notAccepted,
        .crashed(_, _, wasConnected: false):
        .unreachable
      case .notAdmitted, .topicRefused: .credentials
      case .messageRefused: .content
      case .busy, .flooded, .faulty: .busy
      case .interrupted, .crashed: .outcomeUnknown
      case .invalid: .configuration
      }
    self.init(kind, reason: failure.description)
    // A broker reports its own faults in the same way.
    switch failure {
    case .messageRefused: mayBeServer = true
    case .nameNotResolved, .unreachable, .tls, .versionRefused, .notAccepted, .notAdmitted, .topicRefused,
      .busy, .flooded, .faulty, .interrupted, .crashed, .invalid:
      mayBeServer = false
    }
  }
}
