import Quantities
import Records

/// An entry or exit of a zone in the OwnTracks format (owntracks.org/booklet/tech/json, `_type=transition`).
///
/// | key | value | unknown |
/// | --- | --- | --- |
/// | `event`, `desc` | `enter` or `leave`, and the name of the zone | – |
/// | `wtst` | s since 1970; identifies the zone. A zone has no time of its creation, so its name determines it | – |
/// | `lat`, `lon` | degrees, 7 decimals; position of the device at `tst` | no message |
/// | `acc` | m, integer, at least 1 | ``OverlandFeature/unknownHorizontalAccuracy`` |
/// | `tst` | s since 1970, of the event | no message |
/// | `t` | `c` for a zone on the map | omitted for a Wi-Fi zone, which has no trigger in OwnTracks |
/// | `topic` | that of the locations, and `/event` | omitted without a device id |
/// | `tid` | the tracker id, if configured | omitted |
///
/// `rid` is omitted: zones have no identifier but their name.
public struct OwnTracksTransition: Equatable, Sendable {
  /// The last level of the topic.
  public static let topicSuffix = "/event"

  private let isEntry: Bool
  private let zone: String
  private let isOnMap: Bool
  private let position: Coordinate
  private let accuracy: Int64
  private let time: Timestamp

  /// Creates the message; nil for everything except a dated event of a zone with a position.
  public init?(_ record: LogRecord) {
    guard case .event(let event) = record.body, let time = record.time,
      EventSelection.zones.contains(event.kind), let zone = event.fields.text(.zone),
      let known = event.fields.position
    else { return nil }
    isEntry = event.kind == .zoneEntered
    self.zone = zone
    // Only an event of a Wi-Fi zone has a cause.
    isOnMap = event.fields.text(.cause) == nil
    position = known.coordinate
    let metres = known.accuracy.flatMap { Int64(exactly: $0.rounded()) }
    accuracy = max(metres ?? Int64(OverlandFeature.unknownHorizontalAccuracy), 1)
    self.time = time
  }

  /// The time of creation of a zone for `wtst`, in s since 1970: between 2001 and 2033, the same for the same name.
  static func identity(ofZone name: String) -> Int64 {
    1_000_000_000 + Int64(FNVHash(name).value % 1_000_000_000)
  }

  /// Appends the object. `deviceID` is the name of the device.
  public func append(to text: inout [UInt8], deviceID: String, trackerID: String? = nil) {
    text.append(#"{"_type":"transition","event":"#)
    text.append(isEntry ? #""enter""# : #""leave""#)
    text.append(#","desc":"#)
    text.appendJSONString(zone)
    text.append(#","wtst":"#)
    text.appendDecimal(Self.identity(ofZone: zone), decimals: 0)
    text.append(#","lat":"#)
    text.appendDecimal(Int64(position.latitudeE7), decimals: 7)
    text.append(#","lon":"#)
    text.appendDecimal(Int64(position.longitudeE7), decimals: 7)
    text.append(#","tst":"#)
    text.appendDecimal(time.wholeSeconds, decimals: 0)
    text.append(#","acc":"#)
    text.appendDecimal(accuracy, decimals: 0)
    if isOnMap { text.append(#","t":"c""#) }
    if let topic = OwnTracksMessage.topic(deviceID: deviceID) {
      text.append(#","topic":"#)
      text.appendJSONString(topic + Self.topicSuffix)
    }
    if let trackerID {
      text.append(#","tid":"#)
      text.appendJSONString(trackerID)
    }
    text.append("}")
  }
}
