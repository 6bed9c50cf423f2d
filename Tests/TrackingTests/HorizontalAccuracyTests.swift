import Quantities
import Testing
import GNSSProtocol
import Scheduling
@testable import Tracking

/// A fix without a usable figure is the same fix to the filters and to the receiver's schedule.
@Suite struct HorizontalAccuracyTests {
  static let unknown: [Double?] = [nil, 0, -1, .nan]

  private func fix(_ accuracy: Double?, north: Double = 0) -> Fix {
    var fix = Fix(Fix.start, north: north)
    fix.horizontalAccuracy = accuracy
    return fix
  }

  private func observation(_ accuracy: Double?, north: Double = 0) throws -> Observation {
    let fix = fix(accuracy, north: north)
    return Observation(fix, at: try #require(fix.position), timestamp: fix.timestamp, moment: .zero)
  }

  private func scheduleFix(_ accuracy: Double?, north: Double = 0) throws -> ScheduleFix {
    try #require(ScheduleFix(fix(accuracy, north: north), now: .zero))
  }

  @Test(arguments: unknown)
  func aFixWithoutAccuracyCountsAs30Metres(accuracy: Double?) throws {
    let assumed = HorizontalAccuracy.assumed
    #expect(assumed == 30)
    let known = try observation(10)
    #expect(try observation(accuracy).accuracy == nil)
    #expect(
      try observation(accuracy).uncertainty(with: known) == observation(assumed).uncertainty(with: known))
    #expect(
      try known.uncertainty(with: observation(accuracy)) == known.uncertainty(with: observation(assumed)))
    #expect(try scheduleFix(accuracy).accuracy == assumed && observation(accuracy).radius == assumed)
    let far = try scheduleFix(10, north: 500)
    #expect(
      try scheduleFix(accuracy).certainDistance(to: far) == scheduleFix(assumed).certainDistance(to: far))
  }

  @Test(arguments: [Double.infinity, 1e308])
  func aFixOfUnlimitedAccuracyProvesNoMove(accuracy: Double) throws {
    #expect(try observation(accuracy).accuracy == HorizontalAccuracy.anywhere)
    #expect(try scheduleFix(accuracy).certainDistance(to: scheduleFix(10, north: 100_000)) == 0)
    #expect(try observation(accuracy).uncertainty(with: observation(10)).isFinite)
  }

  @Test func observationsAndScheduleFixesHaveTheSameUncertainty() throws {
    for accuracy in Self.unknown + [3, 30, 120] {
      let uncertainty = try observation(accuracy).uncertainty(with: observation(10, north: 2000))
      let (near, far) = (try scheduleFix(accuracy), try scheduleFix(10, north: 2000))
      let distance = near.coordinate.distance(to: far.coordinate)
      #expect(abs(near.certainDistance(to: far) - (distance - 2 * uncertainty)) < 1e-6)
    }
  }

  @Test func aVaguePositionIsWorseThanAnUnknownAccuracy() throws {
    var fix = fix(nil)
    fix.isVague = true
    let vague = Observation(fix, at: try #require(fix.position), timestamp: fix.timestamp, moment: .zero)
    #expect(vague.accuracy == HorizontalAccuracy.anywhere && vague.radius == HorizontalAccuracy.anywhere)
    #expect(try vague.isWorse(than: observation(nil)) && !observation(nil).isWorse(than: vague))
    #expect(ScheduleFix(fix, now: .zero)?.accuracy == HorizontalAccuracy.anywhere)
  }

  @Test func aFixWithoutAccuracyIsWorseThanAnyOther() throws {
    for accuracy in Self.unknown {
      #expect(try observation(accuracy).isWorse(than: observation(500)))
      #expect(try !observation(500).isWorse(than: observation(accuracy)))
    }
  }
}
