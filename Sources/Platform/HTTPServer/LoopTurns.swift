/// Admits one client per turn of the loop, in round robin, so the delay of the loop does not depend on their number.
struct LoopTurns<Client: Hashable> {
  private var waiting: [Client] = []
  private var called: Client?
  private var spent: UInt64?

  /// True if a client must be called in a later turn.
  var hasWaiting: Bool { !waiting.isEmpty }

  /// Returns true if `client` is served now; otherwise it waits until it is called.
  mutating func admits(_ client: Client, turn: UInt64) -> Bool {
    let isCalled = called == client
    if isCalled { called = nil }
    guard spent == turn || !isCalled && (called != nil || !waiting.isEmpty) else {
      spent = turn
      return true
    }
    // A client that was called keeps its position.
    waiting.insert(client, at: isCalled ? 0 : waiting.endIndex)
    return false
  }

  /// Removes and returns the next waiting client; nil if there is none or if this turn has served one.
  ///
  /// A client that was called before but requested nothing loses its turn.
  mutating func call(turn: UInt64) -> Client? {
    guard spent != turn else { return nil }
    called = waiting.isEmpty ? nil : waiting.removeFirst()
    return called
  }

  /// Removes and returns all waiting clients.
  mutating func callAll() -> [Client] {
    defer { waiting = [] }
    return waiting
  }

  /// Removes a client that has ended.
  mutating func remove(_ client: Client) {
    waiting.removeAll { $0 == client }
    if called == client { called = nil }
  }
}
