import Quantities
import Testing
import GNSSProtocol
import GNSSReceiver
import Scheduling

@Suite struct StartCostTests {
  @Test(arguments: [
    (Duration.seconds(-1), OffTime.unknown), (.zero, .underTenMinutes), (.seconds(599), .underTenMinutes),
    (.seconds(600), .underHalfAnHour), (.seconds(1800), .underTwoHours), (.seconds(7199), .underTwoHours),
    (.seconds(7200), .underFourHours), (.seconds(14_399), .underFourHours), (.seconds(14_400), .longer),
    (.seconds(Int64.max), .longer),
  ]) func theTimeOffIsAssignedToItsStep(asleep: Duration, expected: OffTime) {
    #expect(OffTime(asleep) == expected)
  }

  @Test func everyFamilyStartsWithItsDataSheetValues() {
    for family in ReceiverFamily.allCases {
      let cost = StartCost(family: family)
      let times = StartKind.allCases.map { cost.expected($0, asleep: .seconds(60)) }
      #expect(times[0] <= .seconds(2) && times[1] >= .seconds(20) && times[2] > times[1])
      for kind in StartKind.allCases {
        #expect(cost.cautious(kind, asleep: nil) >= cost.expected(kind, asleep: nil) + .seconds(1))
      }
    }
  }

  @Test func aPoorAntennaIsLearnedWithinAFewStarts() {
    var cost = StartCost(family: .ubloxKeys)
    for _ in 0..<8 { cost.learn(.hot, asleep: .seconds(300), timeToFirstFix: .seconds(6)) }
    let expected = cost.expected(.hot, asleep: .seconds(300))
    #expect(expected > .milliseconds(5200) && expected <= .seconds(6))
    // An off time without data uses the others of its kind; another kind does not change.
    #expect(cost.expected(.hot, asleep: .seconds(1000)) == expected)
    #expect(cost.expected(.warm, asleep: .seconds(300)) == .seconds(25))
    for _ in 0..<60 { cost.learn(.hot, asleep: .seconds(300), timeToFirstFix: .seconds(6)) }
    #expect(cost.cautious(.hot, asleep: .seconds(300)) < .milliseconds(6100))
  }

  @Test func aVeryLongStartCountsAsFiveMinutes() {
    var cost = StartCost(family: .casic)
    cost.learn(.warm, asleep: nil, timeToFirstFix: .seconds(Int64.max))
    #expect(cost.expected(.warm, asleep: nil) == .seconds(28 + (300 - 28) / 2))
    cost.learn(.warm, asleep: nil, timeToFirstFix: .seconds(Int64.min))
    #expect(cost.expected(.warm, asleep: nil) < .seconds(150))
  }

  @Test func theReceiverWakesEarlierByTheCautiousTime() {
    let cost = StartCost(family: .ubloxKeys)
    func wake(_ asleep: Int64?, kind: StartKind? = nil) -> Int64 {
      let since = asleep.map { Moment.zero + .seconds(100_000 - $0) }
      let wake = cost.wakeMoment(forFixAt: .zero + .seconds(100_000), asleepSince: since, kind: kind)
      return (Moment.zero + .seconds(100_000) - wake).wholeMilliseconds
    }
    #expect(wake(600) == 2000)
    #expect(wake(3 * 3600) == 2000 && wake(3 * 3600 + 60) == 35_000 && wake(nil) == 36_400)
    #expect(wake(600, kind: .warm) == 35_000)
    // Not before the receiver fell asleep, and never after the planned time.
    #expect(wake(1) == 1000 && wake(-5) == 0)
    #expect(
      cost.wakeMoment(forFixAt: Moment(nanoseconds: .min), asleepSince: nil) == Moment(nanoseconds: .min))
  }

  @Test(arguments: 0..<20 as Range<UInt64>) func learnedValuesSurviveTheirText(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var cost = StartCost(family: ReceiverFamily.allCases.randomElement(using: &random) ?? .unknown)
    for _ in 0..<Int.random(in: 0..<300, using: &random) {
      cost.learn(
        StartKind.allCases.randomElement(using: &random) ?? .hot,
        asleep: Bool.random(using: &random) ? nil : .seconds(Int64.random(in: -5..<30_000, using: &random)),
        timeToFirstFix: .milliseconds(Int64.random(in: -5...400_000, using: &random)))
    }
    #expect(cost.text.utf8.count < 800 && StartCost(text: cost.text) == cost)
  }

  @Test(arguments: [
    "", "1", "2 casic", "1 nobody", "1 casic ", "1 casic hot", "1 casic hot.0=1/2", "1 casic hot.9=1/2/3",
    "1 casic hot.0=-1/2/3", "1 casic hot.0=1/2/0", "1 casic hot.0=300001/2/3",
    "1 casic hot.0=1/2/3 hot.0=1/2/3",
    "1 casic hot.99999999999999999999=1/2/3", "1 casic hot.0=99999999999999999999/2/3", "1 casic =//",
    "1 casic .=",
    "1 casic hot.0=1/300001/3", "1 casic hot.0=1/2/1001",
    "1 casic hot.0=nan/2/3", "\u{0}", "1 casic " + String(repeating: "x", count: 100_000),
  ]) func anyOtherTextIsRejected(text: String) {
    #expect(StartCost(text: text) == nil)
  }

  @Test(arguments: 0..<10 as Range<UInt64>) func damagedTextIsSafe(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let usual = Array("0123456789./=- ".utf8)
    var readable = 0
    for _ in 0..<500 {
      var bytes = Array("1 casic hot.0=1500/700/12 warm.4=28000/9000/1000 cold.5=300000/0/1".utf8)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] =
          Bool.random(using: &random)
          ? UInt8.random(in: 0...255, using: &random) : usual.randomElement(using: &random) ?? 0
      }
      guard let cost = StartCost(text: String(decoding: bytes, as: UTF8.self)) else { continue }
      readable += 1
      for kind in StartKind.allCases {
        #expect(cost.cautious(kind, asleep: .seconds(100)) <= .seconds(600))
        #expect(cost.expected(kind, asleep: nil) >= .zero)
      }
    }
    #expect(readable > 0)
  }
}
