import EventLoop
import Foundation
import HTTPServer
import LocalAPI
import Quantities
import TestSupport
import Testing
@testable import Daemon

/// Who may use which route of a running logger.
@Suite struct AccessTests {
  private static let token = "correct horse battery"

  private static func logger(_ extra: [String] = [], token: String = token) throws -> LocalAPITests.Running {
    let running = try LocalAPITests.logger(extra: ["api.token=\(token)"] + extra)
    let logger = running.logger
    #expect(try running.bench.run { logger.supervision.isReady })
    return running
  }

  private static func ask(
    _ running: LocalAPITests.Running, _ method: String, _ target: String, headers: [String] = [],
    body: String? = nil
  ) throws -> HTTPAnswer {
    try running.bench.ask(running.port, method, target, headers: headers, body: body.map { Array($0.utf8) })
  }

  enum Client: String, CaseIterable, Sendable { case stranger, statusGuest, positionsGuest, `operator` }

  struct RouteRow: Sendable {
    var method: String
    var target: String
    var body: String?
    /// Whether strangers, guests of both kinds and operators are admitted.
    var admitted: [Client]
  }

  static let everyone = Client.allCases
  static let routes: [RouteRow] = [
    RouteRow(method: "GET", target: "/", admitted: everyone),
    RouteRow(method: "GET", target: "/access", admitted: everyone),
    RouteRow(method: "GET", target: "/healthz", admitted: everyone),
    RouteRow(method: "POST", target: "/logout", admitted: everyone),
    RouteRow(method: "GET", target: "/status", admitted: [.statusGuest, .positionsGuest, .operator]),
    RouteRow(method: "HEAD", target: "/status", admitted: [.statusGuest, .positionsGuest, .operator]),
    RouteRow(method: "GET", target: "/energy", admitted: [.statusGuest, .positionsGuest, .operator]),
    RouteRow(method: "GET", target: "/metrics", admitted: [.statusGuest, .positionsGuest, .operator]),
    RouteRow(method: "GET", target: "/doctor", admitted: [.operator]),
    RouteRow(method: "GET", target: "/test", admitted: [.operator]),
    RouteRow(method: "POST", target: "/test?destination=x", admitted: [.operator]),
    RouteRow(method: "GET", target: "/trips", admitted: [.statusGuest, .positionsGuest, .operator]),
    RouteRow(method: "GET", target: "/events", admitted: [.statusGuest, .positionsGuest, .operator]),
    RouteRow(method: "GET", target: "/coordinates", admitted: [.positionsGuest, .operator]),
    RouteRow(method: "GET", target: "/settings", admitted: [.operator]),
    RouteRow(method: "PATCH", target: "/settings", body: "{}", admitted: [.operator]),
    RouteRow(method: "POST", target: "/settings/setup", body: #"{"url":"x"}"#, admitted: [.operator]),
    RouteRow(method: "GET", target: "/map", admitted: [.positionsGuest, .operator]),
    RouteRow(method: "GET", target: "/tiles/0/0/0", admitted: [.positionsGuest, .operator]),
    RouteRow(method: "POST", target: "/settings/confirm", body: #"{"id":"x"}"#, admitted: [.operator]),
    RouteRow(method: "GET", target: "/stream?sky=2", admitted: [.operator]),
    RouteRow(method: "POST", target: "/send", admitted: [.operator]),
    RouteRow(method: "POST", target: "/drop?destination=x", admitted: [.operator]),
    RouteRow(method: "POST", target: "/trips", body: #"{"action":"stop"}"#, admitted: [.operator]),
    RouteRow(method: "POST", target: "/satellites", admitted: [.operator]),
    RouteRow(method: "GET", target: "/hotspot", admitted: [.operator]),
    RouteRow(method: "POST", target: "/hotspot", admitted: [.operator]),
    RouteRow(method: "POST", target: "/update", body: "{}", admitted: [.operator]),
    RouteRow(method: "POST", target: "/access/code", admitted: [.operator]),
    RouteRow(method: "GET", target: "/nowhere", admitted: [.operator]),
  ]

  @Test(arguments: Client.allCases) func everyRouteAdmitsItsClientsOnly(_ client: Client) throws {
    let guest = [Client.statusGuest: "status", .positionsGuest: "positions"][client] ?? "off"
    let running = try Self.logger(["api.guest=\(guest)"])
    defer { running.logger.stop() }
    let headers = client == .operator ? ["Authorization: Bearer \(Self.token)"] : []
    for row in Self.routes {
      let client2 = try RawHTTPClient(loop: running.bench.loop, port: running.port)
      client2.send(
        RawHTTPClient.request(
          row.method, row.target, headers: headers + ["Connection: close"],
          body: row.body.map { Array($0.utf8) }))
      #expect(try running.bench.run { client2.isClosed })
      let status = String(decoding: client2.received.dropFirst(9).prefix(3), as: UTF8.self)
      #expect(
        (status != "401") == row.admitted.contains(client),
        "\(client): \(row.method) \(row.target): \(status)")
    }
  }

  @Test func aSignInLastsUntilTheTokenChangesAndASignOutEndsIt() throws {
    let running = try Self.logger()
    defer { running.logger.stop() }
    let answer = try Self.ask(running, "POST", "/login", body: #"{"token":"\#(Self.token)"}"#)
    #expect(answer.status == 204)
    let parts = answer.headers["set-cookie"]?.split(separator: ";") ?? []
    let cookie = try #require(parts.first)
    #expect(try Self.ask(running, "GET", "/settings", headers: ["Cookie: \(cookie)"]).status == 200)
    let changed = try Self.ask(
      running, "PATCH", "/settings",
      headers: ["Cookie: \(cookie)", "Origin: http://localhost", "Content-Type: application/json"],
      body: #"{"main.min_time":"7s"}"#)
    #expect(changed.status == 200)
    let foreign = try Self.ask(
      running, "POST", "/send", headers: ["Cookie: \(cookie)", "Origin: http://evil.com", "Outrider: 1"])
    #expect(foreign.status == 403)
    let out = try Self.ask(running, "POST", "/logout", headers: ["Cookie: \(cookie)", "Outrider: 1"])
    #expect(out.status == 204 && out.headers["set-cookie"]?.contains("Max-Age=0") == true)
    let other = try Self.logger(token: "another long token")
    defer { other.logger.stop() }
    #expect(try Self.ask(other, "GET", "/settings", headers: ["Cookie: \(cookie)"]).status == 401)
  }

  @Test(arguments: [
    ("", 400), ("{}", 400), (#"{"token":"x"}"#, 401), (#"{"code":"x"}"#, 401),
    (#"{"token":"x","code":"y"}"#, 400),
    (#"{"token":1}"#, 400), ("[]", 400),
  ])
  func anInvalidSignInGetsNoCookie(body: String, status: Int) throws {
    let running = try Self.logger()
    defer { running.logger.stop() }
    let answer = try Self.ask(running, "POST", "/login", body: body)
    #expect(answer.status == status && answer.headers["set-cookie"] == nil, "\(answer.text)")
  }

  @Test func aCodeSignsInOnce() throws {
    let running = try Self.logger()
    defer { running.logger.stop() }
    let operatorHeader = ["Authorization: Bearer \(Self.token)"]
    let made = try Self.ask(running, "POST", "/access/code", headers: operatorHeader)
    let json = try JSONSerialization.jsonObject(with: Data(made.body)) as? [String: Any]
    let code = try #require(json?["code"] as? String)
    #expect(json?["valid_s"] as? Int == 300)
    let body = #"{"code":"\#(code)"}"#
    let first = try Self.ask(running, "POST", "/login", body: body)
    #expect(first.status == 204 && first.headers["set-cookie"] != nil)
    #expect(try Self.ask(running, "POST", "/login", body: body).status == 401)
  }

  @Test func wrongTokensAreDelayedAndBecomeOneEvent() throws {
    let running = try Self.logger()
    defer { running.logger.stop() }
    var statuses: [Int] = []
    for number in 0..<30 {
      let wrong = number % 2 == 0
      let answer =
        wrong
        ? try Self.ask(running, "GET", "/status", headers: ["Authorization: Bearer x\(number)"])
        : try Self.ask(running, "POST", "/login", body: #"{"token":"y\#(number)"}"#)
      statuses.append(answer.status)
      if answer.status == 429 {
        #expect(Int(answer.headers["retry-after"] ?? "").map { (1...7).contains($0) } == true)
      }
    }
    #expect(statuses.prefix(10).allSatisfy { $0 == 401 } && statuses.dropFirst(11).contains(429))
    #expect(statuses.count { $0 == 401 } <= 11)
    // A long token cannot be guessed, so its owner is not locked out.
    let right = ["Authorization: Bearer \(Self.token)"]
    #expect(try Self.ask(running, "GET", "/status", headers: right).status == 200)
    let logger = running.logger
    #expect(try running.bench.run { logger.log.recordsWaiting == 0 })
    let events = try Self.ask(running, "GET", "/events?after=0", headers: right).text
    #expect(events.components(separatedBy: "\"access_refused\"").count == 2)
    #expect(events.contains("access_refused"))
    #expect(events.contains("10 wrong tokens") && !events.contains("x0"))
  }

  @Test func aShortTokenIsNotCheckedWhileWrongOnesAreDelayed() throws {
    let running = try Self.logger(token: "sesame")
    defer { running.logger.stop() }
    for _ in 0..<12 { _ = try Self.ask(running, "GET", "/status", headers: ["Authorization: Bearer x"]) }
    #expect(try Self.ask(running, "GET", "/status", headers: ["Authorization: Bearer sesame"]).status == 429)
  }

  @Test func accessIsAlwaysAnswered() throws {
    let running = try Self.logger()
    defer { running.logger.stop() }
    let stranger = try Self.ask(running, "GET", "/access").text
    #expect(stranger == #"{"guest":"off","needs_sign_in":true,"page_sign_in":true,"role":"none"}"#)
    let known = try Self.ask(running, "GET", "/access", headers: ["Authorization: Bearer \(Self.token)"]).text
    #expect(
      known
        == #"{"device_id":"van","failed":[],"guest":"off","listening":["\#(running.bench.directory)/api.sock","#
        + #""127.0.0.1:\#(running.port)"],"needs_sign_in":true,"page_sign_in":true,"role":"operator"}"#)
    let health = try Self.ask(running, "GET", "/healthz")
    #expect([200, 503].contains(health.status) && health.text.hasPrefix(#"{"healthy":"#))
  }

  @Test func aForeignHostIsRejectedOnTheSocketToo() throws {
    let running = try Self.logger([#"api.names=["gw.example.net"]"#])
    defer { running.logger.stop() }
    for (host, status) in [("evil.example.com", "421"), ("gw.example.net", "200"), ("localhost:8080", "200")]
    {
      let client = try RawHTTPClient(loop: running.bench.loop, path: running.bench.directory + "/api.sock")
      client.send("GET /trips HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n")
      #expect(try running.bench.run { client.isClosed })
      #expect(String(decoding: client.received, as: UTF8.self).hasPrefix("HTTP/1.1 \(status)"), "\(host)")
    }
  }

  @Test func aGuestSeesNoPositionAndNoSettings() throws {
    let running = try Self.logger(["api.guest=status"])
    defer { running.logger.stop() }
    let text = try Self.ask(running, "GET", "/status").text
    #expect(
      text.contains("\"device_id\"") && !text.contains("latitude") && !text.contains("configuration_file"))
  }

  @Test(arguments: ["status", "positions"]) func aGuestDoesNotLearnTheNetwork(guest: String) throws {
    let running = try Self.logger(["api.guest=\(guest)"])
    defer { running.logger.stop() }
    let network = JoinedNetwork(name: "at home", accessPoint: nil)
    running.logger.tracking.process(.network(network), now: running.bench.loop.now)
    #expect(!(try Self.ask(running, "GET", "/status").text.contains("at home")))
    let headers = ["Authorization: Bearer \(Self.token)"]
    #expect(try Self.ask(running, "GET", "/status", headers: headers).text.contains(#""ssid":"at home""#))
  }

  @Test func responsesAreNotStoredAndNotTakenForAnotherType() throws {
    let running = try Self.logger()
    defer { running.logger.stop() }
    for headers in [[], ["Authorization: Bearer \(Self.token)"]] {
      let answer = try Self.ask(running, "GET", "/status", headers: headers)
      #expect(
        answer.headers["cache-control"] == "no-store" && answer.headers["x-content-type-options"] == "nosniff"
      )
      #expect(answer.headers["access-control-allow-origin"] == nil)
    }
  }

  @Test func aPageOfAnotherSiteDoesNotTakeTheStream() throws {
    let running = try Self.logger()
    defer { running.logger.stop() }
    let headers = ["Authorization: Bearer \(Self.token)", "Sec-Fetch-Site: cross-site"]
    #expect(try Self.ask(running, "GET", "/stream?live=1", headers: headers).status == 403)
    #expect(running.logger.stream?.hasClients == false)
  }

  @Test func thePageMayBeSwitchedOff() throws {
    let running = try Self.logger(["page.enabled=false"])
    defer { running.logger.stop() }
    #expect(try Self.ask(running, "GET", "/").status == 401)
    #expect(try Self.ask(running, "GET", "/", headers: ["Authorization: Bearer \(Self.token)"]).status == 404)
  }
}
