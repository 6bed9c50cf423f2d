import JSON
import Quantities

/// Decodes the message that an OwnTracks client posts.
struct OwnTracksReader {
  /// The result of reading a message.
  enum Outcome {
    case location(Feature)
    /// A valid message of another `_type`, such as a card, waypoint or last will.
    case other
    /// Not a JSON object with `_type`; with the fault if it is not JSON.
    case unreadable(JSONFault?)
  }

  private struct Message: Decodable {
    var type: String
    var lat: Double?
    var lon: Double?
    var tst: Double?
    var acc: Double?
    var alt: Double?
    var vac: Double?
    var vel: Double?
    var cog: Double?
    var batt: Double?
    var topic: String?

    enum CodingKeys: String, CodingKey {
      case type = "_type"
      case lat, lon, tst, acc, alt, vac, vel, cog, batt, topic
    }
  }

  /// Reads a message. `owner` is the user and device from the query or headers; the topic of the body overrides it.
  func read(_ body: [UInt8], owner: String?) -> Outcome {
    let text: CheckedJSON
    do throws(JSONFault) { text = try CheckedJSON(body) } catch { return .unreadable(error) }
    guard let message = try? text.decode(Message.self) else { return .unreadable(nil) }
    guard message.type == "location" else { return .other }
    var feature = Feature(bytes: body[...])
    feature.time = message.tst.flatMap { seconds in
      abs(seconds) < 1e12 ? Timestamp(milliseconds: Int64(seconds * 1000)) : nil
    }
    if let latitude = message.lat.flatMap(Self.scaled), let longitude = message.lon.flatMap(Self.scaled) {
      feature.latitudeE7 = latitude
      feature.longitudeE7 = longitude
    }
    feature.altitudeMetres = message.alt
    feature.speedMetresPerSecond = message.vel.map { $0 / 3.6 }
    feature.courseDegrees = message.cog
    feature.horizontalAccuracyMetres = message.acc
    feature.verticalAccuracyMetres = message.vac
    feature.batteryLevel = message.batt.map { $0 / 100 }
    let topic = message.topic.map { $0.hasPrefix("owntracks/") ? String($0.dropFirst(10)) : $0 }
    feature.deviceID = topic.flatMap { $0.isEmpty ? nil : $0 } ?? owner
    return .location(feature)
  }

  /// Degrees in units of 1e-7; nil for a number that cannot be an angle.
  private static func scaled(_ degrees: Double) -> Int64? {
    abs(degrees) <= 1_000_000 ? Int64((degrees * 1e7).rounded()) : nil
  }
}
