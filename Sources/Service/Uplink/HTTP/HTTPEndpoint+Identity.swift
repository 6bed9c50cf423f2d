import Formats
import Quantities
import Records

extension HTTPEndpoint {
  /// The headers that identify the device: the configured headers and the credentials.
  var identity: [(name: String, value: String)] {
    var identity = headers.map { (name: $0.name, value: $0.value) }
    switch credentials {
    case .none, .query: break
    case .bearer(let token): identity.append(("Authorization", "Bearer \(token)"))
    case .basic(let user, let password):
      identity.append(("Authorization", "Basic \(Base64.text(Array("\(user):\(password)".utf8)))"))
    }
    return identity
  }

  /// Returns user and device for the headers that the OwnTracks Recorder and Home Assistant read; nil for an empty id.
  ///
  /// A device id `fleet/van7` contains both. One without a slash is the device of `user`, or user and device.
  public static func owner(deviceID: String, user: String?) -> (user: String, device: String)? {
    guard !deviceID.isEmpty else { return nil }
    let parts = deviceID.split(separator: "/", maxSplits: 1)
    guard parts.count == 2 else { return (user ?? deviceID, deviceID) }
    return (String(parts[0]), String(parts[1]))
  }
}

/// Base64 with padding (RFC 4648 section 4).
enum Base64 {
  static func text(_ bytes: [UInt8]) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      var bits = group.reduce(0) { $0 << 8 | UInt32($1) }
      bits <<= UInt32(3 - group.count) * 8
      for index in 0..<4 {
        let digit = digits[Int(bits >> UInt32(18 - 6 * index) & 63)]
        text.append(index <= group.count ? digit : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
