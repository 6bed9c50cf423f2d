import Chips
import Quantities
import Simulation
import Testing

/// The order in which the supply of the host is cut, with a simulated board.
@Suite struct PowerDownTests {
  static let hour = PowerDown.Request(
    time: .seconds(3600), cutAfter: .seconds(30), deadMan: .seconds(6 * 3600))

  @Test func anHourWithoutSupplyEndsWithTheAlarm() throws {
    let bench = WittyPi4Bench()
    #expect(bench.run(Self.hour) == .goDown(alarm: true))
    bench.pass(60)
    #expect(!bench.board.isHostPowered)
    bench.pass(3560)
    #expect(bench.board.isHostPowered)
    #expect(try bench.chip.startReason() == .alarm)
  }

  @Test func theDeadManTimerIsSetBeforeTheAlarmAndTheAlarmBeforeTheCut() {
    let bench = WittyPi4Bench()
    _ = bench.run(Self.hour)
    let order = [UInt8(49), 30, 35].map { register in bench.written.lastIndex(of: register) ?? -1 }
    #expect(order == order.sorted() && !order.contains(-1), "\(bench.written)")
  }

  /// Any number of transactions fails, from any of them on: the host is up, or something starts it.
  @Test func aBusThatFailsAtAnyTransactionStrandsNoHost() throws {
    var ends: [String: Int] = [:]
    for first in 0..<110 {
      for count in [1, 2, 3, 8, 40, 1000] {
        let bench = WittyPi4Bench()
        bench.board.faults = first % 2 == 0 ? [.neverRings] : []
        (bench.failsAfter, bench.failures) = (first, count)
        let request = PowerDown.Request(
          time: .seconds(600), cutAfter: .seconds(30), deadMan: .seconds(3600))
        let action = bench.run(request)
        (bench.failsAfter, bench.failures) = (nil, 0)
        switch action {
        case .goDown: ends["down", default: 0] += 1
        case .stayUp: ends["up", default: 0] += 1
        default: Issue.record("\(first), \(count): \(String(describing: action))")
        }
        bench.pass(60)
        switch action {
        case .goDown: #expect(!bench.board.isHostPowered)
        case .stayUp(.mayBeCut): ends["in doubt", default: 0] += 1
        default: #expect(bench.board.isHostPowered, "\(first), \(count): cut without a word")
        }
        bench.pass(3700)
        #expect(bench.board.isHostPowered, "\(first), \(count): \(String(describing: action))")
      }
    }
    #expect(ends["down", default: 0] > 50 && ends["up", default: 0] > 50, "\(ends)")
  }

  @Test func aBoardWhoseClockStandsKeepsTheHostUp() {
    let bench = WittyPi4Bench()
    bench.board.faults = [.stopsClock]
    guard case .stayUp(.clockStands) = bench.run(Self.hour) else {
      Issue.record("no refusal")
      return
    }
    bench.pass(86_400)
    #expect(bench.board.isHostPowered)
  }

  @Test func aNearlyEmptyBatteryGoesDownOnTheDeadManTimerAlone() throws {
    var request = Self.hour
    request.isCritical = true
    let bench = WittyPi4Bench()
    bench.board.faults = [.changesAlarm(byte: 0, to: 0x77)]
    #expect(bench.run(request) == .goDown(alarm: false))
    bench.pass(3 * 3600)
    #expect(bench.board.isHostPowered)
    #expect(try bench.chip.startReason() == .deadMan)
    request.deadMan = nil
    let other = WittyPi4Bench()
    other.board.faults = [.changesAlarm(byte: 0, to: 0x77)]
    guard case .stayUp = other.run(request) else {
      Issue.record("it went down without a way back")
      return
    }
  }

  @Test func aCutThatCannotBeArmedIsTakenBack() throws {
    let bench = WittyPi4Bench()
    bench.board.faults = [.changesCut(byte: 0, to: 0x01)]
    guard case .stayUp(.failed(.armCut, _)) = bench.run(Self.hour) else {
      Issue.record("no refusal")
      return
    }
    #expect(try !bench.chip.isCutArmed())
    bench.pass(3000)
    #expect(bench.board.isHostPowered)
  }

  @Test func unreliableFirmwareNeverCuts() {
    let bench = WittyPi4Bench(VirtualWittyPi4(firmware: 4))
    guard case .stayUp(.unreliable) = bench.run(Self.hour) else {
      Issue.record("no refusal")
      return
    }
    #expect(bench.written.isEmpty)
  }

  @Test func aBoardWithoutDeadManTimerSleepsAnHourUntilTenAlarmsCame() {
    var request = PowerDown.Request(time: .seconds(8 * 3600), cutAfter: .seconds(30), deadMan: nil)
    let chip = WittyPi4Bench().chip
    #expect(PowerDown(request, on: chip).time == .seconds(3600))
    request.provenAlarms = 10
    #expect(PowerDown(request, on: chip).time == .seconds(8 * 3600))
  }
}
