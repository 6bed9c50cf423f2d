import GNSSProtocol
import Quantities
import Testing
@testable import Devices

/// Order and moments of epochs that arrive in one batch.
@Suite struct EpochOrderTests {
  private static let utc: Int64 = 1_774_087_200_000

  /// The epoch at `second`; the boot clock is zero at the same time.
  private static func fix(_ second: Double, isStored: Bool = true) -> Fix {
    var fix = Fix()
    fix.kind = .threeDimensional
    fix.timestamp = Timestamp(milliseconds: utc + Int64(second * 1000))
    fix.isStored = isStored
    return fix
  }

  private static func moment(_ second: Double) -> Moment { .zero + .milliseconds(Int64(second * 1000)) }

  private static func seconds(_ released: [(fix: Fix, moment: Moment)]) -> [Double] {
    released.compactMap { $0.fix.timestamp.map { Double($0.milliseconds - utc) / 1000 } }
  }

  @Test func eachEpochGetsItsOwnMoment() {
    var order = EpochOrder()
    for second in 0..<10 {
      order.recordEmitted(Self.fix(Double(second), isStored: false), at: Self.moment(Double(second) + 0.08))
    }
    for second in 10..<290 { order.take(Self.fix(Double(second))) }
    let released = order.release(now: Self.moment(292.5))
    #expect(Self.seconds(released) == (10..<290).map(Double.init))
    for (index, epoch) in released.enumerated() {
      let late = (epoch.moment - Self.moment(Double(index + 10))).inSeconds
      #expect(late > 0 && late < 0.2)
    }
    #expect(order.isEmpty)
  }

  @Test func anEpochInStreamAndStoreIsEmittedOnce() {
    var order = EpochOrder()
    for second in 0..<10 {
      order.recordEmitted(Self.fix(Double(second), isStored: false), at: Self.moment(Double(second)))
    }
    for second in 7..<30 { order.take(Self.fix(Double(second))) }
    // The receiver sends live epochs before all stored ones have arrived.
    order.take(Self.fix(30, isStored: false))
    for second in 28..<31 { order.take(Self.fix(Double(second))) }
    order.take(Self.fix(31, isStored: false))
    #expect(Self.seconds(order.release(now: Self.moment(31))) == (10..<32).map(Double.init))
  }

  @Test func momentsNeverDecreaseOrLieInTheFuture() {
    var random = SplitMix64(seed: 11)
    var released = 0
    for _ in 0..<300 {
      var order = EpochOrder()
      // The first epochs may be from before the start of the host.
      var last = Moment(nanoseconds: .min)
      var now = 0.0
      for _ in 0..<6 {
        for _ in 0..<Int.random(in: 0..<40, using: &random) {
          var fix = Self.fix(now + Double.random(in: -300...5, using: &random))
          if Int.random(in: 0..<9, using: &random) == 0 { fix.timestamp = nil }
          if Int.random(in: 0..<50, using: &random) == 0 { fix.timestamp = Timestamp(milliseconds: .min) }
          if Int.random(in: 0..<50, using: &random) == 0 { fix.timestamp = Timestamp(milliseconds: .max) }
          order.take(fix)
        }
        now += Double.random(in: 0..<300, using: &random)
        for (_, moment) in order.release(now: Self.moment(now)) {
          #expect(moment >= last && moment <= Self.moment(now))
          last = moment
          released += 1
        }
      }
    }
    #expect(released > 1000)
  }

  @Test func aClockCorrectionOfTheReceiverIsFollowed() {
    var order = EpochOrder()
    for second in 0..<5 {
      order.recordEmitted(Self.fix(Double(second) + 3600, isStored: false), at: Self.moment(Double(second)))
    }
    for second in 5..<100 { order.take(Self.fix(Double(second))) }
    let released = order.release(now: Self.moment(100))
    #expect(released.count == 95)
    #expect(zip(released, released.dropFirst()).allSatisfy { ($1.moment - $0.moment).inSeconds < 1.1 })
    #expect((released.last.map { (Self.moment(100) - $0.moment).inSeconds } ?? 9) < 1.5)
  }
}
