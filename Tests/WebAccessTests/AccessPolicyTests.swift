import HTTPServer
import WebAccess
import Quantities
import Testing

/// The decisions about access: hosts, origins, cookies, wrong tokens.
@Suite struct AccessPolicyTests {
  static let hosts: [(host: String?, isAdmitted: Bool)] = [
    (nil, true), ("localhost", true), ("localhost:8080", true), ("LOCALHOST", true), ("127.0.0.1", true),
    ("127.0.0.1:8017", true), ("192.168.1.20", true), ("10.42.0.1:8080", true), ("[::1]", true),
    ("[::1]:8080", true), ("[fe80::1]:8080", true), ("van", true), ("van:8080", true),
    ("van.local", true), ("van.local.:8080", true), ("box.example.org", true), ("BOX.example.org:1", true),
    ("gw.example.net", true), ("gw.example.net:443", true),
    ("", false), ("evil.example.com", false), ("evil.example.com:8080", false), ("local", true),
    ("evil.local.example.com", false), ("xlocal.example", false), ("1.2.3.4.evil.com", false),
    ("1.2.3", false), ("1.2.3.256", false), ("127.0.0.1.nip.io", false), ("gw.example.net.evil.com", false),
    ("box.example.org@evil.com", false), ("a b", false), ("localhost:80x", false), ("localhost:80:90", false),
    ("[::1", false), ("[evil.com]", false), ("[::1]x", false), ("%2Frun%2Fapi.sock", false),
    ("bücher", false),
    (".", false), (".local", true),
  ]

  private static let names = HostNames(hostName: "Box.example.org", further: ["GW.example.net"])

  @Test(arguments: hosts) func onlyNamesThatNobodyElseCanPointHereAreAdmitted(host: String?, isAdmitted: Bool)
  {
    #expect(Self.names.admits(host) == isAdmitted, "\(host ?? "none")")
  }

  private static let token = "0123456789abcdef"
  private static let policy = AccessPolicy(token: token, deviceID: "van", hosts: names)
  private static let remote = AccessPolicy.Entrance(requiresSignIn: true, isLocal: false)
  private static let socket = AccessPolicy.Entrance(requiresSignIn: false, isLocal: true)
  private static let now = Timestamp(milliseconds: 1_782_000_000_000)

  private static let expiry = now + SignInCookie.lifetime
  private static let lastSecond = now + .seconds(2_591_999)

  private static func request(
    _ method: String = "GET", host: String? = "van", _ change: (inout HTTPRequest) -> Void = { _ in }
  ) -> HTTPRequest {
    var request = HTTPRequest(method: method, path: "/settings")
    request.fields.host = host
    change(&request)
    return request
  }

  private static func status(_ request: HTTPRequest, _ presented: AccessPolicy.Presented = .nothing) -> Int? {
    do throws(AccessPolicy.Refusal) {
      try policy.check(request, presented: presented)
      return nil
    } catch { return error.status }
  }

  @Test func aForeignHostIsMisdirectedUnlessTheTokenIsRight() {
    let foreign = Self.request(host: "evil.example.com")
    #expect(Self.status(foreign) == 421 && Self.status(foreign, .wrong) == 421)
    #expect(Self.status(foreign, .right) == nil)
  }

  struct Change: Sendable {
    var method = "POST"
    var origin: String?
    var site: String?
    var cookie: String?
    var outrider: String?
    var type: String?
    var body = ""
    var status: Int?
  }

