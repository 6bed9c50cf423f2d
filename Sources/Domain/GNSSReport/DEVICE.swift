import GNSSProtocol

/// The identity of a receiver as one line of JSON with the names of gpsd's DEVICE report (gpsd_json(5)).
///
/// `driver` is the receiver family, `subtype` the firmware, `subtype1` the module or the hardware. Keys
/// without a value are absent.
public enum DEVICE {
  /// Appends the report and a line feed.
  public static func append(_ identity: ReceiverIdentity, to text: inout [UInt8]) {
    text.write(#"{"class":"DEVICE""#)
    text.write(key: "driver")
    text.write(string: identity.family.rawValue.utf8)
    if let firmware = identity.firmware {
      text.write(key: "subtype")
      text.write(string: firmware.utf8)
    }
    if let module = identity.module ?? identity.hardware {
      text.write(key: "subtype1")
      text.write(string: module.utf8)
    }
    text.write("}\n")
  }
}
