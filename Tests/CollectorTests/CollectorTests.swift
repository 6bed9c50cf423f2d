import Collector
import Database
import Foundation
import HTTPServer
import Quantities
import TestSupport
import Testing
import TextSnapshots

@Suite struct CollectorTests {
  static let texts = TextSnapshot("collector")

  /// A collector on a port of its own, with a fixed clock.
  final class Bench {
    let http: HTTPBench
    var now = Timestamp(milliseconds: 1_772_360_102_250)
    private(set) var collector: Collector?

    private(set) var notices: [String] = []

    init(token: String? = nil, settings: [(key: String, value: String)] = [], rawDays: Int = 7) throws {
      http = try HTTPBench()
      try start(token: token, settings: settings, rawDays: rawDays)
    }

    func start(
      token: String? = nil, settings: [(key: String, value: String)] = [], rawDays: Int = 7
    ) throws {
      collector?.stop()
      collector = nil
      collector = try Collector(
        loop: http.loop, listen: .tcp(address: "127.0.0.1", port: 0), directory: http.directory + "/data",
        token: token, settings: SettingsText(settings), rawDays: rawDays,
        onNotice: { [unowned self] in notices.append($0) }, now: { [unowned self] in now })
    }

    func post(_ body: String, to path: String = "/api/input", headers: [String] = []) throws -> HTTPAnswer {
      try http.ask(collector?.port, "POST", path, headers: headers, body: Array(body.utf8))
    }

    func get(_ target: String, headers: [String] = []) throws -> HTTPAnswer {
      try http.ask(collector?.port, "GET", target, headers: headers)
    }

    func query(_ sql: String) throws -> [[ColumnValue]] {
      try Connection(path: http.directory + "/data/collector.db", access: .readOnly).rows(sql)
    }

    var rawFiles: [String] {
      get throws {
        try FileManager.default.contentsOfDirectory(atPath: http.directory + "/data/raw").sorted()
      }
    }
  }

