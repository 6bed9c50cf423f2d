import CXXHash
import Quantities

/// One Feature as it is stored: its exact bytes, and what could be read of them.
struct Feature: Equatable {
  /// Told apart by `type` and `action` in the properties.
  enum Kind: String { case location, visit, trip, action }

  /// XXH3, 128 bits, over the exact bytes: the same bytes are the same Feature.
  var hash: [UInt8]
  var text: String
  var kind = Kind.location
  /// Nil when the timestamp is missing or unreadable.
  var time: Timestamp?
  /// As given, also outside ±90° and ±180°; nil without a point.
  var latitudeE7: Int64?
  var longitudeE7: Int64?
  // As given: -1 stays -1.
  var altitudeMetres: Double?
  var speedMetresPerSecond: Double?
  var courseDegrees: Double?
  var horizontalAccuracyMetres: Double?
  var verticalAccuracyMetres: Double?
  /// Words with commas between.
  var motion: String?
  var batteryState: String?
  /// 0...1
  var batteryLevel: Double?
  var deviceID: String?

  init(bytes: ArraySlice<UInt8>) {
    text = String(decoding: bytes, as: UTF8.self)
    var hash = [UInt8](repeating: 0, count: 16)
    bytes.withUnsafeBytes { outrider_xxh3_128($0.baseAddress, $0.count, &hash) }
    self.hash = hash
  }
}
