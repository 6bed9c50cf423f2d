import JSON
import Quantities

/// The memory of the last applied file, beside the log.
///
/// It prevents that a file which cannot be removed from the boot partition is applied at every start.
public struct ProvisionRecord: Codable, Equatable, Sendable {
  public static let path = "/var/lib/outrider/provisioned.json"
  static let largest = 4096

  /// The name of the file.
  var file: String
  /// The SHA-256 of its content, in hexadecimal digits.
  var digest: String
  /// True once the file is gone from the boot partition: a file with the same content is then a new one.
  var isRemoved: Bool
  /// The time of the application, for people.
  var time: String
  /// The path of the configuration that was written.
  var target: String

  enum CodingKeys: String, CodingKey {
    case file, digest, isRemoved = "removed", time, target
  }

  /// Reads a record; nil for anything else.
  init?(json bytes: [UInt8]) {
    guard let record = try? CheckedJSON(bytes).decode(Self.self) else { return nil }
    self = record
  }

  init(file: String, digest: String, time: String, target: String) {
    (self.file, self.digest, isRemoved, self.time, self.target) = (file, digest, false, time, target)
  }

  var json: [UInt8] {
    var text: [UInt8] = Array("{\"file\":".utf8)
    text.appendJSONString(file)
    text += Array(",\"digest\":".utf8)
    text.appendJSONString(digest)
    text += Array(",\"removed\":\(isRemoved),\"time\":".utf8)
    text.appendJSONString(time)
    text += Array(",\"target\":".utf8)
    text.appendJSONString(target)
    return text + Array("}\n".utf8)
  }

}
