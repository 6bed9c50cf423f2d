import CXXHash
import Quantities

/// A Feature as it is stored: its exact bytes and the values decoded from them.
struct Feature: Equatable {
  /// The kind of a Feature, by `type` and `action` in its properties.
  enum Kind: String { case location, visit, trip, action }

  /// XXH3, 128 bits, over the exact bytes; the same bytes are the same Feature.
  var hash: [UInt8]
  var text: String
  var kind = Kind.location
  /// The time of the fix; nil if the timestamp is missing or invalid.
  var time: Timestamp?
  /// Latitude in 1e-7 degrees as received, also outside ±90°; nil without a point.
  var latitudeE7: Int64?
  var longitudeE7: Int64?
  // As received: -1 (unknown) is not changed.
  var altitudeMetres: Double?
  var speedMetresPerSecond: Double?
  var courseDegrees: Double?
  var horizontalAccuracyMetres: Double?
  var verticalAccuracyMetres: Double?
  /// Motion states, separated by commas.
  var motion: String?
  var batteryState: String?
  /// State of charge, 0...1.
  var batteryLevel: Double?
  var deviceID: String?

  init(bytes: ArraySlice<UInt8>) {
    text = String(decoding: bytes, as: UTF8.self)
    var hash = [UInt8](repeating: 0, count: 16)
    bytes.withUnsafeBytes { outrider_xxh3_128($0.baseAddress, $0.count, &hash) }
    self.hash = hash
  }
}
