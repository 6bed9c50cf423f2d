import Quantities

/// The reason why a message or Feature is not stored, although its sender gets a confirmation.
enum Drop: Hashable {
  /// It is encrypted, and can be sent again without encryption.
  case encrypted
  /// A location whose time is missing, or before 1970-01-02, or after 2199.
  case noTime
  /// A location without a point of the earth.
  case noPosition
  /// An element of a list of Features that is no object.
  case notAFeature
  /// A valid message of OwnTracks of another `_type`, such as a card, waypoint or last will.
  case type(String)

  /// 1970-01-02 to 2199-12-31. A receiver or phone without a clock counts from 1970.
  private static let times =
    Timestamp(milliseconds: 86_400_000)..<Timestamp(milliseconds: 7_258_118_400_000)

  /// The reason why this Feature can never be a location of the track; nil for one that can, and for other kinds, which are
  /// stored as received.
  init?(_ feature: Feature) {
    guard feature.kind == .location else { return nil }
    guard let time = feature.time, Self.times.contains(time) else {
      self = .noTime
      return
    }
    guard let latitude = feature.latitudeE7, let longitude = feature.longitudeE7,
      (-900_000_000...900_000_000).contains(latitude), (-1_800_000_000...1_800_000_000).contains(longitude)
    else {
      self = .noPosition
      return
    }
    return nil
  }

  /// The key in the status.
  var name: String {
    switch self {
    case .encrypted: "encrypted"
    case .noTime: "no_time"
    case .noPosition: "no_position"
    case .notAFeature: "not_a_feature"
    case .type(let type): type
    }
  }

  /// True for a location that its sender believes stored.
  var isLocation: Bool {
    switch self {
    case .noTime, .noPosition: true
    case .encrypted, .notAFeature, .type: false
    }
  }
}
