import CCurl
import Glibc
import Quantities
import System

extension Transfer {
  /// Returns the result of the request, read from the handle before it is released.
  func outcome(_ code: CURLcode, utc: () -> Timestamp) -> HTTPOutcome {
    // CURLE_WRITE_ERROR means here that the response limit was reached and the client ended the transfer.
    if hasTooManyHeaders { return .failure(.headersTooLong(origin: origin)) }
    let isComplete = code == CURLE_OK || (code == CURLE_WRITE_ERROR && isCut)
    guard isComplete, let status = number(CURLINFO_RESPONSE_CODE) else { return .failure(failure(code)) }
    var response = HTTPResponse(status: status)
    response.body = received
    response.isCut = isCut
    response.redirectURL = text(CURLINFO_REDIRECT_URL)
    if request.readsCertificates { response.certificateEnd = certificateEnd }
    response.retryAfter = header("Retry-After").flatMap { RetryAfter.duration($0, now: utc()) }
    return .response(response)
  }

  /// The earliest end of validity in the chain that the server sent.
  private var certificateEnd: Timestamp? {
    var ends: [Timestamp] = []
    var number: Int32 = 0
    while let text = outrider_easy_certificate_end(easy, number) {
      if let end = CertificateDate.timestamp(String(cString: text)) { ends.append(end) }
      number += 1
    }
    return ends.min()
  }

  private var origin: String { HTTPOrigin(request.url)?.description ?? "invalid url" }

  /// The failure of a request whose host, or its proxy, has no address.
  func failure(_ reason: NameFailure, of host: ConnectionHosts.Host?) -> TransportFailure {
    if let proxy, let host, ConnectionHosts(request, environment: { _ in nil })?.proxy == host {
      return .noProxy(proxy, reason: "\(reason)")
    }
    if let host, ConnectionHosts(request, environment: ProcessEnvironment.variable)?.server != host {
      return .noProxy(Self.environmentProxy, reason: "\(host.name): \(reason)")
    }
    return .nameNotResolved(origin: origin, reason: reason)
  }

  /// The failure of a request whose file cannot be used.
  func failure(_ failure: TLSFiles.Failure) -> TransportFailure {
    switch failure.part {
    case .authority: .invalidRequest(reason: "ca_file \(failure.cause)")
    case .certificate: .clientCertificate(origin: origin, reason: "client_certificate \(failure.cause)")
    case .key: .clientCertificate(origin: origin, reason: "client_key \(failure.cause)")
    }
  }

  /// The failure of a request whose time ended before an attempt.
  var timeoutBeforeAttempt: TransportFailure { .unreachable(origin: origin, reason: "connection timed out") }

  private static let environmentProxy = "proxy from the environment (https_proxy, all_proxy…)"

  private func failure(_ code: CURLcode) -> TransportFailure {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST: return .nameNotResolved(origin: origin, reason: .other(reason(code)))
    case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY:
      return .noProxy(proxy ?? Self.environmentProxy, reason: reason(code))
    case CURLE_COULDNT_CONNECT:
      if let proxy { return .noProxy(proxy, reason: systemReason ?? reason(code)) }
      return .unreachable(origin: origin, reason: systemReason ?? reason(code))
    case CURLE_OPERATION_TIMEDOUT:
      guard hasBegunToSend else { return .unreachable(origin: origin, reason: "connection timed out") }
      return .timedOut(origin: origin, after: request.timeout)
    case CURLE_SSL_CERTPROBLEM: return .clientCertificate(origin: origin, reason: reason(code))
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR,
      CURLE_SSL_CIPHER, CURLE_SSL_INVALIDCERTSTATUS:
      return .tls(origin: origin, reason: reason(code))
    case CURLE_SSL_CACERT_BADFILE:
      let path = request.authorityFile.map { "ca_file \($0): " } ?? ""
      return .invalidRequest(reason: path + reason(code))
    // A trailer that is longer than libcurl's limit of 4 KiB.
    case CURLE_RECV_ERROR where errorMessage.hasPrefix("Out of memory"):
      return .headersTooLong(origin: origin)
    case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE:
      return .interrupted(origin: origin, reason: reason(code))
    // A header line that is longer than libcurl's limit of 100 KiB.
    case CURLE_OUT_OF_MEMORY where hasBegunToSend, Self.tooLarge: return .headersTooLong(origin: origin)
    case CURLE_URL_MALFORMAT: return .invalidRequest(reason: reason(code))
    // After sending, the same code means a response that is not HTTP/1.
    case CURLE_UNSUPPORTED_PROTOCOL where !hasBegunToSend: return .invalidRequest(reason: reason(code))
    default: return .other(origin: origin, code: Int(code.rawValue), reason: reason(code))
    }
  }

  /// CURLE_TOO_LARGE of libcurl 8.6.
  private static let tooLarge = CURLcode(rawValue: 100)

  /// The proxy of the request, without user and password.
  private var proxy: String? {
    guard let address = request.proxy else { return nil }
    guard let at = address.lastIndex(of: "@") else { return address }
    let scheme = address.prefix { $0 != ":" }
    return "\(scheme)://\(address[address.index(after: at)...])"
  }

  private func reason(_ code: CURLcode) -> String {
    errorMessage.isEmpty ? String(cString: curl_easy_strerror(code)) : errorMessage
  }

  /// The kernel's error for a failed connection.
  private var systemReason: String? {
    guard let number = number(CURLINFO_OS_ERRNO), number != 0 else { return nil }
    return String(cString: strerror(Int32(truncatingIfNeeded: number))).lowercased()
  }

  /// True if name resolution, connection and TLS succeeded.
  private var hasBegunToSend: Bool {
    var microseconds: curl_off_t = 0
    return outrider_easy_size(easy, CURLINFO_PRETRANSFER_TIME_T, &microseconds) == CURLE_OK
      && microseconds > 0
  }

  private func number(_ item: CURLINFO) -> Int? {
    var value = 0
    return outrider_easy_number(easy, item, &value) == CURLE_OK ? value : nil
  }

  private func text(_ item: CURLINFO) -> String? {
    var value: UnsafePointer<CChar>?
    guard outrider_easy_text(easy, item, &value) == CURLE_OK, let value else { return nil }
    return String(cString: value)
  }

  /// Returns the first header of that name in the final response.
  private func header(_ name: String) -> String? {
    var header: UnsafeMutablePointer<curl_header>?
    guard curl_easy_header(easy, name, 0, UInt32(CURLH_HEADER), -1, &header) == CURLHE_OK, let header else {
      return nil
    }
    return String(cString: header.pointee.value)
  }
}