  static let changes: [Change] = [
    // Programs send neither origin nor cookie.
    Change(), Change(body: "{}"), Change(type: "application/x-www-form-urlencoded", body: "{}"),
    Change(method: "PATCH", body: "{}"),
    // The page.
    Change(origin: "http://van", site: "same-origin", outrider: "1"),
    Change(origin: "http://VAN", site: "same-origin", type: "application/json", body: "{}"),
    Change(origin: "https://van", type: "application/json; charset=utf-8", body: "{}"),
    Change(cookie: "a=b", outrider: "1"), Change(site: "none", cookie: "a=b", outrider: "1"),
    // A form or a script of another site.
    Change(site: "cross-site", status: 403), Change(site: "same-site", outrider: "1", status: 403),
    Change(origin: "http://evil.com", status: 403), Change(origin: "null", outrider: "1", status: 403),
    Change(origin: "http://van:81", outrider: "1", status: 403),
    Change(origin: "van", outrider: "1", status: 403),
    Change(origin: "ftp://van", outrider: "1", status: 403),
    Change(origin: "http://van.evil.com", outrider: "1", status: 403),
    Change(origin: "http://van", status: 403), Change(cookie: "outrider=x", status: 403),
    Change(origin: "http://van", outrider: "0", status: 403),
    Change(origin: "http://van", outrider: "1", type: "text/plain", body: "{}", status: 415),
    Change(cookie: "a=b", outrider: "1", type: nil, body: "{}", status: 415),
    Change(cookie: "a=b", type: "application/jsonx", body: "{}", status: 415),
    Change(method: "DELETE", origin: "http://van", status: 403),
    // GET changes nothing.
    Change(method: "GET", origin: "http://evil.com", site: "cross-site", cookie: "a=b"),
    Change(method: "HEAD", site: "cross-site"),
  ]

  @Test(arguments: changes) func onlyTheOwnPageMayChangeSomethingFromABrowser(_ change: Change) {
    let request = Self.request(change.method) { request in
      request.fields.origin = change.origin
      request.fields.fetchSite = change.site
      request.fields.cookie = change.cookie
      request.fields.outrider = change.outrider
      request.contentType = change.type
      request.body = Array(change.body.utf8)
    }
    #expect(Self.status(request) == change.status, "\(change)")
  }

  @Test func aCookieIsValidForItsTokenDeviceAndTime() throws {
    let cookie = SignInCookie(token: Self.token, deviceID: "van")
    let value = cookie.value(role: .operator, now: Self.now)
    let parts = value.split(separator: ".")
    try #require(parts.count == 4)
    #expect(parts[0] == "v1" && parts[1] == "\(Self.now.wholeSeconds + 2_592_000)" && parts[2] == "operator")
    let header = "x=1; outrider=\(value)"
    #expect(cookie.role(in: header, now: Self.now) == .operator)
    #expect(cookie.role(in: "outrider=bad; \(header)", now: Self.now) == .operator)
    #expect(cookie.role(in: header, now: Self.lastSecond) == .operator)
    #expect(cookie.role(in: header, now: Self.expiry) == nil)
    #expect(SignInCookie(token: Self.token + "0", deviceID: "van").role(in: header, now: Self.now) == nil)
    #expect(SignInCookie(token: Self.token, deviceID: "car").role(in: header, now: Self.now) == nil)
  }

