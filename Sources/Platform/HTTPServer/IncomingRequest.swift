import CMicroHTTPD
import Glibc

/// A request that is being received.
final class IncomingRequest {
  /// The reason why a request is refused before the handler.
  enum Refusal {
    case contentTooLarge, busy, tooManyItems, hasNUL
    /// Two headers with different lengths (RFC 9112 section 6.3).
    case differentLengths
    /// By the decision on the head.
    case response(HTTPResponse)
  }

  let method: String
  let path: String
  /// The value of `Content-Length`; nil if there is none, as in a chunked request.
  let declaredLength: Int?
  let expectsContinue: Bool
  var body: [UInt8] = []
  var refusal: Refusal?
  /// The number of bytes that were received and discarded after a refusal.
  var swallowed = 0
  /// The decision on the head, while it is awaited.
  var decision: HTTPPending<HTTPAdmission>?
  /// Responds to the whole request, if the decision on the head chose it.
  var handler: HTTPServer.Handler?
  /// The response, while it is awaited.
  var reply: HTTPPending<HTTPResponse>?
  /// The work for the response, until it is done.
  var work: HTTPWork?

  init(_ connection: OpaquePointer, method: UnsafePointer<CChar>, url: UnsafePointer<CChar>) {
    self.method = String(cString: method)
    path = String(cString: url)
    declaredLength = Self.header(MHD_HTTP_HEADER_CONTENT_LENGTH, of: connection).map { Int($0) ?? .max }
    expectsContinue = Self.header(MHD_HTTP_HEADER_EXPECT, of: connection)?.lowercased() == "100-continue"
  }

  /// The maximum number of query items. libmicrohttpd stores each in about 64 of a connection's 32 KiB, and stops
  /// responding if these are exhausted.
  static let mostItems = 100

  /// Returns the reason to refuse a request for this undecoded target; nil if it is accepted.
  ///
  /// A NUL would end the library's string early, so the request would have another meaning.
  static func refusal(of target: UnsafePointer<CChar>) -> Refusal? {
    let bytes = UnsafeRawBufferPointer(start: target, count: strlen(target))
    if bytes.indices.contains(where: { bytes[$0...].starts(with: "%00".utf8) }) { return .hasNUL }
    guard let query = bytes.firstIndex(of: UInt8(ascii: "?")) else { return nil }
    let separators = bytes[query...].count { $0 == UInt8(ascii: "&") }
    return separators < mostItems ? nil : .tooManyItems
  }

  /// The number of bytes for which a body's memory is reserved because of its declared length.
  private static let reservedBytes = 256 << 10

  func append(_ piece: UnsafeRawBufferPointer) {
    if body.isEmpty { body.reserveCapacity(max(min(declaredLength ?? 0, Self.reservedBytes), piece.count)) }
    body.append(contentsOf: piece)
  }

  /// Ends all waits, because the request has ended.
  func cancel() {
    decision?.cancel()
    reply?.cancel()
  }

  func takeBody() -> [UInt8] {
    defer { body = [] }
    return body
  }

  func request(_ connection: OpaquePointer, body: [UInt8], hasPeerAddress: Bool) -> HTTPRequest {
    var request = HTTPRequest(
      method: method, path: path, query: Self.query(of: connection),
      authorization: Self.header(MHD_HTTP_HEADER_AUTHORIZATION, of: connection),
      contentType: Self.header(MHD_HTTP_HEADER_CONTENT_TYPE, of: connection),
      contentEncoding: Self.header(MHD_HTTP_HEADER_CONTENT_ENCODING, of: connection), body: body)
    request.contentLength = declaredLength
    request.limitUser = Self.header("X-Limit-U", of: connection)
    request.limitDevice = Self.header("X-Limit-D", of: connection)
    request.fields = Self.fields(of: connection)
    if hasPeerAddress { request.peerAddress = ClientSocket.peerAddress(outrider_MHD_socket(connection)) }
    request.isFromThisHost = ClientSocket.isLocal(outrider_MHD_socket(connection))
    return request
  }

  private static func fields(of connection: OpaquePointer) -> HTTPRequest.Fields {
    var fields = HTTPRequest.Fields()
    fields.host = header(MHD_HTTP_HEADER_HOST, of: connection)
    fields.origin = header(MHD_HTTP_HEADER_ORIGIN, of: connection)
    fields.fetchSite = header("Sec-Fetch-Site", of: connection)
    fields.cookie = header(MHD_HTTP_HEADER_COOKIE, of: connection)
    fields.accept = header(MHD_HTTP_HEADER_ACCEPT, of: connection)
    fields.acceptEncoding = header(MHD_HTTP_HEADER_ACCEPT_ENCODING, of: connection)
    fields.ifNoneMatch = header(MHD_HTTP_HEADER_IF_NONE_MATCH, of: connection)
    fields.lastEventID = header("Last-Event-ID", of: connection)
    fields.outrider = header("Outrider", of: connection)
    fields.clientVerify = header("X-Client-Verify", of: connection)
    fields.forwardedProto = header("X-Forwarded-Proto", of: connection)
    return fields
  }

  private static func header(_ name: String, of connection: OpaquePointer) -> String? {
    outrider_MHD_header(connection, name).map { String(cString: $0) }
  }

  /// True if the request has several lengths that differ.
  static func hasDifferentLengths(_ connection: OpaquePointer) -> Bool {
    var lengths = Lengths()
    // The pointers are used only during the call.
    withUnsafeMutablePointer(to: &lengths) { pointer in
      outrider_MHD_headers(
        connection,
        { context, _, name, value in
          guard let context, let name, let value, strcasecmp(name, MHD_HTTP_HEADER_CONTENT_LENGTH) == 0 else {
            return .YES
          }
          context.assumingMemoryBound(to: Lengths.self).pointee.note(value)
          return .YES
        }, pointer)
    }
    return lengths.differ
  }

  /// The values of `Content-Length` of a request.
  private struct Lengths {
    private var first: UnsafePointer<CChar>?
    private(set) var differ = false

    mutating func note(_ value: UnsafePointer<CChar>) {
      if let first, strcmp(first, value) != 0 { differ = true }
      first = first ?? value
    }
  }

  private static func query(of connection: OpaquePointer) -> [HTTPRequest.QueryItem] {
    var items: [HTTPRequest.QueryItem] = []
    // The pointer is used only during the call.
    withUnsafeMutablePointer(to: &items) { pointer in
      outrider_MHD_query(
        connection,
        { context, _, name, value in
          guard let context, let name else { return .YES }
          context.assumingMemoryBound(to: [HTTPRequest.QueryItem].self).pointee.append(
            .init(name: String(cString: name), value: value.map { String(cString: $0) }))
          return .YES
        }, pointer)
    }
    return items
  }
}
