import Quantities
import Testing

@Suite struct NavigationSolutionTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let pvt: PVT
    let kind: FixKind?
    let time: String?
    init(
      _ name: String, _ kind: FixKind?, _ time: String? = "2025-04-11T23:14:08.000Z",
      _ change: (inout PVT) -> Void
    ) {
      var pvt = PVT()
      change(&pvt)
      (self.name, self.pvt, self.kind, self.time) = (name, pvt, kind, time)
    }
    var testDescription: String { name }
  }

  static let cases = [
    Case("3D", .threeDimensional) { _ in },
    Case("84 bytes", .threeDimensional) { $0.length = 84 },
    Case("83 bytes", nil) { $0.length = 83 },
    Case("2D", .twoDimensional) { $0.fixType = 2 },
    Case("with dead reckoning", .deadReckoning) { $0.fixType = 4 },
    Case("dead reckoning alone", FixKind.none) { $0.fixType = 1 },
    Case("time only", FixKind.none) { $0.fixType = 5 },
    Case("outside the masks", FixKind.none) { $0.flags = 0 },
    Case("position invalid", FixKind.none) { $0.flags3 = 1 },
    Case("differential", .differential) { $0.flags = 0b11 },
    Case("float", .realTimeKinematicFloat) { $0.flags = 0b0100_0011 },
    Case("fixed", .realTimeKinematicFixed) { $0.flags = 0b1000_0011 },
    Case("latitude beyond the pole", FixKind.none) { $0.latitude = 900_000_001 },
    Case("nano before the second", .threeDimensional, "2025-04-11T23:14:07.750Z") { $0.nano = -250_000_000 },
    Case("nano rounds to the second", .threeDimensional) { $0.nano = -212_345 },
    Case("nano before midnight", .threeDimensional, "2025-04-10T23:59:59.999Z") {
      ($0.hour, $0.minute, $0.second, $0.nano) = (0, 0, 0, -1_000_000)
    },
    Case("nano out of range", .threeDimensional, nil) { $0.nano = .min },
    Case("leap second", .threeDimensional, "2017-01-01T00:00:00.000Z") {
      ($0.year, $0.month, $0.day, $0.hour, $0.minute, $0.second) = (2016, 12, 31, 23, 59, 60)
    },
    Case("date not valid", .threeDimensional, nil) { $0.valid = 0b110 },
    Case("time not valid", .threeDimensional, nil) { $0.valid = 0b101 },
    Case("no such day", .threeDimensional, nil) { ($0.valid, $0.month) = (0b110, 13) },
    Case("no such day, marked as valid", .threeDimensional, nil) { $0.month = 13 },
    Case("before GPS time", .threeDimensional, nil) { $0.year = 0 },
    Case("a century too late", .threeDimensional, nil) { $0.year = 9999 },
  ]

  @Test func aNegativeSpeedIsAbsent() throws {
    var pvt = PVT()
    pvt.speed = -5000
    let fix = try #require(decode(pvt.frame).first)
    #expect(fix.speed == nil && fix.kind == .threeDimensional)
  }

  @Test(arguments: cases)
  func flagsDecideIfItIsAFix(_ example: Case) throws {
    let fixes = decode(example.pvt.frame)
    #expect(fixes.count == (example.kind == nil ? 0 : 1))
    guard let kind = example.kind else { return }
    let fix = try #require(fixes.first)
    #expect(fix.kind == kind)
    #expect(fix.time == example.time)
    #expect((fix.latitude == nil) == (kind == .none))
    #expect(fix.satellitesUsed == 11)
  }

  @Test func valuesAreInSIUnits() throws {
    let fix = try #require(decode(PVT().frame).first)
    #expect(fix.latitude == 45.065772 && fix.longitude == 7.6590613)
    #expect(fix.altitude == 257.404 && fix.ellipsoidHeight == 304.639)
    #expect(fix.speed == 1.234 && fix.course == 190.0427 && fix.climb == 0.25)
    #expect(fix.horizontalAccuracy == 1.5 && fix.verticalAccuracy == 2.5 && fix.accuracySource == .receiver)
    #expect(fix.speedAccuracy == 0.2 && fix.courseAccuracy == 5 && fix.positionDilution == 1.42)
  }

  @Test func aTwoDimensionalFixHasNoAltitude() throws {
    var pvt = PVT()
    pvt.fixType = 2
    let fix = try #require(decode(pvt.frame).first)
    #expect(
      fix.altitude == nil && fix.ellipsoidHeight == nil && fix.verticalAccuracy == nil && fix.climb == nil)
    #expect(fix.horizontalAccuracy == 1.5)
  }

  @Test func implausibleAccuracyIsAbsent() throws {
    var pvt = PVT()
    (pvt.horizontalAccuracy, pvt.verticalAccuracy) = (.max, 10_000_001)
    (pvt.heading, pvt.headingAccuracy, pvt.dilution) = (36_000_000, 18_000_000, 9999)
    let fix = try #require(decode(pvt.frame).first)
    #expect(fix.horizontalAccuracy == nil && fix.verticalAccuracy == nil && fix.accuracySource == .none)
    #expect(fix.course == 0 && fix.courseAccuracy == nil && fix.positionDilution == nil)
  }

  @Test func withoutTimeAndFixThereIsNoEpoch() {
    var pvt = PVT()
    (pvt.valid, pvt.fixType, pvt.flags) = (0, 0, 0)
    #expect(decode(pvt.frame + pvt.frame).isEmpty)
  }
}