  @Test func everyChangeOfACookieMakesItInvalid() {
    let cookie = SignInCookie(token: Self.token, deviceID: "van")
    let value = Array(cookie.value(role: .operator, now: Self.now).utf8)
    for place in value.indices {
      var changed = value
      changed[place] = changed[place] == UInt8(ascii: "1") ? UInt8(ascii: "2") : UInt8(ascii: "1")
      let header = "outrider=" + String(decoding: changed, as: UTF8.self)
      #expect(cookie.role(in: header, now: Self.now) == nil, "\(header)")
    }
    let text = String(decoding: value, as: UTF8.self)
    for header in [
      nil, "", "outrider", "outrider=", "outrider=v1", "outrider=v1...", "outrider=\(text).",
      "outrider=\(text)0",
      "Outrider=\(text)", "xoutrider=\(text)", "outrider=v1.99999999999999999999.operator.\(text)",
    ] { #expect(cookie.role(in: header, now: Self.now) == nil, "\(header ?? "none")") }
  }

  @Test func theRoleDependsOnEntranceTokenCookieAndGuests() throws {
    let cookie = SignInCookie(token: Self.token, deviceID: "van").value(role: .operator, now: Self.now)
    let bearer = Self.request { $0.authorization = "Bearer \(Self.token)" }
    let wrong = Self.request { $0.authorization = "Bearer x" }
    let signedIn = Self.request { $0.fields.cookie = "outrider=\(cookie)" }
    for guest in GuestMode.allCases {
      let policy = AccessPolicy(token: Self.token, deviceID: "van", hosts: Self.names, guest: guest)
      func role(_ request: HTTPRequest, _ entrance: AccessPolicy.Entrance = Self.remote) -> AccessRole {
        policy.role(of: request, at: entrance, presented: policy.presented(by: request), now: Self.now)
      }
      #expect(role(Self.request(), Self.socket) == .operator)
      #expect(role(bearer) == .operator && role(signedIn) == .operator)
      #expect(role(wrong) == .none)
      let expected: AccessRole = [.off: .none, .status: .status, .positions: .positions][guest] ?? .none
      #expect(role(Self.request()) == expected)
    }
  }

  @Test(arguments: [("", false, false), ("short", false, true), ("0123456789abcdef", true, true)])
  func aShortTokenSignsInOnThisHostOnly(token: String, isRemote: Bool, isLocal: Bool) {
    let policy = AccessPolicy(token: token, deviceID: "van", hosts: Self.names)
    #expect(policy.admitsSignIn(at: Self.remote) == isRemote)
    #expect(policy.admitsSignIn(at: .init(requiresSignIn: true, isLocal: true)) == isLocal)
    #expect(!policy.admitsSignIn(at: Self.socket))
  }

  @Test func aCookieOfAShortTokenIsValidOnThisHostOnly() throws {
    let policy = AccessPolicy(token: "short", deviceID: "van", hosts: Self.names)
    let value = SignInCookie(token: "short", deviceID: "van").value(role: .operator, now: Self.now)
    let request = Self.request { $0.fields.cookie = "outrider=\(value)" }
    let local = AccessPolicy.Entrance(requiresSignIn: true, isLocal: true)
    #expect(policy.role(of: request, at: local, presented: .nothing, now: Self.now) == .operator)
    #expect(policy.role(of: request, at: Self.remote, presented: .nothing, now: Self.now) == .none)
  }

  @Test func theCookieOfASignInIsOutOfReachOfScriptsAndOtherSites() throws {
    let header = try #require(Self.policy.signIn(isSecure: false, now: Self.now))
    #expect(header.name == "Set-Cookie" && header.value.hasPrefix("outrider=v1."))
    #expect(header.value.hasSuffix("; HttpOnly; SameSite=Lax; Path=/; Max-Age=2592000"))
    #expect(Self.policy.signIn(isSecure: true, now: Self.now)?.value.hasSuffix("; Secure") == true)
    #expect(AccessPolicy.signOut.value == "outrider=; HttpOnly; SameSite=Lax; Path=/; Max-Age=0")
  }

  @Test func tenWrongTokensArePermittedThenOneEverySixSeconds() {
    var limit = WrongTokenLimit()
    var now = Moment(nanoseconds: 1_000_000_000)
    for number in 1...10 {
      #expect(limit.wait(now: now) == nil, "\(number)")
      let report = limit.add(now: now)
      #expect(report == (number == 10 ? 10 : nil))
    }
    #expect(limit.wait(now: now) == Duration.seconds(6))
    now = now + .seconds(5)
    #expect(limit.wait(now: now) == Duration.seconds(1))
    now = now + .seconds(1)
    #expect(limit.wait(now: now) == nil)
    let further = limit.add(now: now)
    #expect(further == nil, "reported once while it lasts")
    #expect(limit.wait(now: now) == Duration.seconds(6))
    now = now + .seconds(60)
    for number in 1...10 {
      let report = limit.add(now: now)
      #expect(report == (number == 10 ? 10 : nil), "again after a pause")
    }
  }
}
