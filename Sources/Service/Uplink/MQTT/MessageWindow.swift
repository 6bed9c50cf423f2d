/// The messages of one attempt: which are published, and which the broker has acknowledged.
///
/// Messages are published in order. Acknowledgements may arrive in any order; only the unbroken run from the first
/// message on counts.
struct MessageWindow: Equatable, Sendable {
  /// The number of messages.
  let count: Int
  /// The length of the unbroken run of acknowledged messages.
  private(set) var confirmed = 0
  /// The next message to publish.
  private var next = 0
  /// The published messages without an acknowledgement, by their packet identifier.
  private var inFlight: [Int32: Int] = [:]
  /// The acknowledged messages after the run.
  private var ahead: Set<Int> = []

  init(count: Int) { self.count = count }

  var isComplete: Bool { confirmed == count }
  var isEmpty: Bool { inFlight.isEmpty }
  /// The number of published messages without an acknowledgement.
  var inFlightCount: Int { inFlight.count }

  /// The message to publish next; nil if there is none, or if `limit` messages are in flight.
  func next(limit: Int) -> Int? { next < count && inFlight.count < max(limit, 1) ? next : nil }

  /// Notes that the next message was published under a packet identifier.
  mutating func publish(as number: Int32) {
    inFlight[number] = next
    next += 1
  }

  /// The message of a packet identifier; nil for a message of an earlier attempt.
  func message(_ number: Int32) -> Int? { inFlight[number] }

  /// Notes an acknowledgement. Returns true if the run has grown.
  mutating func acknowledge(_ number: Int32) -> Bool {
    guard let index = inFlight.removeValue(forKey: number) else { return false }
    ahead.insert(index)
    let before = confirmed
    while ahead.remove(confirmed) != nil { confirmed += 1 }
    return confirmed > before
  }
}
