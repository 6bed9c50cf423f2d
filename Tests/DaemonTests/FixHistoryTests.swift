import GNSSProtocol
import Quantities
import Records
import Testing
@testable import Daemon

/// The time without a fix, and the number of records by kind.
@Suite struct FixHistoryTests {
  private static func fix(_ kind: FixKind, used: UInt8? = nil) -> Fix {
    var fix = Fix()
    (fix.kind, fix.satellitesUsed) = (kind, used)
    return fix
  }

  private static func at(_ seconds: Int) -> Moment { .zero + .seconds(seconds) }

  @Test func timeWithoutFixCountsFromTheLastFix() {
    var history = FixHistory()
    #expect(history.timeWithoutFix(now: Self.at(5)) == nil)
    history.take(Self.fix(.none), now: Self.at(10))
    #expect(history.timeWithoutFix(now: Self.at(40)) == .seconds(30), "since the first epoch of the receiver")
    history.take(Self.fix(.threeDimensional, used: 9), now: Self.at(50))
    #expect(history.timeWithoutFix(now: Self.at(60)) == nil && history.last?.used == 9)
    history.take(Self.fix(.none), now: Self.at(51))
    history.take(Self.fix(.none), now: Self.at(95))
    #expect(history.timeWithoutFix(now: Self.at(95)) == .seconds(45))
  }
}
