import Formats
import HTTPClient
import Quantities
import Records
import TestSupport
import Testing
import TextSnapshots
import Uplink

/// The requests of every format, as a scripted server receives them.
@Suite struct DestinationFormTests {
  typealias Bench = DeliveryTests.Bench

  @Test func markersAndTheTokenAreInTheURL() throws {
    let bench = try Bench([DeliveryTests.ok], records: 2)
    let url = bench.server.url("/in?ts=%TS&lat=%LAT&lon=%LON&a=%ACC&s=%SPD&h=%ALT&b=%BAT&x=%FOO#end")
    let delivery = bench.delivery(
      to: url,
      at: {
        $0.credentials = .query(name: "token", token: "s3 /cret")
        $0.headers = [.init("X-Key", "k")]
      })
    delivery.start()
    #expect(try bench.loop.runUntilStopped())
    let request = try #require(bench.server.requests.first)
    #expect(
      request.line
        == "POST /in?ts=2026-03-01T10:15:04Z&lat=52.5000002&lon=13.3&a=100&s=-1&h=0&b=-1&x=%FOO&token=s3%20%2Fcret HTTP/1.1"
    )
    #expect(request.headers["authorization"] == nil && request.headers["x-key"] == "k")
  }

  @Test func customHeadersAreSentToTheConfiguredServerOnly() throws {
    let bench = try Bench([DeliveryTests.ok], records: 1)
    let other = try ScriptedServer(
      bench.loop, [.answer(307, headers: ["Location: \(bench.server.url("/far"))"])])
    let delivery = bench.delivery(to: other.url("/in"), at: { $0.headers = [.init("X-Key", "k")] })
    delivery.start()
    #expect(try bench.loop.runUntilStopped())
    #expect(other.requests.first?.headers["x-key"] == "k")
    #expect(bench.server.requests.first?.headers["x-key"] == nil)
  }

  @Test func aCompressedBodyDecompressesToTheSameBytes() throws {
    let bench = try Bench([DeliveryTests.ok], records: 10)
    let delivery = bench.delivery(at: { $0.isPacked = true })
    delivery.start()
    #expect(try bench.loop.runUntilStopped())
    let request = try #require(bench.server.requests.first)
    #expect(request.headers["content-encoding"] == "gzip")
    let plain = OverlandBatch(bench.log.records).body()
    #expect(request.body == GzipBody.packed(plain))
    #expect(request.body.count < plain.joined().count / 5)
  }

  @Test func ownTracksSendsOneObjectAndAcceptsAnEmptyList() throws {
    let bench = try Bench([.answer(200, body: "[]")], records: 3)
    for index in bench.log.records.indices {
      guard case .location(var location) = bench.log.records[index].record.body else {
        Issue.record("no location")
        continue
      }
      location.deviceID = "fleet/van7"
      bench.log.records[index].record.body = .location(location)
    }
    let delivery = bench.delivery(at: {
      $0.form = .ownTracks(trackerID: nil)
      $0.credentials = .basic(user: "me", password: "pass")
    }) {
      $0.batchSize = 1
      $0.largestRequest = 1
      $0.pacing = .whenDue
    }
    delivery.start()
    #expect(try bench.loop.runUntilStopped())
    #expect(bench.server.requests.count == 3)
    let request = try #require(bench.server.requests.first)
    #expect(
      DeliveryTests.body(request)
        == #"{"_type":"location","lat":52.5000001,"lon":13.3,"tst":1772360103,"acc":100,"topic":"owntracks/fleet/van7"}"#
    )
    #expect(request.headers["authorization"] == "Basic bWU6cGFzcw==")
    #expect(request.headers["x-limit-u"] == "fleet" && request.headers["x-limit-d"] == "van7")
  }

  @Test func newestOnlySendsTheLastOfABacklog() throws {
    let bench = try Bench([.answer(200, body: "[]")], records: 25)
    let delivery = bench.delivery(at: {
      $0.form = .ownTracks(trackerID: "v7")
      $0.isNewestOnly = true
    }) {
      $0.isNewestOnly = true
      $0.pacing = .whenDue
    }
    delivery.start()
    #expect(try bench.loop.runUntilStopped())
    #expect(bench.server.requests.map { DeliveryTests.body($0).contains("52.5000025") } == [true])
    #expect(bench.log.acknowledged == RecordID(25))
    #expect(bench.log.taken == [TakenRecords(count: 1, newestLocation: RecordID(25))])
  }

  @Test func newestOnlySendsTheNewestRecordAfterAFailure() throws {
    let bench = try Bench([.answer(500), .answer(200)], records: 5)
    let all = bench.log.records
    bench.log.records = Array(all.prefix(3))
    bench.log.stopsOnFailure = true
    let delivery = bench.delivery(at: {
      $0.form = .ownTracks(trackerID: nil)
      $0.isNewestOnly = true
    }) {
      $0.isNewestOnly = true
      $0.pacing = .whenDue
    }
    delivery.start()
    #expect(try bench.loop.runUntilStopped())
    bench.log.records = all
    bench.log.stopsOnFailure = false
    delivery.recordsDurable(count: 2)
    delivery.sendNow()
    #expect(try bench.loop.runUntilStopped())
    #expect(bench.server.requests.map { DeliveryTests.body($0).contains("52.5000003") } == [true, false])
    #expect(bench.server.requests.last.map { DeliveryTests.body($0).contains("52.5000005") } == true)
    // Superseded records are acknowledged, but do not count as delivered.
    #expect(bench.log.taken == [TakenRecords(count: 1, newestLocation: RecordID(5))])
  }

  @Test(arguments: [false, true])
  func aQueryRequestContainsTheValues(isPost: Bool) throws {
    let bench = try Bench([.answer(200)], records: 1)
    let delivery = bench.delivery(
      to: bench.server.url("/?k=v"),
      at: {
        $0.form = .query(isPost: isPost, speedUnit: .knots)
        $0.credentials = .none
      }
    ) { $0.batchSize = 1 }
    delivery.start()
    #expect(try bench.loop.runUntilStopped())
    let items = "id=van&lat=52.5000001&lon=13.3&timestamp=1772360103&accuracy=100"
    let request = try #require(bench.server.requests.first)
    #expect(request.line == (isPost ? "POST /?k=v HTTP/1.1" : "GET /?k=v&\(items) HTTP/1.1"))
    #expect(DeliveryTests.body(request) == (isPost ? items : ""))
    #expect(request.headers["content-type"] == (isPost ? "application/x-www-form-urlencoded" : nil))
  }

  @Test func traccarGetsFurtherItemsAndEventsInTheOrderOfTheLog() throws {
    let bench = try Bench([.answer(200)], records: 4)
    for (index, kind) in [1: EventKind.towed, 2: .motionBegan] {
      bench.log.records[index].record.body = .event(EventRecord(kind))
    }
    let delivery = bench.delivery(
      to: bench.server.url("/"),
      at: {
        $0.form = .traccar(isPost: false, speedUnit: .knots, deviceID: "van")
        $0.credentials = .none
      }
    ) {
      $0.batchSize = 1
      $0.largestRequest = 1
      $0.pacing = .whenDue
    }
    delivery.start()
    #expect(try bench.loop.runUntilStopped())
    #expect(
      bench.server.requests.map(\.line) == [
        "GET /?id=van&lat=52.5000001&lon=13.3&timestamp=1772360103&accuracy=100&valid=true HTTP/1.1",
        "GET /?id=van&timestamp=1772360104&event=towed&alarm=tow HTTP/1.1",
        "GET /?id=van&lat=52.5000004&lon=13.3&timestamp=1772360106&accuracy=100&valid=true HTTP/1.1",
      ])
  }

  @Test func eventsAreNotSentIfOnlyTheNewestLocationIs() {
    var endpoint = HTTPEndpoint(url: "http://h/")
    endpoint.form = .traccar(isPost: false, speedUnit: .knots, deviceID: "van")
    #expect(endpoint.events == .all)
    endpoint.isNewestOnly = true
    #expect(endpoint.events == .none)
  }

  @Test func aCaptivePortalIsNoSuccessInAnyFormat() throws {
    for form in [
      HTTPEndpoint.Form.overland(.overland), .ownTracks(trackerID: nil),
      .query(isPost: false, speedUnit: .knots),
      .traccar(isPost: false, speedUnit: .knots, deviceID: "van"),
    ] {
      let bench = try Bench([.answer(200, body: "<!DOCTYPE html><html>Sign in</html>")], records: 1)
      bench.log.stopsOnFailure = true
      let delivery = bench.delivery(at: { $0.form = form }) { $0.batchSize = 1 }
      delivery.start()
      #expect(try bench.loop.runUntilStopped())
      #expect(delivery.machine.lastRefusal?.kind == .notConfirmed)
      let message = bench.stable(try #require(bench.log.reports.first))
      let name = if case .overland = form { "captive portal, Overland" } else { "captive portal" }
      #expect(message == DeliveryTests.texts.expected(name, message))
    }
  }

  @Test func accept2xxCountsUnconfirmedResponsesAndWarnsOnce() throws {
    let bench = try Bench([.answer(200, body: "<html>hello"), .answer(204), DeliveryTests.ok], records: 30)
    let delivery = bench.delivery(at: { $0.acceptsAnyBody = true })
    delivery.start()
    #expect(try bench.loop.runUntilStopped())
    #expect(delivery.machine.unconfirmedResponses == 2)
    #expect(bench.log.reports.count == 1 && bench.log.reports.first?.contains("accept_2xx") == true)
  }

  @Test func inTheOwnTracksFormatOnlyAWebPageIsUnconfirmed() throws {
    let bench = try Bench([.answer(200, body: "[]"), .answer(200, body: "<html>")], records: 2)
    let delivery = bench.delivery(at: {
      $0.form = .ownTracks(trackerID: nil)
      $0.acceptsAnyBody = true
    }) { $0.batchSize = 1 }
    delivery.start()
    #expect(try bench.loop.runUntilStopped())
    #expect(delivery.machine.unconfirmedResponses == 1)
  }

  @Test func traceGetsOneClockMinutePerRequest() throws {
    let bench = try Bench([DeliveryTests.ok], records: 130)
    bench.log.stopsAt = RecordID(117)
    let trace = try #require(OverlandProfile.named("trace"))
    let delivery = bench.delivery(at: { $0.form = .overland(trace) }) {
      $0.batchSize = 200
      $0.pacing = .whenDue
    }
    delivery.start()
    #expect(try bench.loop.runUntilStopped())
    // The time of the first record is 10:15:03, of the last one 10:17:12.
    #expect(
      bench.server.requests.map { DeliveryTests.body($0).split(separator: "Feature").count - 1 } == [57, 60])
    #expect(bench.server.requests.allSatisfy { DeliveryTests.body($0).contains(#""motion":["unknown"]"#) })
    #expect(bench.server.requests.allSatisfy { !DeliveryTests.body($0).contains("current") })
    #expect(bench.log.unknownEnds.isEmpty, "the log would supply the part that is being sent once more")
  }
}
