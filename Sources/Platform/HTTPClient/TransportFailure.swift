import Quantities
import System

/// The reason for a missing response, with the origin (`http://host:port`). The description contains the remedy.
public enum TransportFailure: Error, Equatable, Sendable {
  /// The host name cannot be resolved. Nothing was sent.
  case nameNotResolved(origin: String, reason: NameFailure)
  /// No connection: refused, no route, or timed out. Nothing was sent.
  case unreachable(origin: String, reason: String)
  /// No connection to the proxy, given without user and password. Nothing was sent.
  case noProxy(String, reason: String)
  /// The client certificate or its key cannot be used. Nothing was sent.
  case clientCertificate(origin: String, reason: String)
  /// The certificate is not trusted, or TLS failed otherwise. Nothing was sent.
  case tls(origin: String, reason: String)
  /// Sent, but no complete response within the timeout: the server may have processed the request.
  case timedOut(origin: String, after: Duration)
  /// The connection closed during the exchange: the server may have processed the request.
  case interrupted(origin: String, reason: String)
  /// The header lines or the trailers of the response have no end, or are longer than 128 KiB: the server may have
  /// processed the request.
  case headersTooLong(origin: String)
  /// The request cannot be made: its URL, a header or the authority file.
  case invalidRequest(reason: String)
  /// Any other error of libcurl, with its code.
  case other(origin: String, code: Int, reason: String)

  /// True if the server may have processed the request.
  public var isOutcomeUnknown: Bool {
    switch self {
    case .timedOut, .interrupted, .headersTooLong, .other: true
    case .nameNotResolved, .unreachable, .noProxy, .clientCertificate, .tls, .invalidRequest: false
    }
  }
}

extension TransportFailure: CustomStringConvertible {
  public var description: String {
    switch self {
    case .nameNotResolved(let origin, let reason):
      "\(origin): cannot resolve the host name (\(reason)); check \(Self.remedy(reason))"
    case .unreachable(let origin, let reason):
      "\(origin): no connection (\(reason)); check the network, the host and the port in the url"
    case .noProxy(let proxy, let reason):
      "\(proxy): no connection (\(reason)); check the proxy and the network"
    case .clientCertificate(let origin, let reason):
      "\(origin): cannot use the client certificate (\(reason)); "
        + "check the files of client_certificate and client_key"
    case .tls(let origin, let reason):
      "\(origin): no trusted TLS connection (\(reason)); "
        + "check the server's certificate, ca_file and this device's clock"
    case .timedOut(let origin, let duration):
      "\(origin): no response within \(Self.seconds(duration)) s; check the server's load or raise the timeout"
    case .interrupted(let origin, let reason):
      "\(origin): the connection closed before the response was complete (\(reason)); "
        + "check the server and proxies in between"
    case .headersTooLong(let origin):
      "\(origin): the header or a trailer of the response is too long; check the server and proxies in between"
    case .invalidRequest(let reason):
      "invalid request (\(reason)); check url, token and ca_file"
    case .other(let origin, let code, let reason):
      "\(origin): \(reason) (libcurl \(code)); check the url and the server"
    }
  }

  private static func remedy(_ failure: NameFailure) -> String {
    switch failure {
    case .notFound: "the url and the DNS server of the network"
    case .noAnswer: "the network and its DNS server"
    case .noNetwork: "the network"
    case .other: "the url, the network and its DNS server"
    }
  }

  private static func seconds(_ duration: Duration) -> String {
    var text: [UInt8] = []
    text.appendDecimal(duration.wholeMilliseconds, decimals: 3)
    return String(decoding: text, as: UTF8.self)
  }
}
