import HostileJSON
import LocalAPI
import Quantities
import Settings
import TestSupport
import Testing

@testable import Daemon

/// No malformed request to the local API, and no malformed response, stops a program.
@Suite struct HostileRequestTests {
  @Test func noRequestTrapsTheLogger() throws {
    let running = try LocalAPITests.logger()
    defer { running.logger.stop() }
    #expect(try running.bench.run { running.logger.supervision.isReady })
    let documents =
      HostileJSON.documents(key: "main.batch_size")
      + HostileJSON.documents(before: #"{"main":{"#, after: "}}")
    for document in documents { _ = running.logger.changeSettings(document.bytes, queue: nil) }
    for document in HostileJSON.documents(key: "action")
      + HostileJSON.documents(key: "mode", before: #"{"action":"mode","#)
    {
      guard let request = TripRequest(json: document.bytes) else { continue }
      _ = running.logger.trip(request)
    }
    #expect(try LocalAPITests.ask(running, "GET", "/status").status == 200)
  }

  /// Responses of OwnTracks and query servers, or with `accept_2xx`: any 2xx confirms, and the body is read.
  @Test(arguments: ["owntracks", "query"])
  func noResponseOfAServerTrapsTheLogger(kind: String) throws {
    let running = try LocalAPITests.logger(extra: [
      "destinations=[{ name: 'a', kind: '\(kind)', url: 'http://127.0.0.1:9/' }]"
    ])
    defer { running.logger.stop() }
    #expect(try running.bench.run { running.logger.supervision.isReady })
    let sets = [(#"{"set":{"#, "}}"), (#"{"result":"ok","set":{"main":{"#, "}}}"), (#"{"set":{},"#, "}")]
    for (before, after) in sets {
      for document in HostileJSON.documents(key: "batch_size", before: before, after: after) {
        running.logger.settingsController.handleResponse(document.bytes, from: "a")
      }
    }
    for document in HostileJSON.frames {
      running.logger.settingsController.handleResponse(document.bytes, from: "a")
    }
    #expect(try LocalAPITests.ask(running, "GET", "/status").status == 200)
  }

  @Test(arguments: [
    ("PATCH", "/settings", "settings:1:3: "),
    ("POST", "/trips", "0x81 at byte 2"),
  ])
  func theProblemNamesTheInvalidByte(method: String, target: String, says: String) throws {
    let running = try LocalAPITests.logger()
    defer { running.logger.stop() }
    #expect(try running.bench.run { running.logger.supervision.isReady })
    let answer = try running.bench.ask(
      running.port, method, target, headers: ["Authorization: Bearer sesame"],
      body: Array("{\"".utf8) + [0x81] + Array("\":1}".utf8))
    #expect(answer.status == 400 && answer.text.contains(says), "\(answer.text)")
    let name = "problem 400: \(method) \(target) with a byte that is not UTF-8"
    #expect(answer.text == LocalAPITests.texts.expected(name, answer.text))
  }

  @Test(arguments: 0..<20)
  func noResponseOfALoggerTrapsItsClient(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let report = Array(
      #"{"version":"1","uptime_s":5,"destinations":[{"name":"a","queued":1}],"battery":{}}"#.utf8)
    for _ in 0..<100 {
      let bytes = HostileJSON.mutated(report, &random)
      _ = StatusReport(json: bytes)
      _ = StatusReport.Energy(json: bytes)
      _ = SettingsListing(json: bytes)
    }
  }
}
