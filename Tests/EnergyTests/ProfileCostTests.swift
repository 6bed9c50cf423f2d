import Quantities
import Testing

@testable import Energy

/// The cost of the usage profiles by the currents of a board.
@Suite struct ProfileCostTests {
  /// The currents of a NEO-M8N, as in docs/energy-study.md.
  static func board(without left: ReceiverState? = nil) -> BoardCurrents {
    var board = BoardCurrents(supply: SupplyRail(volts: 3))
    for (state, current) in [
      (ReceiverState.searching, 31.0), (.tracking, 28), (.cyclic, 10), (.backup, 0.015),
    ]
    where state != left {
      board.set(.receiver(state), milliamperes: current, volts: 3)
    }
    return board
  }

  static let costs: [(profile: UsageProfile?, charge: Double)] = [
    (nil, 672), (.highResolution, 672), (.batterySaving, 7.8), (.significantOnly, 6.8),
  ]
  @Test(arguments: costs) func theStudiedBoardHasTheStudiedCost(profile: UsageProfile?, charge: Double) throws
  {
    let cost = ProfileCost(profile, Self.board())
    let receiver = try #require(cost.receiver)
    #expect(abs(receiver - charge) < 0.05 && cost.missing.isEmpty)
  }

  static let all: [UsageProfile?] = [nil] + UsageProfile.allCases

  @Test(arguments: all)
  func theHoursOfAProfileAreADay(profile: UsageProfile?) {
    #expect(abs(ProfileCost.hours(profile).reduce(0) { $0 + $1.hours } - 24) < 1e-9)
  }

  static let gaps: [(without: ReceiverState, profile: UsageProfile?, isKnown: Bool)] = [
    (.tracking, nil, false), (.backup, nil, true), (.backup, .batterySaving, false),
    (.searching, .significantOnly, false), (.cyclic, .batterySaving, true),
  ]
  @Test(arguments: gaps)
  func aMissingCurrentLeavesTheCostUnknown(without: ReceiverState, profile: UsageProfile?, isKnown: Bool) {
    let cost = ProfileCost(profile, Self.board(without: without))
    #expect((cost.receiver != nil) == isKnown && cost.missing == (isKnown ? [] : [without]))
  }

  @Test func theOtherConsumersAreThoseOfTheLedger() {
    var account = ChargeAccount(start: nil, supplyVolts: 5)
    account.duration = .seconds(43_200)
    account.entries[.hostBase, default: .init()].charge = Charge(milliampereHours: 600)
    account.entries[.receiver(.tracking), default: .init()].charge = Charge(milliampereHours: 300)
    #expect(account.othersPerDay == 1200)
    account.duration = .seconds(3599)
    #expect(account.othersPerDay == nil)
  }
}
