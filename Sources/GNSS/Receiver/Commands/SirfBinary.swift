/// SiRF binary, which is recognised and not read: what to tell people, and the way out of it.
public enum SirfBinary {
  /// A sentence for people who run such a receiver.
  public static let explanation = """
    The receiver speaks SiRF binary, the manufacturer's own protocol, which is not read here. \
    Switch it to NMEA: send SiRF binary message 129, or choose NMEA in the maker's program.
    """

  /// Message 129: NMEA with RMC, GGA and GSA every second, GSV every fifth, at `baud` bit/s.
  ///
  /// Sent at the speed at which it speaks binary; afterwards it speaks NMEA at `baud`.
  public static func switchToNMEA(baud: UInt16 = 9600) -> [UInt8] {
    // Message, mode 2 (debug lines as they are), then rate in seconds and checksum on for GGA, GLL, GSA, GSV,
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
