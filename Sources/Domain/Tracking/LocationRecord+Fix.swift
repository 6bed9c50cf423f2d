import GNSSProtocol
import Quantities
import Records

extension LocationRecord {
  /// Creates the record of a fix at `coordinate`, with the state of the device.
  ///
  /// Impossible values are omitted, like unknown ones.
  init(_ fix: Fix, at coordinate: Coordinate, device: DeviceState) {
    self.init(coordinate: coordinate, fixKind: fix.kind, deviceID: device.deviceID)
    self.device = device
    altitudeMillimetres = Self.thousandths(fix.altitude.flatMap { Self.altitudes.contains($0) ? $0 : nil })
    speedMillimetresPerSecond = Self.thousandths(fix.speed.flatMap(Observation.speed))
    courseMillidegrees = Self.thousandths(fix.course).map { $0 % 360_000 }
    horizontalAccuracyMillimetres = Self.thousandths(fix.horizontalAccuracy)
    verticalAccuracyMillimetres = Self.thousandths(fix.verticalAccuracy)
    speedAccuracyMillimetresPerSecond = Self.thousandths(fix.speedAccuracy)
    courseAccuracyMillidegrees = Self.thousandths(fix.courseAccuracy)
    accuracySource = fix.accuracySource
    satellitesUsed = fix.satellitesUsed
    horizontalDilutionTenths = fix.horizontalDilution.flatMap { UInt16(exactly: ($0 * 10).rounded()) }
  }

  /// Possible altitudes in metres: from below every mine to above every balloon.
  private static let altitudes = -12_000.0...100_000

  private static func thousandths(_ value: Double?) -> Int32? {
    value.flatMap { Int32(exactly: ($0 * 1000).rounded()) }
  }
}
