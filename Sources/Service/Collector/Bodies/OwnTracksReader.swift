import JSON
import Quantities

/// Decodes the messages that an OwnTracks client posts: one, or an array of them.
struct OwnTracksReader {
  /// The result of reading a message.
  enum Outcome {
    case location(Feature)
    case dropped(Drop)
  }

  /// The reason why a body is rejected.
  enum Fault: Error {
    /// Neither a JSON object with `_type` nor an array of them; with the fault if it is not JSON.
    case unreadable(JSONFault?)
    case tooMany(limit: Int)
    /// A required value of a location is no number.
    case notANumber(key: String)
  }

  private struct Message: Decodable {
    let type: String
    private let numbers: [Key: LenientNumber]
    let topic: String?

    enum Key: String, CodingKey, CaseIterable {
      case type = "_type"
      case lat, lon, tst, acc, alt, vac, vel, cog, batt, topic
    }

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: Key.self)
      type = try values.decode(String.self, forKey: .type)
      topic = values.contains(.topic) ? try? values.decode(String.self, forKey: .topic) : nil
      var numbers: [Key: LenientNumber] = [:]
      for key in Key.allCases where key != .type && key != .topic && values.contains(key) {
        numbers[key] = (try? values.decode(LenientNumber.self, forKey: key)) ?? .invalid
      }
      self.numbers = numbers
    }

    subscript(_ key: Key) -> Double? { numbers[key]?.value }

    func required(_ key: Key) throws(Fault) -> Double? {
      if numbers[key] == .invalid { throw .notANumber(key: key.rawValue) }
      return self[key]
    }
  }

  /// The types of the protocol that are counted by their name.
  private static let types: Set<String> = [
    "beacon", "card", "cmd", "configuration", "dump", "lwt", "request", "status", "steps", "transition",
    "waypoint", "waypoints",
  ]

  /// Reads the messages of a body in order. `owner` is the user and device from the query or headers; the topic of a message
  /// overrides it.
  func read(_ body: [UInt8], owner: String?) -> Result<[Outcome], Fault> {
    do throws(Fault) { return .success(try messages(body, owner: owner)) } catch { return .failure(error) }
  }

  private func messages(_ body: [UInt8], owner: String?) throws(Fault) -> [Outcome] {
    let isArray = body.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "[")
    guard isArray else { return [try message(body[...], owner: owner)] }
    let ranges: [Range<Int>]
    do { ranges = try BodyScanner.elements(of: body) } catch .tooManyFeatures(let limit) {
      throw .tooMany(limit: limit)
    } catch {
      throw .unreadable(nil)
    }
    guard !ranges.isEmpty else { throw .unreadable(nil) }
    var outcomes: [Outcome] = []
    for range in ranges { outcomes.append(try message(body[range], owner: owner)) }
    return outcomes
  }

  private func message(_ bytes: ArraySlice<UInt8>, owner: String?) throws(Fault) -> Outcome {
    let text: CheckedJSON
    do throws(JSONFault) { text = try CheckedJSON(Array(bytes)) } catch { throw .unreadable(error) }
    guard let message = try? text.decode(Message.self) else { throw .unreadable(nil) }
    switch message.type {
    case "location": break
    case "encrypted": return .dropped(.encrypted)
    case let type: return .dropped(.type(Self.types.contains(type) ? type : "other"))
    }
    let (latitude, longitude) = (try message.required(.lat), try message.required(.lon))
    let seconds = try message.required(.tst)
    var feature = Feature(bytes: bytes)
    feature.time = seconds.flatMap {
      abs($0) < Self.endOfTime ? Timestamp(milliseconds: Int64($0 * 1000)) : nil
    }
    if let latitude, let longitude, abs(latitude) <= 90, abs(longitude) <= 180 {
      feature.latitudeE7 = Int64((latitude * 1e7).rounded())
      feature.longitudeE7 = Int64((longitude * 1e7).rounded())
    }
    if let drop = Drop(feature) { return .dropped(drop) }
    feature.altitudeMetres = message[.alt]
    feature.speedMetresPerSecond = message[.vel].map { $0 / 3.6 }
    feature.courseDegrees = message[.cog]
    feature.horizontalAccuracyMetres = message[.acc]
    feature.verticalAccuracyMetres = message[.vac]
    feature.batteryLevel = message[.batt].map { $0 / 100 }
    let topic = message.topic.map { $0.hasPrefix("owntracks/") ? String($0.dropFirst(10)) : $0 }
    feature.deviceID = topic.flatMap { $0.isEmpty ? nil : $0 } ?? owner
    return .location(feature)
  }

  /// Beyond all dates, in s, and far below the largest number of ms.
  private static let endOfTime = 1e12
}
