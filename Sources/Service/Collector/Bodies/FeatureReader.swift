import JSON
import Quantities

/// Decodes the values of Features. A value that is missing or has another type than expected becomes nil.
struct FeatureReader {
  /// The Feature with these bytes, which are valid JSON. If the decoder still rejects them, it has no values.
  func feature(_ bytes: ArraySlice<UInt8>) -> Feature {
    var feature = Feature(bytes: bytes)
    guard let wire = try? CheckedJSON(bytes).decode(WireFeature.self) else { return feature }
    if let degrees = wire.coordinates, degrees.count >= 2 {
      let longitude = Self.scaled(degrees[0])
      let latitude = Self.scaled(degrees[1])
      if let longitude, let latitude {
        feature.longitudeE7 = longitude
        feature.latitudeE7 = latitude
      }
    }
    guard let properties = wire.properties else { return feature }
    feature.kind =
      if properties.type == "trip" {
        .trip
      } else if let action = properties.action {
        action == "visit" ? .visit : .action
      } else {
        .location
      }
    feature.time = properties.timestamp.flatMap { Timestamp(iso8601: $0) }
    feature.altitudeMetres = properties.altitude
    feature.speedMetresPerSecond = properties.speed
    feature.courseDegrees = properties.course
    feature.horizontalAccuracyMetres = properties.horizontalAccuracy
    feature.verticalAccuracyMetres = properties.verticalAccuracy
    feature.motion = properties.motion
    feature.batteryState = properties.batteryState
    feature.batteryLevel = properties.batteryLevel
    feature.deviceID = properties.deviceID
    return feature
  }

  /// Degrees in units of 1e-7; nil for a number that cannot be an angle.
  private static func scaled(_ degrees: Double) -> Int64? {
    abs(degrees) <= 1_000_000 ? Int64((degrees * 1e7).rounded()) : nil
  }
}

private struct WireFeature: Decodable {
  var coordinates: [Double]?
  var properties: WireProperties?

  enum Key: String, CodingKey { case geometry, properties }
  enum GeometryKey: String, CodingKey { case type, coordinates }

  init(from decoder: any Decoder) throws {
    let feature = try decoder.container(keyedBy: Key.self)
    if let geometry = try? feature.nestedContainer(keyedBy: GeometryKey.self, forKey: .geometry),
      geometry.lenient(.type, String.self) == "Point"
    {
      coordinates = geometry.lenient(.coordinates, [Coordinate].self)?.map { $0.value ?? .nan }
    }
    properties = feature.lenient(.properties, WireProperties.self)
  }
}

/// A number of an array; nil for any other value.
private struct Coordinate: Decodable {
  var value: Double?

  init(from decoder: any Decoder) throws { value = try? decoder.singleValueContainer().decode(Double.self) }
}

private struct WireProperties: Decodable {
  var type: String?
  var action: String?
  var timestamp: String?
  var altitude: Double?
  var speed: Double?
  var course: Double?
  var horizontalAccuracy: Double?
  var verticalAccuracy: Double?
  var motion: String?
  var batteryState: String?
  var batteryLevel: Double?
  var deviceID: String?

  enum Key: String, CodingKey {
    case type, action, timestamp, altitude, speed, course, motion
    case horizontalAccuracy = "horizontal_accuracy"
    case verticalAccuracy = "vertical_accuracy"
    case batteryState = "battery_state"
    case batteryLevel = "battery_level"
    case deviceID = "device_id"
  }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    type = values.lenient(.type, String.self)
    action = values.lenient(.action, String.self)
    timestamp = values.lenient(.timestamp, String.self)
    altitude = values.lenient(.altitude, Double.self)
    speed = values.lenient(.speed, Double.self)
    course = values.lenient(.course, Double.self)
    horizontalAccuracy = values.lenient(.horizontalAccuracy, Double.self)
    verticalAccuracy = values.lenient(.verticalAccuracy, Double.self)
    motion =
      values.lenient(.motion, [String].self)?.joined(separator: ",") ?? values.lenient(.motion, String.self)
    batteryState = values.lenient(.batteryState, String.self)
    batteryLevel = values.lenient(.batteryLevel, Double.self)
    deviceID = values.lenient(.deviceID, String.self)
  }
}

extension KeyedDecodingContainer {
  /// The value; nil if it is missing or has another type.
  fileprivate func lenient<Value: Decodable>(_ key: Key, _ type: Value.Type) -> Value? {
    contains(key) ? try? decode(type, forKey: key) : nil
  }
}
