extension SetupURL {
  /// Creates the URL of a device.
  public init(url: Endpoint, token: Secret?, deviceID: String, sendsUniqueID: Bool) {
    self.url = url
    self.token = token
    self.deviceID = deviceID.isEmpty ? nil : deviceID
    self.sendsUniqueID = sendsUniqueID
    missing = []
    if token == nil { missing.append("token") }
    if deviceID.isEmpty { missing.append("device_id") }
    if !sendsUniqueID { missing.append("unique_id") }
  }

  /// The URL with all values, as `outrider setup` and the app accept it. It contains the token.
  public var revealed: String {
    let parameters = [
      ("url", url?.text), ("token", token?.revealed), ("device_id", deviceID),
      ("unique_id", sendsUniqueID ? "yes" : nil),
    ]
    let query = parameters.compactMap { name, value in value.map { "\(name)=\(Self.encoded($0))" } }
    return "overland://setup" + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
  }

  /// Percent-encodes everything but the unreserved characters (RFC 3986, section 2.3).
  private static func encoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF")
    return text.utf8.reduce(into: "") { result, byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        result.unicodeScalars.append(Unicode.Scalar(byte))
      default: result += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
      }
    }
  }
}
