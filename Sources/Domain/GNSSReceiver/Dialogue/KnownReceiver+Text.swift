import GNSSProtocol
import Quantities

// One line of `key=value` pairs, separated by semicolons:
// `speed=115200;family=ublox-valset;protocol=3410;module=MAX-M10S;setup=9f3c…;interval=1000`
extension KnownReceiver {
  /// Limit of the text in characters. Longer text is treated as damaged.
  private static let longestText = 1000

  /// Parses a text; nil unless the family is known. Other missing or damaged values stay nil; unknown keys are ignored.
  public init?(text: String) {
    guard text.utf8.count <= Self.longestText else { return nil }
    var values: [Substring: String] = [:]
    for pair in text.split(separator: ";") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, let value = Self.unescaped(parts[1]) else { continue }
      values[parts[0]] = value
    }
    guard let family = values["family"].flatMap(ReceiverFamily.init(rawValue:)) else { return nil }
    self.init(
      speed: values["speed"].flatMap { UInt32($0) }.flatMap { $0 > 0 ? $0 : nil },
      identity: ReceiverIdentity(
        family: family, protocolVersion: values["protocol"].flatMap { Int($0) }, module: values["module"],
        firmware: values["firmware"], hardware: values["hardware"]),
      setUp: values["setup"].flatMap { UInt64($0, radix: 16) },
      interval: values["interval"].flatMap { Int($0) }.flatMap { (1...3_600_000).contains($0) ? $0 : nil },
      storesEpochs: values["stores"] == "epochs",
      storesAfter: values["after"].flatMap { Int64($0) }.map { Timestamp(milliseconds: $0) })
  }

  /// The values as one line of printable ASCII that ``init(text:)`` accepts.
  public var text: String {
    let pairs: [(String, String?)] = [
      ("speed", speed.map { String($0) }), ("family", identity.family.rawValue),
      ("protocol", identity.protocolVersion.map { String($0) }), ("module", identity.module),
      ("firmware", identity.firmware), ("hardware", identity.hardware),
      ("setup", setUp.map { String($0, radix: 16) }), ("interval", interval.map { String($0) }),
      ("stores", storesEpochs ? "epochs" : nil), ("after", storesAfter.map { "\($0.milliseconds)" }),
    ]
    return pairs.compactMap { key, value in value.map { "\(key)=\(Self.escaped($0))" } }
      .joined(separator: ";")
  }

  /// Escapes a value from the receiver, which may contain any byte. A byte that would end the value or the
  /// line becomes `%` and two hexadecimal digits.
  private static func escaped(_ value: String) -> String {
    var escaped = ""
    for byte in value.utf8 {
      switch byte {
      case UInt8(ascii: ";"), UInt8(ascii: "%"), 0...0x1F, 0x7F...0xFF:
        escaped += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      default: escaped.unicodeScalars.append(Unicode.Scalar(byte))
      }
    }
    return escaped
  }

  private static func unescaped(_ value: Substring) -> String? {
    var bytes: [UInt8] = []
    var remainder = value.utf8[...]
    while let byte = remainder.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard remainder.count >= 2, let code = UInt8(String(remainder.prefix(2)) ?? "", radix: 16) else {
        return nil
      }
      bytes.append(code)
      remainder.removeFirst(2)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
