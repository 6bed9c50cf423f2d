import Testing

@testable import HTTPServer

@Suite struct LoopTurnsTests {
  /// The turns of some clients, for use in expectations.
  private final class Turns {
    private var turns = LoopTurns<Int>()
    var hasWaiting: Bool { turns.hasWaiting }

    func admits(_ client: Int, turn: UInt64) -> Bool { turns.admits(client, turn: turn) }
    func call(turn: UInt64) -> Int? { turns.call(turn: turn) }
    func callAll() -> [Int] { turns.callAll() }
    func remove(_ client: Int) { turns.remove(client) }
  }

  @Test func aSingleClientIsServedInEveryTurn() {
    let turns = Turns()
    for turn: UInt64 in 1...5 {
      #expect(turns.admits(7, turn: turn))
      #expect(!turns.admits(7, turn: turn))
      #expect(turns.call(turn: turn) == nil)
      #expect(turns.call(turn: turn + 1) == 7)
    }
  }

  @Test func clientsAreServedInTheOrderOfTheirRequests() {
    let turns = Turns()
    var order: [Int] = []
    for client in 1...3 where turns.admits(client, turn: 0) { order.append(client) }
    for turn: UInt64 in 1...6 {
      let called = turns.call(turn: turn)
      // A new client does not overtake the one that was called.
      if turn == 2 { #expect(!turns.admits(9, turn: turn)) }
      guard let called else { continue }
      #expect(turns.admits(called, turn: turn))
      order.append(called)
      #expect(!turns.admits(called, turn: turn))
    }
    #expect(order == [1, 2, 3, 2, 9, 3, 2])
  }

  @Test func aClientCalledInASpentTurnKeepsItsPosition() {
    let turns = Turns()
    #expect(turns.admits(1, turn: 0))
    #expect(!turns.admits(2, turn: 0))
    #expect(!turns.admits(3, turn: 0))
    #expect(turns.call(turn: 1) == 2)
    #expect(turns.admits(2, turn: 1))
    #expect(turns.call(turn: 2) == 3)
    #expect(!turns.admits(2, turn: 2))
    #expect(turns.admits(3, turn: 2))
    #expect(turns.call(turn: 3) == 2)
  }

  @Test func aClientThatEndsOrRequestsNothingDelaysNoOther() {
    let turns = Turns()
    #expect(turns.admits(1, turn: 0))
    for client in 2...4 { #expect(!turns.admits(client, turn: 0)) }
    turns.remove(2)
    #expect(turns.call(turn: 1) == 3)
    #expect(turns.call(turn: 2) == 4)
    turns.remove(4)
    #expect(!turns.hasWaiting)
    #expect(turns.admits(5, turn: 2))
    #expect(turns.callAll() == [])
  }
}
