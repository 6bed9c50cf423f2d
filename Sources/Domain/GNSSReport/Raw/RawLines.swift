import GNSSProtocol

/// One message of a receiver.
public enum RawMessage: Equatable, Sendable {
  /// The bytes of an NMEA sentence between `$` (or `!`) and `*`.
  case sentence([UInt8])
  /// A binary message, as a line for people.
  case binary(String)

  /// The longest line in bytes.
  private static let longest = 120

  /// The message as a short line for people: a sentence as sent, without its checksum, and a binary message by its
  /// class, its ID and the length of its payload.
  public var line: String {
    switch self {
    case .sentence(let body): "$" + String(decoding: body.prefix(Self.longest), as: UTF8.self)
    case .binary(let line): line
    }
  }

  /// Appends a sentence with its checksum and line end; nothing for a binary message.
  public func appendSentence(to text: inout [UInt8]) {
    guard case .sentence(let body) = self else { return }
    text.append(UInt8(ascii: "$"))
    text += body
    text.append(UInt8(ascii: "*"))
    let sum = body.reduce(0) { $0 ^ $1 }
    for digit in [sum >> 4, sum & 0xF] {
      text.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10)
    }
    text += [0x0D, 0x0A]
  }

  /// The approximate size in memory.
  public var size: Int {
    switch self {
    case .sentence(let body): body.count
    case .binary(let line): line.utf8.count
    }
  }
}

/// Finds the messages in the bytes of a receiver.
///
/// Frames with a wrong checksum and bytes outside frames are omitted. The messages do not depend on how the stream is
/// divided.
public struct RawLines: Sendable {
  private var framer = Framer()

  public init() {}

  /// Calls `handle` for each message that `bytes` complete.
  public mutating func take(_ bytes: UnsafeRawBufferPointer, _ handle: (RawMessage) -> Void) {
    var rest = bytes
    while !rest.isEmpty {
      let taken = framer.fill(from: rest)
      rest = UnsafeRawBufferPointer(rebasing: rest[taken...])
      let storage = framer.storage
      storage.withUnsafeBytes { bytes in
        while let frame = framer.next(in: bytes) {
          switch frame {
          case .sentence(let body): handle(.sentence(Array(bytes[body])))
          case .ubx(let type, let id, let payload): handle(Self.binary("UBX", type, id, payload.count))
          case .casic(let type, let id, let payload): handle(Self.binary("CASIC", type, id, payload.count))
          case .sirf: handle(.binary("SiRF binary"))
          }
        }
      }
    }
  }

  private static func binary(_ protocolName: String, _ type: UInt8, _ id: UInt8, _ length: Int) -> RawMessage
  {
    .binary("\(protocolName) \(hexadecimal(type)) \(hexadecimal(id)), \(length) bytes")
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16, uppercase: true)
    return "0x\(digits.count < 2 ? "0" : "")\(digits)"
  }
}
