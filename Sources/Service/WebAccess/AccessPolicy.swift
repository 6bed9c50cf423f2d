import HTTPServer
import Quantities

/// What a client may do.
public enum AccessRole: String, Sendable, CaseIterable {
  /// Everything.
  case `operator`
  /// A guest who may read all but positions, settings and satellites.
  case status
  /// A guest who may also read positions.
  case positions
  /// Nothing that requires a sign-in.
  case none
}

extension GuestMode {
  package var role: AccessRole {
    switch self {
    case .off: .none
    case .status: .status
    case .positions: .positions
    }
  }
}

/// Decides which requests are admitted, and as whom. Without clock, state and socket.
public struct AccessPolicy: Sendable {
  /// The way by which a request arrived.
  public struct Entrance: Equatable, Sendable {
    /// False on the Unix socket, whose permissions decide, and in the demo.
    public var requiresSignIn: Bool
    /// True if only programs on this host can connect.
    public var isLocal: Bool

    public init(requiresSignIn: Bool, isLocal: Bool) {
      self.requiresSignIn = requiresSignIn
      self.isLocal = isLocal
    }
  }

  /// The reason why a request is refused.
  public struct Refusal: Error, Equatable, Sendable {
    public var status: Int
    public var detail: String
  }

  /// The outcome of the check of a token.
  public enum Presented: Equatable, Sendable { case nothing, right, wrong }

  /// The shortest token with which the page signs in from other hosts.
  public static let shortestPageToken = 16

  /// The words of messages in which the servers differ.
  public struct Words: Equatable, Sendable {
    /// The server, as in "this logger".
    public var server: String
    /// The place of the token.
    public var token: String
    /// The place of further names of the host, as part of a sentence.
    public var names: String
    /// The remedy for a token that is too short.
    public var longToken: String
    /// The end of the message about a failed sign-in.
    public var help: String

    public init(server: String, token: String, names: String, longToken: String, help: String = "") {
      (self.server, self.token, self.names) = (server, token, names)
      (self.longToken, self.help) = (longToken, help)
    }

    public static let logger = Words(
      server: "logger", token: "api.token", names: "add the name to api.names",
      longToken: "create a token with outrider page --token", help: "; see outrider page")
  }

  private let hosts: HostNames
  private let guest: GuestMode
  private let bearer: BearerToken?
  private let cookie: SignInCookie?
  /// True if the token cannot be guessed, however often a client tries.
  let isTokenLong: Bool
  let words: Words

  /// `token` is nil if the API has none; then nobody can sign in.
  public init(
    token: String?, deviceID: String, hosts: HostNames, guest: GuestMode = .off, words: Words = .logger
  ) {
    self.words = words
    self.hosts = hosts
    self.guest = guest
    bearer = token.flatMap { BearerToken($0) }
    cookie = token.map { SignInCookie(token: $0, deviceID: deviceID) }
    isTokenLong = (token?.utf8.count ?? 0) >= Self.shortestPageToken
  }

  public var guestMode: GuestMode { guest }

  /// Checks the token of `Authorization: Bearer`.
  public func presented(by request: HTTPRequest) -> Presented {
    guard request.authorization != nil else { return .nothing }
    return bearer?.admits(request) == true ? .right : .wrong
  }

  /// True if `token` is the right one.
  public func matches(token: String) -> Bool { bearer?.matches(token) ?? false }

  /// Refuses what a page of another site could have caused. `presented` is the outcome of ``presented(by:)``.
  public func check(_ request: HTTPRequest, presented: Presented) throws(Refusal) {
    let fields = request.fields
    guard presented == .right || hosts.admits(fields.host) else {
      throw Refusal(
        status: 421,
        detail:
          "the host \(Self.quoted(fields.host)) is not one of this \(words.server); use its address, or "
          + words.names)
    }
    guard !["GET", "HEAD"].contains(request.method) else { return }
    if let site = fields.fetchSite, !["same-origin", "none"].contains(site.lowercased()) {
      throw Refusal(
        status: 403, detail: "a page of another site sent this request; open the page of this \(words.server)"
      )
    }
    if let origin = fields.origin, !Self.isOrigin(origin, of: fields.host) {
      throw Refusal(
        status: 403,
        detail:
          "the origin \(Self.quoted(origin)) is not that of this \(words.server); open the page of this "
          + words.server)
    }
    guard fields.origin != nil || fields.cookie != nil else { return }
    if request.body.isEmpty {
      guard fields.outrider == "1" else {
        throw Refusal(
          status: 403, detail: "a request of a page without a body requires the header Outrider: 1")
      }
    } else {
      let type = (request.contentType ?? "").prefix { $0 != ";" && $0 != " " }.lowercased()
      guard type == "application/json" else {
        throw Refusal(status: 415, detail: "a request of a page requires Content-Type: application/json")
      }
    }
  }

  /// Returns the role of a request.
  public func role(
    of request: HTTPRequest, at entrance: Entrance, presented: Presented, now: Timestamp
  ) -> AccessRole {
    if !entrance.requiresSignIn || presented == .right { return .operator }
    // A wrong token is an error, not a guest.
    if presented == .wrong { return .none }
    // A cookie is made with the token: where a short one must not sign in, guessed cookies would not be limited.
    let signedIn = admitsSignIn(at: entrance) ? cookie?.role(in: request.fields.cookie, now: now) : nil
    return signedIn ?? guest.role
  }

  /// True if the page can sign in at this entrance.
  public func admitsSignIn(at entrance: Entrance) -> Bool {
    entrance.requiresSignIn && bearer != nil && (isTokenLong || entrance.isLocal)
  }

  /// Returns the header `Set-Cookie` of a sign-in.
  public func signIn(isSecure: Bool, now: Timestamp) -> HTTPResponse.Header? {
    cookie.map { cookie in
      let seconds = SignInCookie.lifetime.wholeSeconds
      return Self.header(cookie.value(role: .operator, now: now), seconds: seconds, isSecure: isSecure)
    }
  }

  /// Returns the header `Set-Cookie` that ends a sign-in.
  public static let signOut = header("", seconds: 0, isSecure: false)

  private static func header(_ value: String, seconds: Int64, isSecure: Bool) -> HTTPResponse.Header {
    let text = "\(SignInCookie.name)=\(value); HttpOnly; SameSite=Lax; Path=/; Max-Age=\(seconds)"
    return HTTPResponse.Header("Set-Cookie", isSecure ? "\(text); Secure" : text)
  }

  private static func isOrigin(_ origin: String, of host: String?) -> Bool {
    guard let host, let separator = origin.firstRange(of: "://") else { return false }
    return ["http", "https"].contains(origin[..<separator.lowerBound].lowercased())
      && origin[separator.upperBound...].lowercased() == host.lowercased()
  }

  /// The text for a message: short, and without characters that could be taken for others.
  private static func quoted(_ text: String?) -> String {
    let safe = (text ?? "").unicodeScalars.prefix(80).map {
      $0.isASCII && $0.value > 31 ? Character($0) : "?"
    }
    return "\"\(String(safe))\""
  }
}