  @Test(arguments: [false, true])
  func aDatabaseThatIsDeletedOrReplacedAtRunTimeIsCreatedAgain(isReplaced: Bool) throws {
    let bench = try Bench()
    #expect(try bench.post(Self.batch([Self.location(1)])).status == 200)
    let path = bench.http.directory + "/data/collector.db"
    try FileManager.default.removeItem(atPath: path)
    if isReplaced { #expect(FileManager.default.createFile(atPath: path, contents: nil)) }
    #expect(try bench.post(Self.batch([Self.location(2)])).text.contains(#""saved":1"#))
    #expect(try bench.post(Self.batch([Self.location(2)])).text.contains(#""saved":0"#))
    let notice = try #require(bench.notices.first).replacing(path, with: "PATH")
    #expect(notice == Self.texts.expected("database deleted or replaced", notice))
    #expect(bench.notices.count == 1)
    #expect(try bench.query("SELECT count(*) FROM features") == [[.integer(1)]])
    try bench.start()
    #expect(try bench.query("SELECT count(*) FROM features") == [[.integer(1)]])
  }

  @Test func settingsArePartOfEveryResponseToAnOverlandBody() throws {
    let bench = try Bench(settings: [
      ("main.min_time", "5s"), ("main.batch_size", "50"), ("send_interval", "off"), ("tracking", "true"),
      ("main.max_accuracy", "007"), ("main.batch_size", "60.5"),
    ])
    let answer = try bench.post(Self.batch([Self.location(1)]))
    #expect(
      answer.text
        == #"{"result":"ok","saved":1,"set":{"main":{"min_time":"5s","batch_size":60.5,"max_accuracy":"007"},"#
        + #""send_interval":"off","tracking":true}}"#)
    #expect(try Bench().post(Self.batch([Self.location(1)])).text == #"{"result":"ok","saved":1}"#)
  }

  @Test func bodiesAreArchivedForTheConfiguredNumberOfDays() throws {
    let bench = try Bench(rawDays: 2)
    for day in 0..<5 {
      bench.now = bench.now + .seconds(86_400)
      _ = try bench.post(Self.batch([Self.location(day)]))
    }
    #expect(try bench.rawFiles.count == 3)
    let none = try Bench(rawDays: 0)
    #expect(try none.post(Self.batch([Self.location(1)])).status == 200)
    #expect(!FileManager.default.fileExists(atPath: none.http.directory + "/data/raw"))
    #expect(try none.get("/status").text.contains(#""bodies_not_archived":0"#))
  }

  /// A location `second` seconds after 2026-03-01T10:00:00Z, on a track to the north.
  static func location(_ second: Int, device: String = "van", properties: String = "") -> String {
    let time = Timestamp(milliseconds: 1_772_359_200_000 + Int64(second) * 1000).iso8601()
    return
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[13.4,\#(52.5 + Double(second) / 10_000)]},"#
      + #""properties":{"timestamp":"\#(time)","horizontal_accuracy":5,"speed":-1,"device_id":"\#(device)"\#(properties)}}"#
  }

  static func batch(_ features: [String], rest: String = "") -> String {
    #"{"locations":[\#(features.joined(separator: ","))]\#(rest)}"#
  }

  @Test func twoCollectorsDoNotShareADirectory() throws {
    let bench = try Bench()
    let directory = bench.http.directory + "/data"
    let second = {
      try Collector(loop: bench.http.loop, listen: .tcp(address: "127.0.0.1", port: 0), directory: directory)
    }
    #expect(throws: CollectorError.inUse(directory: directory)) { try second() }
    #expect(try bench.get("/status").status == 200)
    bench.collector?.stop()
    try second().stop()
  }

  @Test(arguments: ["/dump", "/api/input"])
  func aBatchIsStoredBeforeTheResponse(path: String) throws {
    let bench = try Bench()
    let answer = try bench.post(
      Self.batch(
        [Self.location(1), Self.location(2)], rest: #","current":\#(Self.location(9)),"trip":{"mode":"car"}"#),
      to: path)
    #expect(answer.status == 200)
    #expect(answer.text == #"{"result":"ok","saved":2}"#)
    #expect(answer.headers["content-type"] == "application/json")
    let rows = try bench.query(
      "SELECT time, latitude, longitude, speed_mps, horizontal_accuracy_m, device_id FROM location ORDER BY time"
    )
    #expect(rows.count == 2)
    #expect(
      rows.first == [
        .text("2026-03-01T10:00:01.000Z"), .real(52.5001), .real(13.4), .null, .real(5), .text("van"),
      ])
  }

  @Test func theSameBytesAreStoredOnce() throws {
    let bench = try Bench()
    let first = Self.batch([Self.location(1), Self.location(2), Self.location(1)])
    #expect(try bench.post(first).text == #"{"result":"ok","saved":2}"#)
    #expect(try bench.post(first).text == #"{"result":"ok","saved":0}"#)
    let overlap = #"{"type":"FeatureCollection","features":[\#(Self.location(2)),\#(Self.location(3))]}"#
    #expect(try bench.post(overlap, to: "/dump").text == #"{"result":"ok","saved":1}"#)
    try bench.start()
    #expect(try bench.post(first).text == #"{"result":"ok","saved":0}"#)
    #expect(try bench.query("SELECT count(*) FROM features") == [[.integer(3)]])
  }

  @Test func aBadFeatureBlocksNothingAndATripIsStoredAsReceived() throws {
    let bench = try Bench()
    let bad = #"{"type":"Feature", "properties":{"timestamp":5}}"#
    let trip = #"{"type":"Feature","properties":{"type":"trip","mode":"car"}}"#
    #expect(try bench.post(Self.batch([Self.location(1), bad, trip])).text == #"{"result":"ok","saved":2}"#)
    #expect(try bench.query("SELECT count(*) FROM location") == [[.integer(1)]])
    #expect(try bench.query("SELECT body FROM features WHERE kind = 'trip'") == [[.text(trip)]])
  }

  @Test func anEmptyListIsAccepted() throws {
    #expect(try Bench().post(#"{"locations":[]}"#).text == #"{"result":"ok","saved":0}"#)
  }

  @Test(arguments: ["", "x", "[]", #"{"locations":5}"#, #"{"locations":[{}"#])
  func aBodyOfAnotherKindIsRejectedWithTheExpectedText(body: String) throws {
    let bench = try Bench()
    let answer = try bench.post(body)
    #expect(answer.status == 400)
    let object = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: String]
    #expect(object?["error"]?.contains("expected") == true)
    #expect(try bench.query("SELECT count(*) FROM features") == [[.integer(0)]])
    #expect(try bench.rawFiles == [])
  }

  @Test func bodiesAreArchivedAsReceived() throws {
    let bench = try Bench()
    let body = Self.batch([Self.location(1)], rest: " ")
    _ = try bench.post(body)
    bench.now = bench.now + .seconds(1)
    _ = try bench.post(body)
    #expect(try bench.rawFiles == ["20260301T101502.250Z-0000.json", "20260301T101503.250Z-0000.json"])
    let path = bench.http.directory + "/data/raw/20260301T101502.250Z-0000.json"
    #expect(FileManager.default.contents(atPath: path) == Data(body.utf8))
  }

  @Test func onlyTheTokenAdmitsAClient() throws {
    let bench = try Bench(token: "s3cret")
    let refused = try bench.post(Self.batch([Self.location(1)]))
    #expect(refused.status == 401)
    #expect(refused.headers["www-authenticate"] == "Bearer")
    #expect(refused.text == Self.texts.expected("wrong token", refused.text))
    #expect(try bench.get("/coordinates", headers: ["Authorization: Bearer wrong"]).status == 401)
    #expect(
      try bench.post(Self.batch([Self.location(1)]), headers: ["Authorization: Bearer s3cret"]).status == 200)
    #expect(try bench.post(Self.batch([]), to: "/dump?token=s3cret").status == 200)
    #expect(try bench.get("/status?token=s3cre").status == 401)
  }

  @Test func listeningOnAllAddressesWithoutATokenWarns() throws {
    let bench = try HTTPBench()
    let open = try Collector(
      loop: bench.loop, listen: .tcp(address: "0.0.0.0", port: 0), directory: bench.directory + "/a")
    let warning = try #require(open.warnings.first)
    #expect(warning == Self.texts.expected("listening without a token", warning))
    #expect(open.warnings.count == 1)
    let shut = try Collector(
      loop: bench.loop, listen: .tcp(address: "0.0.0.0", port: 0), directory: bench.directory + "/b",
      token: "t")
    #expect(shut.warnings == [])
    #expect(throws: CollectorError.emptyToken) {
      try Collector(loop: bench.loop, directory: bench.directory + "/c", token: "")
    }
  }

  @Test func unknownPathsMethodsAndEncodingsAreRejected() throws {
    let bench = try Bench()
    #expect(try bench.get("/status").text.hasPrefix(#"{"status":"ok""#))
    #expect(try bench.get("/nowhere").status == 404)
    let answer = try bench.get("/api/input")
    #expect(answer.status == 405)
    #expect(answer.headers["allow"] == "POST")
    #expect(try bench.post("{}", to: "/status").status == 405)
    #expect(try bench.post("{}", headers: ["Content-Encoding: br"]).status == 415)
  }

  @Test func anOversizedBodyIsRejectedAndTheNextOneAccepted() throws {
    let bench = try Bench()
    let client = try RawHTTPClient(loop: bench.http.loop, port: bench.collector?.port ?? 0)
    client.send("POST /dump HTTP/1.1\r\nHost: h\r\nContent-Length: 33554433\r\nExpect: 100-continue\r\n\r\n")
    #expect(try bench.http.run { !client.answers.isEmpty })
    #expect(client.answers.first?.status == 413)
    #expect(try bench.post(Self.batch([Self.location(1)])).status == 200)
  }

  @Test func incompleteAndSlowBodiesStoreNothingAndBlockNobody() throws {
    let bench = try Bench()
    let whole = RawHTTPClient.request("POST", "/dump", body: Array(Self.batch([Self.location(1)]).utf8))
    let half = try RawHTTPClient(loop: bench.http.loop, port: bench.collector?.port ?? 0)
    half.send(Array(whole.dropLast(5)))
    try bench.http.run(for: .milliseconds(20))
    half.close(reset: true)
    let drip = try RawHTTPClient(loop: bench.http.loop, port: bench.collector?.port ?? 0)
    for (index, byte) in whole.enumerated() {
      drip.send([byte])
      if index % 50 == 0 { try bench.http.run(for: .milliseconds(1)) }
      if index == 100 { #expect(try bench.post(Self.batch([Self.location(2)])).status == 200) }
    }
    #expect(try bench.query("SELECT count(*) FROM features WHERE time_ms = 1772359201000") == [[.integer(0)]])
    #expect(try bench.http.run { !drip.answers.isEmpty })
    #expect(drip.answers.first?.text == #"{"result":"ok","saved":1}"#)
  }

  @Test func aBacklogIsAcceptedInBatches() throws {
    let bench = try Bench()
    let client = try RawHTTPClient(loop: bench.http.loop, port: bench.collector?.port ?? 0)
    let batches = Int(ProcessInfo.processInfo.environment["OUTRIDER_BACKLOG_BATCHES"] ?? "") ?? 20
    let bodies = (0..<batches).map { batch in
      RawHTTPClient.request(
        "POST", "/api/input",
        body: Array(
          Self.batch(
            (0..<1000).map {
              Self.location(
                batch * 1000 + $0, properties: #","altitude":39,"course":87,"motion":["driving"],"wifi":"""#)
            }
          ).utf8))
    }
    let start = ContinuousClock.now
    for (index, body) in bodies.enumerated() {
      client.send(body)
      try #require(try bench.http.run { client.answers.count == index + 1 })
      #expect(client.answers.last?.text == #"{"result":"ok","saved":1000}"#)
    }
    let seconds = (ContinuousClock.now - start).inSeconds
    print("collector: \(Int(Double(batches) * 1000 / seconds)) records/s")
    #expect(try bench.query("SELECT count(*) FROM location") == [[.integer(Int64(batches) * 1000)]])
  }

  @Test func aLockedDatabaseLeadsTo503AndTheBatchIsAcceptedLater() throws {
    let bench = try Bench()
    let other = try Connection(path: bench.http.directory + "/data/collector.db")
    try other.execute("BEGIN IMMEDIATE")
    let answer = try bench.post(Self.batch([Self.location(1)]))
    #expect(answer.status == 503)
    #expect(answer.headers["retry-after"] == "5")
    #expect(answer.text == Self.texts.expected("database in use", answer.text))
    try other.execute("ROLLBACK")
    #expect(try bench.post(Self.batch([Self.location(1)])).text == #"{"result":"ok","saved":1}"#)
  }

  @Test func anErrorAtTheStartIsReportedWithItsCause() throws {
    let bench = try HTTPBench()
    try Data("no database".utf8).write(to: URL(fileURLWithPath: bench.directory + "/collector.db"))
    #expect(refusal(bench, bench.directory)?.hasPrefix("\(bench.directory)/collector.db: ") == true)
    #expect(refusal(bench, "/proc/none/here")?.hasPrefix("/proc/none/here: mkdir: ") == true)
  }

  private func refusal(_ bench: HTTPBench, _ directory: String) -> String? {
    do {
      _ = try Collector(loop: bench.loop, directory: directory)
      return nil
    } catch {
      return error.description
    }
  }
}
