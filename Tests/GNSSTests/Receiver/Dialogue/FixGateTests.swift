import Quantities
import Testing
import GNSSProtocol
@testable import GNSSReceiver

@Suite struct FixGateTests {
  static func fix(_ second: Int64?, _ latitude: Double?) -> Fix {
    var fix = Fix()
    fix.timestamp = second.map { Timestamp(milliseconds: 1_760_000_000_000 + $0 * 1000) }
    if let latitude {
      fix.kind = .threeDimensional
      fix.latitude = latitude
      fix.longitude = 7.5
    }
    return fix
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var promise: String
    /// Epochs after the sleep, one second apart: second of their own time and latitude. Before the sleep:
    /// 100, 45.
    var epochs: [(Int64?, Double?)]
    var admitted: [Bool]
    var testDescription: String { promise }
  }

  static let cases = [
    Case(promise: "a fresh fix passes", epochs: [(200, 45.1), (201, 45.2)], admitted: [true, true]),
    Case(
      promise: "a first epoch without a fix is held back", epochs: [(200, nil), (201, nil)],
      admitted: [false, true]),
    Case(
      promise: "a first epoch without a date is held back", epochs: [(nil, 45.1), (nil, 45.2)],
      admitted: [false, true]),
    Case(
      promise: "the old position is held back", epochs: [(200, 45), (201, 45.1)], admitted: [false, true]),
    Case(promise: "the old time is held back", epochs: [(100, 45.1), (201, 45.1)], admitted: [false, true]),
    Case(promise: "an older time is held back", epochs: [(20, 45.1), (201, 45.1)], admitted: [false, true]),
    Case(
      promise: "a stationary receiver passes after the limit",
      epochs: [(200, 45), (201, 45), (202, 45), (203, 45), (204, 45)],
      admitted: [false, false, false, true, true]),
    Case(
      promise: "the old position is recognised after a long acquisition",
      epochs: [
        (nil, nil), (200, nil), (201, nil), (202, nil), (203, nil), (204, nil), (205, nil), (206, 45),
        (207, 45.1),
      ],
      admitted: [false, true, true, true, true, true, true, false, true]),
  ]

  @Test(arguments: cases)
  func oldOrIncompleteEpochsAreHeldBack(_ test: Case) {
    var gate = FixGate()
    _ = gate.admits(Self.fix(100, 45), now: .zero)
    gate.arm()
    for (index, epoch) in test.epochs.enumerated() {
      let now = Moment.zero + .seconds(1000 + index)
      let isAdmitted = gate.admits(Self.fix(epoch.0, epoch.1), now: now)
      #expect(isAdmitted == test.admitted[index], "\(index)")
    }
  }

  @Test func withoutASleepEverythingPasses() {
    var gate = FixGate()
    let fixes = [Self.fix(100, 45), Self.fix(100, 45), Self.fix(nil, nil), Self.fix(5, 45)]
    #expect(fixes.map { gate.admits($0, now: .zero) } == [true, true, true, true])
  }

  /// Ten seconds between epochs: the limit is a time, not only the third epoch.
  @Test func slowEpochsAreNotHeldBackForLong() {
    var gate = FixGate()
    _ = gate.admits(Self.fix(100, 45), now: .zero)
    gate.arm()
    let first = gate.admits(Self.fix(200, 45), now: .zero + .seconds(100))
    let second = gate.admits(Self.fix(210, 45), now: .zero + .seconds(110))
    #expect(!first && second)
  }

  @Test(arguments: 0..<50 as Range<UInt64>)
  func neverMoreThanThreeAreHeldBackForASleep(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var gate = FixGate()
    var withheld = 0
    for step in 0..<1000 as Range<Int64> {
      if Int.random(in: 0..<50, using: &random) == 0 {
        gate.arm()
        withheld = 0
      }
      let fix = Self.fix(
        Bool.random(using: &random) ? Int64.random(in: 0..<3, using: &random) : nil,
        Bool.random(using: &random) ? Double.random(in: 0...1, using: &random).rounded() : nil)
      if !gate.admits(fix, now: .zero + .seconds(step)) { withheld += 1 }
      #expect(withheld <= 3)
    }
  }
}
