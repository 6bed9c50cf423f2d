import Quantities
import Testing

@Suite struct BackoffTests {
  private static func delays(_ backoff: Backoff, count: Int) -> [Duration] {
    var backoff = backoff
    return (0..<count).map { _ in backoff.next() }
  }

  @Test func delaysDoubleUpToTheLongest() {
    let backoff = Backoff(from: .seconds(1), upTo: .seconds(5))
    #expect(Self.delays(backoff, count: 5) == [1, 2, 4, 5, 5].map { .seconds($0) })
    #expect(backoff.upcoming == .seconds(1))
  }

  @Test func theLastListedDelayIsRepeated() {
    let backoff = Backoff([.zero, .seconds(30), .seconds(120)])
    #expect(Self.delays(backoff, count: 5) == [0, 30, 120, 120, 120].map { .seconds($0) })
  }

  @Test(arguments: [Backoff(from: .seconds(2), upTo: .seconds(60)), Backoff([.seconds(2), .seconds(9)])])
  func aSuccessBeginsAnew(_ backoff: Backoff) {
    var used = backoff
    for _ in 0..<10 { _ = used.next() }
    used.reset()
    #expect(used == backoff && used.next() == .seconds(2))
  }

  @Test func unusualLimitsDoNotTrap() {
    #expect(Self.delays(Backoff([]), count: 2) == [.zero, .zero])
    #expect(
      Self.delays(Backoff(from: .seconds(9), upTo: .seconds(5)), count: 2) == [.seconds(5), .seconds(5)])
    let endless = Backoff(from: .seconds(1 << 40), upTo: .seconds(1 << 62))
    #expect(Self.delays(endless, count: 40).last == .seconds(1 << 62))
  }
}
