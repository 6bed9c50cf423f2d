import GNSSProtocol

/// Lists the messages of a receiver as short lines for people: a sentence as sent, without its checksum, and a binary
/// message by its class, its ID and the length of its payload.
///
/// Frames with a wrong checksum and bytes outside frames are omitted. The lines do not depend on how the stream is
/// divided.
public struct RawLines: Sendable {
  /// The longest line in bytes.
  private static let longest = 120

  private var framer = Framer()

  public init() {}

  /// Calls `line` for each message that `bytes` complete.
  public mutating func take(_ bytes: UnsafeRawBufferPointer, _ line: (String) -> Void) {
    var rest = bytes
    while !rest.isEmpty {
      let taken = framer.fill(from: rest)
      rest = UnsafeRawBufferPointer(rebasing: rest[taken...])
      let storage = framer.storage
      storage.withUnsafeBytes { bytes in
        while let frame = framer.next(in: bytes) {
          switch frame {
          case .sentence(let body):
            line("$" + String(decoding: bytes[body].prefix(Self.longest), as: UTF8.self))
          case .ubx(let type, let id, let payload): line(Self.binary("UBX", type, id, payload.count))
          case .casic(let type, let id, let payload): line(Self.binary("CASIC", type, id, payload.count))
          case .sirf: line("SiRF binary")
          }
        }
      }
    }
  }

  private static func binary(_ protocolName: String, _ type: UInt8, _ id: UInt8, _ length: Int) -> String {
    "\(protocolName) \(hexadecimal(type)) \(hexadecimal(id)), \(length) bytes"
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16, uppercase: true)
    return "0x\(digits.count < 2 ? "0" : "")\(digits)"
  }
}
