import GNSS
import Quantities
import Testing

@testable import Tracking

/// A fix without a usable figure is the same fix to the filters and to the receiver's schedule.
@Suite struct HorizontalAccuracyTests {
  static let unknown: [Double?] = [nil, 0, -1, .nan]

  private func fix(_ accuracy: Double?, north: Double = 0) -> Fix {
    var fix = Fix(Fix.start, north: north)
    fix.horizontalAccuracy = accuracy
    return fix
  }

  private func sample(_ accuracy: Double?, north: Double = 0) throws -> Sample {
    let fix = fix(accuracy, north: north)
    return Sample(fix, at: try #require(fix.place), timestamp: fix.timestamp, moment: .zero)
  }

  private func sighting(_ accuracy: Double?, north: Double = 0) throws -> Sighting {
    try #require(Sighting(fix(accuracy, north: north), now: .zero))
  }

  @Test(arguments: unknown)
  func aFixWithoutAccuracyCountsAs30Metres(accuracy: Double?) throws {
    let assumed = HorizontalAccuracy.assumed
    #expect(assumed == 30)
    let known = try sample(10)
    #expect(try sample(accuracy).accuracy == nil)
    #expect(try sample(accuracy).uncertainty(with: known) == sample(assumed).uncertainty(with: known))
    #expect(try known.uncertainty(with: sample(accuracy)) == known.uncertainty(with: sample(assumed)))
    #expect(try sighting(accuracy).accuracy == assumed)
    let far = try sighting(10, north: 500)
    #expect(try sighting(accuracy).certainDistance(to: far) == sighting(assumed).certainDistance(to: far))
  }

  @Test(arguments: [Double.infinity, 1e308])
  func aFixOfUnlimitedAccuracyProvesNoMove(accuracy: Double) throws {
    #expect(try sample(accuracy).accuracy == HorizontalAccuracy.anywhere)
    #expect(try sighting(accuracy).certainDistance(to: sighting(10, north: 100_000)) == 0)
    #expect(try sample(accuracy).uncertainty(with: sample(10)).isFinite)
  }

  @Test func samplesAndSightingsHaveTheSameUncertainty() throws {
    for accuracy in Self.unknown + [3, 30, 120] {
      let doubt = try sample(accuracy).uncertainty(with: sample(10, north: 2000))
      let (near, far) = (try sighting(accuracy), try sighting(10, north: 2000))
      let distance = near.coordinate.distance(to: far.coordinate)
      #expect(abs(near.certainDistance(to: far) - (distance - 2 * doubt)) < 1e-6)
    }
  }

  @Test(arguments: unknown)
  func withoutAccuracyASetDistanceAppliesUnchanged(accuracy: Double?) throws {
    #expect(try sample(accuracy).statedUncertainty(with: sample(accuracy)) == 0)
    #expect(try sample(accuracy).statedUncertainty(with: sample(10)) == 10)
    #expect(try sample(30).statedUncertainty(with: sample(40)) == 50)
  }

  @Test func aFixWithoutAccuracyIsWorseThanAnyOther() throws {
    for accuracy in Self.unknown {
      #expect(try sample(accuracy).isWorse(than: sample(500)))
      #expect(try !sample(500).isWorse(than: sample(accuracy)))
    }
  }
}
