import Quantities
import Records
import Testing
import GNSSProtocol
@testable import Tracking

/// The values that a record takes from a fix.
@Suite struct FixRecordTests {
  @Test(
    arguments: [
      (0.84, 8), (1.0, 10), (1.25, 13), (99.99, 1000), (0, 0), (nil, nil), (1e9, nil), (-1, nil),
      (Double.nan, nil), (.infinity, nil),
    ] as [(Double?, UInt16?)])
  func hdopIsRecordedInTenths(dilution: Double?, tenths: UInt16?) throws {
    var fix = Fix()
    fix.horizontalDilution = dilution
    let position = try #require(Coordinate(latitude: 52, longitude: 13))
    let record = LocationRecord(fix, at: position, device: DeviceState(deviceID: "van"))
    #expect(record.horizontalDilutionTenths == tenths)
  }

  /// Values that NAV-PVT can contain.
  @Test(arguments: [2_147_483.647, -2_147_483.648, .nan, .infinity])
  func impossibleValuesAreRecordedAsUnknown(value: Double) throws {
    var fix = Fix()
    (fix.speed, fix.altitude) = (value, value)
    let position = try #require(Coordinate(latitude: 52, longitude: 13))
    let record = LocationRecord(fix, at: position, device: DeviceState(deviceID: "van"))
    #expect(record.speedMillimetresPerSecond == nil && record.altitudeMillimetres == nil)
    #expect(Observation(fix, at: position, timestamp: nil, moment: .zero).speed == nil)
  }
}
