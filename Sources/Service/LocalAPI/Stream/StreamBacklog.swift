/// The messages that clients of the stream have not taken yet: one copy of each for all clients. Decides which messages are
/// dropped for a slow client.
struct StreamBacklog {
  /// The most clients at a time.
  static let clientLimit = 4
  /// The most bytes that wait for one client. A larger message waits alone.
  static let unsentLimit = 16_384

  /// The number of a client, reused after its end.
  typealias Slot = Int

  /// What a client sends next.
  enum Step: Equatable {
    case message([UInt8], id: Int64?)
    /// Messages were dropped. The events after a record's ID are in the log; nil if no event was among them.
    case lagged(eventsAfter: Int64?)
    case nothing
  }

  private struct Client {
    var topics: StreamTopics
    var unsent = 0
    var isLagged = false
    /// The last event that was sent, or that precedes the first dropped one.
    var lastEvent: Int64?
    var hasDroppedEvent = false
  }

  private struct Message {
    var bytes: [UInt8]
    var id: Int64?
    /// The clients that have not taken it, one bit for each slot.
    var pending: UInt8
  }

  private var clients = [Client?](repeating: nil, count: Self.clientLimit)
  private var messages: [Message] = []

  var isEmpty: Bool { clients.allSatisfy { $0 == nil } }

  /// The topics that at least one client requests.
  var topics: StreamTopics { clients.reduce([]) { $0.union($1?.topics ?? []) } }

  /// The bytes of all messages that wait.
  var size: Int { messages.reduce(0) { $0 + $1.bytes.count } }

  /// Adds a client that gets the messages from now on; nil if there are ``clientLimit`` clients.
  mutating func add(_ topics: StreamTopics, lastEvent: Int64?) -> Slot? {
    guard let slot = clients.firstIndex(where: { $0 == nil }) else { return nil }
    clients[slot] = Client(topics: topics, lastEvent: lastEvent)
    return slot
  }

  mutating func remove(_ slot: Slot) {
    dropMessages(for: slot)
    clients[slot] = nil
  }

  /// Notes that a client was sent an event from the log, so that it does not get it twice.
  mutating func sent(event id: Int64, to slot: Slot) { clients[slot]?.lastEvent = id }

  /// Adds a message. Returns the clients that have something to send.
  mutating func add(_ event: StreamEvent) -> [Slot] {
    let bytes = event.rendered
    var pending: UInt8 = 0
    var ready: [Slot] = []
    for slot in clients.indices {
      guard var client = clients[slot], client.topics.isSuperset(of: event.topic) else { continue }
      ready.append(slot)
      if client.isLagged || client.unsent > 0 && client.unsent + bytes.count > Self.unsentLimit {
        let dropped = messages.first { $0.pending & 1 << slot != 0 && $0.id != nil }?.id ?? event.id
        if let dropped, !client.hasDroppedEvent {
          client.hasDroppedEvent = true
          client.lastEvent = client.lastEvent ?? dropped - 1
        }
        client.isLagged = true
        client.unsent = 0
        dropMessages(for: slot)
      } else {
        client.unsent += bytes.count
        pending |= 1 << slot
      }
      clients[slot] = client
    }
    if pending != 0 { messages.append(Message(bytes: bytes, id: event.id, pending: pending)) }
    return ready
  }

  /// Removes and returns what a client sends next.
  mutating func next(for slot: Slot) -> Step {
    guard var client = clients[slot] else { return .nothing }
    defer { clients[slot] = client }
    if client.isLagged {
      let position = client.hasDroppedEvent ? client.lastEvent : nil
      client.isLagged = false
      client.hasDroppedEvent = false
      return .lagged(eventsAfter: position)
    }
    while let place = messages.firstIndex(where: { $0.pending & 1 << slot != 0 }) {
      let message = messages[place]
      messages[place].pending &= ~(1 << slot)
      if messages[place].pending == 0 { messages.remove(at: place) }
      client.unsent -= message.bytes.count
      if let id = message.id {
        // It was read from the log already.
        if let last = client.lastEvent, id <= last { continue }
        client.lastEvent = id
      }
      return .message(message.bytes, id: message.id)
    }
    return .nothing
  }

  private mutating func dropMessages(for slot: Slot) {
    for place in messages.indices { messages[place].pending &= ~(1 << slot) }
    messages.removeAll { $0.pending == 0 }
  }
}
