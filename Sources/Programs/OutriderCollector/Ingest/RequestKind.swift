import HTTPServer

/// The purpose of a request, by its method and path.
enum RequestKind: Equatable {
  /// The delivery of a batch: a POST on any path, because senders differ in theirs.
  case overland
  /// The delivery of a message of OwnTracks.
  case ownTracks
  /// `GET …/status`, by which a device recognizes the server.
  case status
  /// `GET /healthz`, for a load balancer.
  case health
  /// A method or path that is not served; `allowed` is the value of `Allow`.
  case wrongMethod(allowed: String)
  case notFound

  init(_ request: HTTPRequest) {
    let isReading = request.method == "GET" || request.method == "HEAD"
    switch request.path {
    case "/healthz": self = isReading ? .health : .wrongMethod(allowed: "GET, HEAD")
    case "/metrics": self = .notFound
    case "/pub", "/owntracks":
      self = request.method == "POST" ? .ownTracks : .wrongMethod(allowed: "POST")
    case let path where path == "/status" || path.hasSuffix("/status"):
      self = isReading ? .status : .wrongMethod(allowed: "GET, HEAD")
    default:
      self = request.method == "POST" ? .overland : isReading ? .notFound : .wrongMethod(allowed: "POST")
    }
  }
}

extension HTTPRequest {
  /// The token of the client: by `Authorization: Bearer`, as the password of `Authorization: Basic`, which
  /// OwnTracks sends, or as the query item `token`.
  var token: String? {
    guard let authorization, let space = authorization.firstIndex(of: " ") else {
      return queryValue("token").flatMap { $0.isEmpty ? nil : $0 }
    }
    let text = String(authorization[space...].drop { $0 == " " })
    switch authorization[..<space].lowercased() {
    case "bearer": return text.isEmpty ? nil : text
    case "basic":
      guard let credentials = Base64.decoded(text), let colon = credentials.firstIndex(of: UInt8(ascii: ":"))
      else { return nil }
      let password = String(decoding: credentials[(colon + 1)...], as: UTF8.self)
      return password.isEmpty ? nil : password
    default: return nil
    }
  }

  /// The owner `user/device` of a message of OwnTracks, from the query or, if missing there, from the headers.
  /// If one of the two is missing, the other one alone.
  var owner: String? {
    let names = [("u", limitUser), ("d", limitDevice)].compactMap { item, header in
      [queryValue(item), header].compactMap { $0 }.first { !$0.isEmpty }
    }
    return names.isEmpty ? nil : names.joined(separator: "/")
  }
}

/// The decoding of Base64 (RFC 4648 section 4).
enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// The bytes of a text; nil if it is not Base64.
  static func decoded(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var (buffer, bits) = (UInt32(0), 0)
    for byte in text.utf8.prefix(while: { $0 != UInt8(ascii: "=") }) {
      guard let digit = alphabet.firstIndex(of: byte) else { return nil }
      buffer = (buffer & 0xFFFF) << 6 | UInt32(digit)
      bits += 6
      guard bits >= 8 else { continue }
      bits -= 8
      bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
    }
    return bytes
  }
}
