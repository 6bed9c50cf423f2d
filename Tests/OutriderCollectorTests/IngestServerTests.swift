import FleetRecords
import HTTPServer
import Quantities
import TestSupport
import Testing

@testable import outrider_collector

@Suite struct IngestServerTests {
  @Test func aBatchIsAnsweredAfterItsCommitAndStoredOnce() throws {
    let bench = try IngestBench()
    let body = IngestBench.body(5...9)
    let first = try bench.ask(body: body)
    #expect(first.status == 200 && first.text == #"{"result":"ok","saved":5,"known":0,"have":9}"#)
    #expect(first.headers["content-type"] == "application/json")
    #expect(try bench.ask(body: body).text == #"{"result":"ok","saved":0,"known":5,"have":9}"#)
    let packed = try #require(Gzip.pack(IngestBench.body(9...10)))
    let third = try bench.ask("POST", "/dump", headers: ["Content-Encoding: gzip"], body: packed)
    #expect(third.text == #"{"result":"ok","saved":1,"known":1,"have":10}"#)
    #expect(bench.store.rowCount == 6)
  }

  @Test func settingsAndTheTokenOfANewDeviceAreSent() throws {
    let bench = try IngestBench()
    let body = IngestBench.body(1...1)
    (bench.store.settings, bench.store.settingsHash) = (#"{"main":{"min_time":"30s"}}"#, "sha256:ab")
    #expect(
      try bench.ask(body: body).text
        == #"{"result":"ok","saved":1,"known":0,"have":1,"set":{"main":{"min_time":"30s"}},"#
        + #""settings_for":"sha256:ab"}"#)
    bench.store.newToken = "secret"
    #expect(
      try bench.ask(token: "enrol", body: body).text
        == #"{"result":"ok","saved":1,"known":0,"have":1,"set":{"token":"secret","main":{"min_time":"30s"}},"#
        + #""settings_for":"sha256:ab"}"#)
    (bench.store.settings, bench.store.settingsHash) = ("{ }", nil)
    #expect(try bench.ask(body: body).text.hasSuffix(#","set":{"token":"secret"}}"#))
    (bench.store.newToken, bench.store.settings) = (nil, nil)
    (bench.store.unset, bench.store.settingsHash) = (["main.min_time", "\""], "sha256:cd")
    #expect(
      try bench.ask(body: body).text
        .hasSuffix(#","have":1,"unset":["main.min_time","\""],"settings_for":"sha256:cd"}"#))
  }

  @Test(
    arguments: [
      ("POST", "/api/v1/batches", nil, 401), ("POST", "/api/v1/batches", "wrong", 401),
      ("POST", "/api/v1/batches", "disabled", 403), ("POST", "/api/v1/batches", "read", 403),
      ("POST", "/api/v1/batches", "operate", 403), ("POST", "/api/v1/batches", "enrol", 200),
      ("POST", "/dump", "good", 200), ("POST", "/api/input", "good", 200), ("POST", "/", "good", 200),
      ("GET", "/api/v1/batches/status", "good", 200), ("GET", "/status", "enrol", 200),
      ("GET", "/status", "read", 200), ("GET", "/status", nil, 401), ("GET", "/status", "disabled", 403),
      ("POST", "/status", "good", 405), ("GET", "/healthz", nil, 200), ("POST", "/healthz", nil, 405),
      ("GET", "/", "good", 404), ("GET", "/metrics", "read", 404), ("GET", "/pub", "good", 405),
      ("PUT", "/dump", "good", 405), ("DELETE", "/dump", "good", 405),
    ] as [(String, String, String?, Int)])
  func everyRequestHasItsStatus(_ method: String, _ path: String, _ token: String?, _ status: Int) throws {
    let bench = try IngestBench()
    let answer = try bench.ask(
      method, path, token: token, body: method == "GET" ? nil : Array(#"{"locations":[]}"#.utf8))
    #expect(answer.status == status, "\(answer.text)")
    #expect(status != 401 || answer.headers["www-authenticate"] == "Bearer")
    #expect(status != 405 || answer.headers["allow"] != nil)
    if path.hasSuffix("status"), status == 200 { #expect(answer.text == #"{"status":"ok","outrider":1}"#) }
  }

  @Test func theTokenMayBeAPasswordOrAQueryItem() throws {
    let bench = try IngestBench()
    let body = Array(#"{"locations":[]}"#.utf8)
    // "user:good"
    let basic = ["Authorization: Basic dXNlcjpnb29k"]
    #expect(try bench.ask(token: nil, headers: basic, body: body).status == 200)
    #expect(try bench.ask("POST", "/dump?token=good", token: nil, body: body).status == 200)
    #expect(try bench.ask("POST", "/dump?token=", token: nil, body: body).status == 401)
    for wrong in ["Basic !!!!", "Basic Z29vZA==", "Basic", "Digest good", "Bearer"] {
      #expect(try bench.ask(token: nil, headers: ["Authorization: \(wrong)"], body: body).status == 401)
    }
  }

  @Test(arguments: ["127.0.0.1", "192.0.2.1"], ["SUCCESS", "NONE", "FAILED:expired", ""])
  func onlyTheTrustedProxyReportsOnCertificates(proxy: String, result: String) throws {
    let bench = try IngestBench { $0.trustedProxy = proxy }
    let isRejected = proxy == "127.0.0.1" && result.hasPrefix("FAILED")
    let headers = result.isEmpty ? [] : ["X-Client-Verify: \(result)"]
    let answer = try bench.ask(headers: headers, body: Array(#"{"locations":[]}"#.utf8))
    #expect(answer.status == (isRejected ? 401 : 200))
  }

  @Test func aMessageOfOwnTracksIsAnsweredWithAnEmptyList() throws {
    let bench = try IngestBench()
    let message = Array(#"{"_type":"location","lat":1,"lon":2,"tst":1772360102}"#.utf8)
    let answer = try bench.ask("POST", "/pub?u=a&d=b", body: message)
    #expect(answer.status == 200 && answer.text == "[]" && bench.store.uploads.last?.deviceID == "a/b")
    let other = try bench.ask("POST", "/pub", headers: ["X-Limit-U: c", "X-Limit-D: d"], body: message)
    #expect(other.text == "[]" && bench.store.uploads.last?.deviceID == "c/d")
    #expect(try bench.ask("POST", "/owntracks", body: Array(#"{"_type":"lwt"}"#.utf8)).text == "[]")
    #expect(bench.store.uploads.count == 2)
    #expect(try bench.ask("POST", "/pub", body: Array("{}".utf8)).status == 422)
  }

  @Test func aFaultyBodyIsRejectedWithItsRecord() throws {
    let bench = try IngestBench()
    let body = String(decoding: IngestBench.body(48211...48211), as: UTF8.self)
    let faulty = body.split(separator: "5.127", omittingEmptySubsequences: false).joined(separator: "-1")
    let answer = try bench.ask(body: Array(faulty.utf8))
    #expect(answer.status == 422)
    #expect(answer.text == #"{"error":"record 48211: speed: out of range at byte 174","record":48211}"#)
    #expect(try bench.ask(body: Array("[]".utf8)).status == 422)
    #expect(try bench.ask(body: []).status == 422)
    #expect(try bench.ask(headers: ["Content-Encoding: gzip"], body: [1, 2, 3]).status == 422)
    #expect(try bench.ask(headers: ["Content-Encoding: br"], body: [1, 2, 3]).status == 415)
    #expect(bench.store.uploads.isEmpty)
  }

  @Test func theOutcomesOfTheStoreHaveTheirStatus() throws {
    let bench = try IngestBench()
    let outcomes: [(UploadOutcome, Int, String)] = [
      (.rejected(reason: "no", record: 7), 422, #"{"error":"no","record":7}"#),
      (.rejected(reason: "no \"", record: nil), 422, #"{"error":"no \""}"#),
      (.refused(reason: "enrolled before"), 403, #"{"error":"enrolled before"}"#),
      (.unavailable, 503, #"{"error":"the database is away or slow; retry later"}"#),
      (
        .limited(delay: .milliseconds(600_500)), 429,
        #"{"error":"too many enrolments by this token; see serve --enrolments"}"#
      ),
      (
        .stored(Receipt(saved: 1, known: 2, expired: 3)), 200,
        #"{"result":"ok","saved":1,"known":2,"expired":3}"#
      ),
    ]
    for (outcome, status, text) in outcomes {
      bench.store.outcome = outcome
      let answer = try bench.ask(body: IngestBench.body(1...2))
      #expect(answer.status == status && answer.text == text)
      if status == 429 { #expect(answer.headers["retry-after"] == "601") }
    }
  }

  /// A fault of the server never causes a status that lets a device set records aside.
  @Test func aFaultOfTheServerIsAlways503WithADelay() throws {
    let bench = try IngestBench { $0.memory = 64 << 20 }
    var delays: Set<String> = []
    func expectLater() throws {
      let answer = try bench.ask(body: IngestBench.body(1...2))
      let delay = answer.headers["retry-after"] ?? ""
      #expect(answer.status == 503 && (10...120).contains(Int(delay) ?? 0), "\(answer)")
      delays.insert(delay)
    }
    bench.store.isAway = true
    for _ in 0..<10 { try expectLater() }
    #expect(try bench.ask("GET", "/status").status == 503)
    bench.store.isAway = false
    bench.store.outcome = .unavailable
    try expectLater()
    bench.store.outcome = nil
    bench.store.extraBytes = 32 << 20
    try expectLater()
    bench.store.extraBytes = 0
    #expect(delays.count > 5)
    bench.store.isHealthy = false
    #expect(try bench.ask("GET", "/healthz", token: nil).status == 503)
    bench.store.writeFault = .readOnly
    let fault = "the database is read-only; connect to the primary server"
    #expect(
      try bench.ask("GET", "/healthz", token: nil).text
        == #"{"error":"no successful write in the last 10 s: \#(fault)"}"#)
    bench.store.isAway = true
    #expect(try bench.ask(body: IngestBench.body(1...2)).text == #"{"error":"\#(fault); retry later"}"#)
    bench.store.isAway = false
    #expect(try bench.ask(body: IngestBench.body(1...2)).status == 200)
  }

  @Test func aDeviceThatSendsTooMuchWaits() throws {
    let bench = try IngestBench {
      $0.rates.requests = 3
      $0.rates.points = 5
    }
    let body = IngestBench.body(1...2)
    for _ in 0..<3 { #expect(try bench.ask(body: body).status == 200) }
    let late = try bench.ask(body: body)
    #expect(late.status == 429 && (500...600).contains(Int(late.headers["retry-after"] ?? "") ?? 0))
    #expect(try bench.ask(token: "other", body: IngestBench.body(1...5)).status == 200)
    #expect(try bench.ask(token: "other", body: body).status == 429)
    #expect(try bench.ask("GET", "/status").status == 200)
  }

  @Test func anEnrolmentTokenThatIsUsedTooOftenWaits() throws {
    let bench = try IngestBench { $0.rates.enrolmentRequests = 3 }
    let body = IngestBench.body(1...2)
    for _ in 0..<3 { #expect(try bench.ask(token: "enrol", body: body).status == 200) }
    let late = try bench.ask(token: "enrol", body: body)
    #expect(late.status == 429 && (500...600).contains(Int(late.headers["retry-after"] ?? "") ?? 0))
    #expect(late.text.contains("enrolment token"))
    #expect(bench.store.committed == 3)
    #expect(try bench.ask(body: body).status == 200)
    #expect(try bench.ask("GET", "/status", token: "enrol").status == 200)
  }

  @Test func aSlowDatabaseIsNamed() throws {
    let bench = try IngestBench()
    bench.store.isSlow = true
    let answer = try bench.ask(body: IngestBench.body(1...2))
    #expect(answer.status == 503 && answer.text.contains("the database is slow"))
    bench.store.isSlow = false
    #expect(try bench.ask(body: IngestBench.body(1...2)).status == 200)
  }

  @Test func aBodyThatIsTooLargeIsRejectedBeforeItIsRead() throws {
    let bench = try IngestBench()
    let client = try bench.client()
    client.send(
      "POST /dump HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer good\r\nContent-Length: 99000000\r\n"
        + "Expect: 100-continue\r\n\r\n")
    #expect(try bench.http.run { client.answers.first?.status == 413 })
    // 40 MB of zeros in 40 kB.
    let bomb = try #require(Gzip.pack([UInt8](repeating: 0x20, count: 40_000_000)))
    let answer = try bench.ask(headers: ["Content-Encoding: gzip"], body: bomb)
    #expect(answer.status == 413 && answer.text.contains("after decompression"))
  }

  @Test func theBodyIsExpectedOnlyFromAPermittedClient() throws {
    let bench = try IngestBench()
    let body = IngestBench.body(1...1)
    for (token, line) in [("good", "HTTP/1.1 100"), ("wrong", "HTTP/1.1 401"), ("disabled", "HTTP/1.1 403")] {
      let client = try bench.client()
      client.send(
        "POST / HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer \(token)\r\nContent-Length: \(body.count)\r\n"
          + "Expect: 100-continue\r\n\r\n")
      #expect(try bench.http.run { !client.received.isEmpty })
      #expect(String(decoding: client.received.prefix(12), as: UTF8.self) == line)
      guard token == "good" else { continue }
      client.send(body)
      #expect(try bench.http.run { client.answers.first?.status == 200 })
    }
  }

  @Test func metricsAreReadFromThisHostWithoutAToken() throws {
    let bench = try IngestBench { $0.metricsListen = .tcp(address: "127.0.0.1", port: 0) }
    _ = try bench.ask(body: IngestBench.body(1...2))
    _ = try bench.ask(body: IngestBench.body(2...3))
    _ = try bench.ask(token: "wrong", body: [1])
    _ = try bench.ask(body: Array("{}".utf8))
    let answer = try bench.http.ask(bench.metricsPort, "GET", "/metrics")
    #expect(answer.status == 200 && answer.headers["content-type"] == "text/plain; version=0.0.4")
    for line in [
      #"outrider_collector_records_total{result="stored"} 3"#,
      #"outrider_collector_records_total{result="duplicate"} 1"#,
      #"outrider_collector_batches_total{code="200"} 2"#, #"outrider_collector_batches_total{code="401"} 1"#,
      #"outrider_collector_batches_total{code="422"} 1"#, "outrider_collector_answer_seconds_count 2",
      "outrider_collector_pending_bytes 0", "outrider_collector_database_up 1", "further 1",
    ] { #expect(answer.text.split(separator: "\n").contains(line[...]), "\(line)") }
    #expect(!answer.text.contains("van-17"))
    #expect(try bench.http.ask(bench.metricsPort, "GET", "/").status == 404)
    #expect(try bench.http.ask(bench.metricsPort, "GET", "/healthz").status == 200)
  }
}
