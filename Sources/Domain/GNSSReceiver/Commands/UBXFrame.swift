import GNSSProtocol

/// Encodes UBX frames: `B5 62`, class, id, length, payload, Fletcher-8 checksum.
public enum UBXFrame {
  /// The frame with `payload`, truncated to 65 535 bytes.
  public static func bytes(class type: UInt8, id: UInt8, payload: [UInt8] = []) -> [UInt8] {
    let payload = payload.prefix(Int(UInt16.max))
    var frame: [UInt8] = [0xB5, 0x62, type, id]
    frame.reserveCapacity(payload.count + 8)
    frame.append(UInt8(truncatingIfNeeded: payload.count))
    frame.append(UInt8(truncatingIfNeeded: payload.count >> 8))
    frame.append(contentsOf: payload)
    let sum = frame.withUnsafeBytes { Fletcher8($0, 2..<$0.count) }
    frame.append(sum.a)
    frame.append(sum.b)
    return frame
  }

  /// A frame with the payload that `write` appends.
  static func bytes(class type: UInt8, id: UInt8, _ write: (inout LittleEndianBytes) -> Void) -> [UInt8] {
    var payload = LittleEndianBytes()
    write(&payload)
    return bytes(class: type, id: id, payload: payload.bytes)
  }
}
