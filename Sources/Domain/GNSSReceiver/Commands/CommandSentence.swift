/// Encodes NMEA sentences: `$`, body, `*`, checksum, CR LF.
public enum CommandSentence {
  /// The sentence around `body`, which is the text between `$` and `*`.
  public static func bytes(_ body: String) -> [UInt8] {
    var sum: UInt8 = 0
    var sentence: [UInt8] = [UInt8(ascii: "$")]
    sentence.reserveCapacity(body.utf8.count + 6)
    for byte in body.utf8 {
      sum ^= byte
      sentence.append(byte)
    }
    sentence.append(UInt8(ascii: "*"))
    sentence.append(hexadecimal(sum >> 4))
    sentence.append(hexadecimal(sum & 0x0F))
    sentence.append(0x0D)
    sentence.append(0x0A)
    return sentence
  }

  private static func hexadecimal(_ digit: UInt8) -> UInt8 { digit < 10 ? 0x30 + digit : 0x37 + digit }
}

extension ReceiverCommand {
  /// A sentence command; `name` is the address.
  static func sentence(_ body: String, reply: Reply) -> ReceiverCommand {
    let address = body.prefix { $0 != "," }
    return ReceiverCommand(name: String(address), bytes: CommandSentence.bytes(body), reply: reply)
  }

  /// A UBX message that is answered by ACK-ACK or ACK-NAK.
  static func acknowledged(
    _ name: String, class type: UInt8, id: UInt8, _ write: (inout LittleEndianBytes) -> Void
  ) -> ReceiverCommand {
    ReceiverCommand(
      name: name, bytes: UBXFrame.bytes(class: type, id: id, write), reply: .acknowledge(class: type, id: id))
  }
}
