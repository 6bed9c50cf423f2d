import Formats
import HTTPClient

extension HTTPEndpoint {
  var probe: OverlandProfile.Probe {
    switch form {
    case .overland(let profile): profile.probe
    case .ownTracks, .query, .traccar: .endpoint
    }
  }

  /// Returns a GET request that tests the server and stores nothing.
  public func probeRequest(version: String, timeout: Duration) -> HTTPClientRequest {
    var url = self.url
    if case .status(let path) = probe { url = Self.url(url, besides: path) }
    // A server that reads locations from the query would store one.
    if URLMarkers.areIn(url) {
      url = URLMarkers.filled(String(url.prefix { $0 != "?" && $0 != "#" }), from: nil)
    }
    if case .query(let name, let token) = credentials {
      url = QueryText.url(url, adding: "\(name)=\(QueryText.percentEncoded(token))")
    }
    var request = HTTPClientRequest(.get, url: url)
    request.headers = [("User-Agent", "Outrider/\(version)")] + identity
    request.authorityFile = authorityFile
    request.clientCertificateFile = clientCertificateFile
    request.clientKeyFile = clientKeyFile
    request.proxy = proxy
    request.timeout = timeout
    request.responseLimit = 16 * 1024
    request.keepsConnection = false
    request.readsCertificates = true
    return request
  }

  /// Returns the URL with `path` as the last component of its path, without its query.
  static func url(_ url: String, besides path: String) -> String {
    let front = url.prefix { $0 != "?" && $0 != "#" }
    // Behind "https:" and the two slashes.
    let hostAndPath = front.drop { $0 != ":" }.dropFirst(3)
    guard let first = hostAndPath.firstIndex(of: "/"), let slash = hostAndPath[first...].lastIndex(of: "/")
    else {
      return "\(front)/\(path)"
    }
    return "\(front[...slash])\(path)"
  }
}
