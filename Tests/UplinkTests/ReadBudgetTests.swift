import Quantities
import Testing

@testable import MQTTClient

/// The limit of reads from a broker that sends without end.
@Suite struct ReadBudgetTests {
  private static func spent(_ budget: inout ReadBudget, at seconds: Int64) -> Int {
    var count = 0
    while count < 10_000, budget.spend(now: .zero + .seconds(seconds)) { count += 1 }
    return count
  }

  @Test func aFloodIsReadAtALimitedRate() {
    var budget = ReadBudget(now: .zero)
    #expect(Self.spent(&budget, at: 0) == ReadBudget.most)
    let paces = (1...100).map { Self.spent(&budget, at: $0) }
    #expect(paces == Array(repeating: ReadBudget.perSecond, count: 100))
    #expect(Self.spent(&budget, at: 10_000) == ReadBudget.most, "the budget is limited after a night")
  }

  @Test func everyPublishedMessageAllowsItsAcknowledgement() {
    var budget = ReadBudget(now: .zero)
    _ = Self.spent(&budget, at: 0)
    for _ in 0..<10 { budget.earn() }
    #expect(Self.spent(&budget, at: 0) == 10 * ReadBudget.perMessage)
    for _ in 0..<1000 { budget.earn() }
    #expect(Self.spent(&budget, at: 0) == ReadBudget.most)
  }

  @Test func aClockThatStopsOrStepsBackAllowsNothing() {
    var budget = ReadBudget(now: .zero + .seconds(100))
    _ = Self.spent(&budget, at: 100)
    #expect(Self.spent(&budget, at: 100) == 0 && Self.spent(&budget, at: 50) == 0)
  }
}
