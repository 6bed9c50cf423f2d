import Testing
@testable import GNSSProtocol

@Suite struct DecodeStatisticsTests {
  @Test func everyKindAndTalkerIsCountedSeparately() {
    var statistics = DecodeStatistics()
    for kind in MessageKind.allCases {
      statistics.record(kind)
      let counted = MessageKind.allCases.filter { statistics.count(of: $0) == 1 }
      #expect(counted.last == kind && counted.count == Int(kind.rawValue) + 1)
    }
    for talker in Talker.allCases {
      #expect(statistics.count(of: talker) == 0)
      statistics.record(.rmc, talker)
      #expect(statistics.count(of: talker) == 1)
    }
    #expect(statistics.count(of: .rmc) == 1 + UInt64(Talker.allCases.count))
  }
}
