/// Whose turn it is among clients that all want something made: one in a turn of the loop, round robin, so that however
/// many there are, the loop is held up by one.
struct LoopTurns<Client: Hashable> {
  private var waiting: [Client] = []
  private var called: Client?
  private var spent: UInt64?

  /// True while one has to be called in a later turn.
  var hasWaiting: Bool { !waiting.isEmpty }

  /// True when `client` is served now; otherwise it waits until it is called.
  mutating func admits(_ client: Client, turn: UInt64) -> Bool {
    let isCalled = called == client
    if isCalled { called = nil }
    guard spent == turn || !isCalled && (called != nil || !waiting.isEmpty) else {
      spent = turn
      return true
    }
    // One that was called keeps its place.
    waiting.insert(client, at: isCalled ? 0 : waiting.endIndex)
    return false
  }

  /// Takes the one that comes next out of those that wait; nil when there is none, or this turn has served one.
  /// One that was called before and asked for nothing has lost its turn.
  mutating func call(turn: UInt64) -> Client? {
    guard spent != turn else { return nil }
    called = waiting.isEmpty ? nil : waiting.removeFirst()
    return called
  }

  /// Takes out all that wait.
  mutating func callAll() -> [Client] {
    defer { waiting = [] }
    return waiting
  }

  /// Forgets one that has ended.
  mutating func remove(_ client: Client) {
    waiting.removeAll { $0 == client }
    if called == client { called = nil }
  }
}
