import Testing

@testable import HTTPClient

@Suite struct ConnectionNeedsTests {
  typealias Host = ConnectionHosts.Host

  /// The needs as an object, because `#expect` cannot change a value.
  private final class Needs {
    private var value: ConnectionNeeds

    init(_ hosts: ConnectionHosts?, hasOldFiles: Bool) {
      value = ConnectionNeeds(hosts, hasOldFiles: hasOldFiles)
    }

    var isRefused: Bool { value.isRefused }
    func allowsLookup() -> Bool { value.allowsLookup() }
    func handleRefusal(_ message: String) -> ConnectionNeeds.Step { value.handleRefusal(message) }
    func filesAreNew() { value.filesAreNew() }
    func supply(_ host: Host) { value.supply(host) }
  }

  static func hosts(_ url: String, proxy: String? = nil, _ environment: [String: String] = [:])
    -> ConnectionHosts?
  {
    var request = HTTPClientRequest(.get, url: url)
    request.proxy = proxy
    return ConnectionHosts(request) { environment[$0] }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var url: String
    var proxy: String?
    var environment: [String: String] = [:]
    var server: String
    var expectedProxy: String?
    var testDescription: String { "\(url) \(proxy ?? "") \(environment)" }
  }

  static let cases = [
    Case(url: "http://a.example/x", server: "a.example:80"),
    Case(url: "https://A.example", server: "A.example:443"),
    Case(url: "https://a.example:8443/x?y", server: "a.example:8443"),
    Case(url: "https://user:pass@a.example/", server: "a.example:443"),
    Case(url: "https://[2001:db8::1]:99/", server: "2001:db8::1:99"),
    Case(url: "http://a/", proxy: "http://p.example", server: "a:80", expectedProxy: "p.example:1080"),
    Case(url: "http://a/", proxy: "https://p.example", server: "a:80", expectedProxy: "p.example:443"),
    Case(
      url: "http://a/", proxy: "socks5h://u:p@p.example:99", server: "a:80", expectedProxy: "p.example:99"),
    Case(url: "http://a/", environment: ["http_proxy": "p:3128"], server: "a:80", expectedProxy: "p:3128"),
    Case(url: "http://a/", environment: ["HTTP_PROXY": "p:3128"], server: "a:80"),
    Case(url: "https://a/", environment: ["http_proxy": "p:3128"], server: "a:443"),
    Case(
      url: "https://a/", environment: ["HTTPS_PROXY": "http://p:3128"], server: "a:443",
      expectedProxy: "p:3128"),
    Case(
      url: "https://a/", environment: ["https_proxy": "", "all_proxy": "socks5://p"], server: "a:443",
      expectedProxy: "p:1080"),
    Case(
      url: "http://a/", proxy: "http://q:1", environment: ["http_proxy": "p:3128"], server: "a:80",
      expectedProxy: "q:1"),
  ]

  @Test(arguments: cases)
  func theHostsAreThoseThatLibcurlLooksUp(_ test: Case) throws {
    let hosts = try #require(Self.hosts(test.url, proxy: test.proxy, test.environment))
    #expect("\(hosts.server.name):\(hosts.server.port)" == test.server)
    #expect(hosts.proxy.map { "\($0.name):\($0.port)" } == test.expectedProxy)
  }

  @Test(arguments: [
    ("127.0.0.1", true), ("::1", true), ("localhost", true), ("Localhost", true), ("a.localhost", true),
    ("localhost.example", false), ("127.0.0.1.example", false), ("a.local", false),
  ])
  func onlyAnAddressOrTheLocalHostIsKnown(name: String, isKnown: Bool) {
    #expect(Host(name: name, port: "80").isKnown == isKnown)
  }

  @Test func aKnownHostIsPermitted() {
    let needs = Needs(Self.hosts("http://127.0.0.1/"), hasOldFiles: false)
    #expect(needs.allowsLookup() && !needs.isRefused)
  }

  @Test func aNameIsLookedUpOnceAndAgainIfItWasUsedUp() throws {
    let hosts = try #require(Self.hosts("http://a.example/"))
    let needs = Needs(hosts, hasOldFiles: false)
    for _ in 0..<2 {
      #expect(!needs.allowsLookup() && needs.isRefused)
      #expect(
        needs.handleRefusal("Could not resolve host: a.example") == .prepare(files: false, name: hosts.server)
      )
      #expect(!needs.isRefused)
      needs.supply(hosts.server)
    }
  }

  @Test func filesAreReadAgainForANewConnectionToAnAddress() {
    let needs = Needs(Self.hosts("https://127.0.0.1/"), hasOldFiles: true)
    #expect(!needs.allowsLookup())
    #expect(needs.handleRefusal("") == .prepare(files: true, name: nil))
    needs.filesAreNew()
    #expect(needs.allowsLookup())
  }

  @Test(arguments: ["Couldn't resolve proxy 'p.example'", "Could not resolve proxy: p.example"])
  func theProxyComesFirstIfLibcurlNamesIt(message: String) throws {
    let hosts = try #require(Self.hosts("http://a.example/", proxy: "http://p.example"))
    let needs = Needs(hosts, hasOldFiles: false)
    _ = needs.allowsLookup()
    #expect(needs.handleRefusal(message) == .prepare(files: false, name: hosts.proxy))
    needs.supply(try #require(hosts.proxy))
    // A proxy that leaves the name to the client, as socks5 of the environment.
    _ = needs.allowsLookup()
    #expect(needs.handleRefusal("") == .prepare(files: false, name: hosts.server))
  }

  @Test func aServerThatIsExcludedFromTheProxyComesFirst() throws {
    let hosts = try #require(Self.hosts("http://a.example/", ["http_proxy": "http://proxy"]))
    let needs = Needs(hosts, hasOldFiles: false)
    _ = needs.allowsLookup()
    #expect(
      needs.handleRefusal("Couldn't resolve host 'a.example'") == .prepare(files: false, name: hosts.server))
  }

  @Test func aProxyByAddressIsPermittedOnce() throws {
    let hosts = try #require(Self.hosts("http://a.example/", proxy: "http://[::1]:3128"))
    let needs = Needs(hosts, hasOldFiles: false)
    #expect(!needs.allowsLookup())
    #expect(needs.handleRefusal("Could not resolve proxy: ::1") == .prepare(files: false, name: nil))
    #expect(needs.allowsLookup())
    #expect(!needs.allowsLookup())
  }

  @Test func endlessRefusalsEnd() {
    let needs = Needs(Self.hosts("http://a.example/"), hasOldFiles: false)
    var steps = 0
    while steps < 100 {
      _ = needs.allowsLookup()
      steps += 1
      if needs.handleRefusal("") == .giveUp { break }
    }
    #expect(steps < 10)
    let invalid = Needs(nil, hasOldFiles: false)
    #expect(!invalid.allowsLookup() && invalid.handleRefusal("") == .giveUp)
  }
}
