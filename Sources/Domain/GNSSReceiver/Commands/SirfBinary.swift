/// SiRF binary, which is recognised but not supported: the message for people, and the command that switches
/// to NMEA.
public enum SirfBinary {
  /// The message for people with such a receiver.
  public static let explanation = """
    SiRF binary is not supported; switch the receiver to NMEA with SiRF binary message 129 \
    or with the manufacturer's program
    """

  /// Message 129: NMEA with RMC, GGA and GSA every second, GSV every fifth, at `baud` bit/s.
  ///
  /// Sent at the baud rate of the binary protocol; afterwards the receiver sends NMEA at `baud`.
  public static func switchToNMEA(baud: UInt16 = 9600) -> [UInt8] {
    // Message, mode 2 (debug output unchanged), then rate in seconds and checksum on for GGA, GLL, GSA, GSV,
    // RMC, VTG, MSS, EPE, ZDA and a reserved one.
    let rates: [UInt8] = [1, 0, 1, 5, 1, 0, 0, 0, 0, 0]
    var payload: [UInt8] = [129, 2]
    for rate in rates {
      payload.append(rate)
      payload.append(1)
    }
    payload.append(UInt8(truncatingIfNeeded: baud >> 8))
    payload.append(UInt8(truncatingIfNeeded: baud))
    return frame(payload)
  }

  /// `A0 A2`, length, payload, 15-bit sum of the payload, `B0 B3`; most significant byte first.
  static func frame(_ payload: [UInt8]) -> [UInt8] {
    let sum = payload.reduce(0) { ($0 + Int($1)) & 0x7FFF }
    let length = payload.count & 0x7FF
    return [0xA0, 0xA2, UInt8(length >> 8), UInt8(length & 0xFF)] + payload
      + [UInt8(sum >> 8), UInt8(sum & 0xFF), 0xB0, 0xB3]
  }
}
