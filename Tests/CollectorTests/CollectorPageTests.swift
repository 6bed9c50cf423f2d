import Database
import Foundation
import HTTPServer
import Quantities
import TestSupport
import Testing
import WebAccess

@testable import Collector

/// The routes of the page of the collector.
@Suite struct CollectorPageTests {
  private typealias Batches = CollectorTests

  /// 2026-03-01T10:00:00Z.
  static let start: Int64 = 1_772_359_200_000

  static func object(_ answer: HTTPAnswer) throws -> [String: Any] {
    try #require(
      try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any], "\(answer.text)")
  }

  /// The values of a column over all chunks; the differences are added up.
  static func column(_ name: String, _ track: [String: Any]) throws -> [Int64?] {
    var values: [Int64?] = []
    for chunk in try #require(track["points"] as? [[String: Any]]) {
      var last: Int64 = 0
      for value in try #require(chunk[name] as? [Any]) {
        guard let number = value as? NSNumber else {
          values.append(nil)
          continue
        }
        last = ["id", "t", "lat", "lon", "alt"].contains(name) ? last + number.int64Value : number.int64Value
        values.append(last)
      }
    }
    return values
  }

  static func feature(
    _ second: Int, _ latitude: Double, _ longitude: Double, device: String? = "van", properties: String = ""
  ) throws -> String {
    let time = Timestamp(milliseconds: start + Int64(second) * 1000).iso8601()
    let name = try device.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) } ?? "null"
    return
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[\#(longitude),\#(latitude)]},"#
      + #""properties":{"timestamp":"\#(time)","device_id":\#(name)\#(properties)}}"#
  }

  @Test func theTrackOfADeviceHasTheColumnsOfTheLogger() throws {
    let bench = try CollectorTests.Bench()
    let known =
      #","altitude":38.25,"speed":13.24,"course":359.96,"horizontal_accuracy":3.1,"#
      + #""motion":["driving","stationary"],"battery_level":0.87"#
    let unknown = #","altitude":"high","speed":-1,"course":-1,"horizontal_accuracy":-1,"battery_level":-1"#
    _ = try bench.post(
      Batches.batch([
        try Self.feature(10, 52.5001, 13.4, properties: unknown),
        try Self.feature(0, 52.5, 13.4, properties: known),
        try Self.feature(5, 48, 11, device: "other"),
      ]))
    let track = try Self.object(try bench.get("/track?device=van"))
    #expect(try Self.column("t", track) == [Self.start, Self.start + 10_000])
    #expect(try Self.column("lat", track) == [525_000_000, 525_001_000])
    #expect(try Self.column("lon", track) == [134_000_000, 134_000_000])
    #expect(try Self.column("alt", track) == [383, nil])
    #expect(try Self.column("spd", track) == [1324, nil])
    #expect(try Self.column("crs", track) == [0, nil])
    #expect(try Self.column("acc", track) == [31, nil])
    #expect(try Self.column("mot", track) == [5, 0])
    #expect(try Self.column("bat", track) == [87, nil])
    #expect(try Self.column("fix", track) == [nil, nil] && Self.column("kept", track) == [nil, nil])
    #expect((track["motions"] as? [String])?[5] == "automotive")
    #expect(track["count"] as? Int == 2 && track["next"] is NSNull && track["device"] as? String == "van")
    for list in ["gaps", "visits", "trips", "events", "fixes", "reasons"] {
      #expect((track[list] as? [Any])?.isEmpty == true, "\(list)")
    }
  }

  @Test func aPauseOverTwoMinutesIsAGapWithoutAKnownReason() throws {
    let bench = try CollectorTests.Bench()
    let seconds = [-400, 0, 60, 180, 301, 302]
    _ = try bench.post(
      Batches.batch(try seconds.map { try Self.feature($0, 52.5 + Double($0) / 100_000, 13.4) }))
    for (query, expected) in [
      ("", [-400...0, 180...301]), ("&from=\(Self.start)", [-400...0, 180...301]),
      ("&from=\(Self.start + 1000)", [180...301]), ("&to=\(Self.start + 200_000)", [-400...0]),
    ] {
      let track = try Self.object(try bench.get("/track?device=van\(query)"))
      let gaps = try #require(track["gaps"] as? [[String: Any]])
      let spans = gaps.map { gap -> ClosedRange<Int> in
        let ends = ["from", "to"].map { Int(((gap[$0] as? NSNumber)?.int64Value ?? 0) - Self.start) / 1000 }
        return ends[0]...max(ends[0], ends[1])
      }
      #expect(spans == expected, "\(query): \(spans)")
      #expect(gaps.allSatisfy { ($0["sentence"] as? String)?.contains("does not know why") == true })
      #expect(gaps.allSatisfy { $0["reason"] as? String == "unknown" && $0["lat_to"] is NSNumber })
    }
  }

  @Test func aTrackCrossesTheDateLine() throws {
    let bench = try CollectorTests.Bench()
    let longitudes = [179.9998, 179.9999, -180, -179.9999, 180]
    _ = try bench.post(
      Batches.batch(try longitudes.enumerated().map { try Self.feature($0.offset * 130, -17, $0.element) }))
    let track = try Self.object(try bench.get("/track?device=van&resolution_m=5"))
    #expect(
      try Self.column("lon", track) == [
        1_799_998_000, 1_799_999_000, -1_800_000_000, -1_799_999_000, 1_800_000_000,
      ])
    let metres = try #require(track["gaps"] as? [[String: Any]]).compactMap { $0["metres"] as? Int }
    #expect(metres.count == 4 && metres.allSatisfy { $0 < 25 }, "\(metres)")
  }

  @Test func impossibleCoordinatesAreLeftOut() throws {
    let bench = try CollectorTests.Bench()
    _ = try bench.post(
      Batches.batch([
        try Self.feature(0, 91, 0), try Self.feature(1, 52, 13), try Self.feature(2, 0, 1000),
        try Self.feature(3, 53, 14),
      ]))
    #expect(
      try Self.column("lat", try Self.object(try bench.get("/track?device=van"))) == [
        520_000_000, 530_000_000,
      ])
  }

  static let hostileNames = [
    "<script>alert(1)</script>", "\"},{\"device\":\"x", "van\u{202E}nav", "a\nb\tc\\",
    "'; DROP TABLE features; --",
    "%2e%2e/etc&device=van#x+y", String(repeating: "ä", count: 3000), "", "-", "\u{1F697}",
  ]

  @Test func hostileNamesComeBackAsTheyAre() throws {
    let bench = try CollectorTests.Bench()
    let names = Self.hostileNames + [nil]
    _ = try bench.post(
      Batches.batch(
        try names.enumerated().map { try Self.feature($0.offset, 52.5, 13.4, device: $0.element) }))
    let devices = try #require(
      try Self.object(try bench.get("/devices"))["devices"] as? [[String: Any]])
    #expect(devices.map { $0["device"] as? String } == names.reversed(), "\(devices)")
    for (index, name) in names.enumerated() {
      var allowed = CharacterSet.alphanumerics
      allowed.insert(charactersIn: "-")
      let item =
        name.map { "?device=" + ($0.addingPercentEncoding(withAllowedCharacters: allowed) ?? "") } ?? ""
      guard item.utf8.count < 4000 else { continue }
      let track = try Self.object(try bench.get("/track\(item)"))
      #expect(track["device"] as? String == name)
      #expect(try Self.column("t", track) == [Self.start + Int64(index) * 1000], "\(name ?? "nil")")
    }
  }

  @Test(arguments: [
    ("?device=nobody", 404), ("", 404), ("?device=van&from=yesterday", 400), ("?device=van&colour=red", 400),
    ("?device=van&from=2&to=1", 400), ("?device=van&limit=0", 400), ("?device=van&limit=20001", 400),
    ("?device=van&resolution_m=-1", 400), ("?device=van&after=7", 400), ("?device=van&after=1-x", 400),
    ("?device=van&after=9223372036854775808-1", 400),
    (
      "?device=van&from=-253402300799999&to=253402300799999&after=9223372036854775807-9223372036854775807",
      200
    ),
    ("?device=van&from=2026-03-01T10:00:00Z", 200),
  ])
  func anInvalidQueryIsRejected(query: String, status: Int) throws {
    let bench = try CollectorTests.Bench()
    _ = try bench.post(Batches.batch([try Self.feature(0, 52.5, 13.4)]))
    let answer = try bench.get("/track\(query)")
    #expect(answer.status == status, "\(answer.text)")
    if status != 200 {
      #expect((try Self.object(answer)["detail"] as? String)?.isEmpty == false)
    }
  }

  @Test func aHundredThousandPointsComeInSlicesAndPages() throws {
    let path = NSTemporaryDirectory() + "outrider-track-\(UUID().uuidString).db"
    defer {
      for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }
    let table = try FeatureTable(path: path)
    let count = 100_000
    _ = try table.store(
      (0..<count).map { index in
        var feature = Feature(bytes: Array("\(index)".utf8)[...])
        feature.deviceID = "van"
        // Three points of each time: rows decide their order.
        feature.time = Timestamp(milliseconds: Self.start + Int64(index / 3) * 1000)
        (feature.latitudeE7, feature.longitudeE7) = (520_000_000 + Int64(index), 130_000_000)
        return feature
      }, receivedAt: Timestamp(milliseconds: Self.start))
    var next: String?
    var latitudes: [Int64?] = []
    var pages = 0
    repeat {
      var items: [HTTPRequest.QueryItem] = [
        .init(name: "device", value: "van"), .init(name: "from", value: "\(Self.start)"),
      ]
      if let next { items.append(.init(name: "after", value: next)) }
      let track = try CollectedTrack(HTTPRequest(method: "GET", path: "/track", query: items), of: table)
      var body: [UInt8] = []
      while let slice = try track.next() {
        #expect(!slice.isEmpty && slice.count < 64 << 10, "\(slice.count)")
        body += slice
      }
      let object = try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
      latitudes += try Self.column("lat", object)
      next = object["next"] as? String
      pages += 1
    } while next != nil && pages < 20
    #expect(latitudes == (0..<count).map { 520_000_000 + Int64($0) })
    #expect(pages == 6)
  }

  @Test func thePageSignsInByTokenOrCookieAndWithoutATokenEverybodyReads() throws {
    let bench = try CollectorTests.Bench(token: "a long enough secret")
    let other = ["Authorization: Bearer wrong"]
    let right = ["Authorization: Bearer a long enough secret"]
    _ = try bench.post(Batches.batch([try Self.feature(0, 52.5, 13.4)]), headers: right)
    for path in ["/devices", "/track?device=van"] {
      #expect(try bench.get(path).status == 401)
      #expect(try bench.get(path, headers: other).status == 401)
      #expect(try bench.get(path, headers: right).status == 200)
      let separator = path.contains("?") ? "&" : "?"
      #expect(try bench.get("\(path)\(separator)token=a+long+enough+secret").status == 200)
      #expect(try bench.get("\(path)\(separator)token=wrong").status == 401)
    }
    #expect(try bench.get("/access").text.contains(#""role":"none","serves":"collector""#))
    let json = ["Content-Type: application/json"]
    #expect(try bench.post(#"{"token":"wrong"}"#, to: "/login", headers: json).status == 401)
    let signedIn = try bench.post(#"{"token":"a long enough secret"}"#, to: "/login", headers: json)
    #expect(signedIn.status == 204, "\(signedIn.text)")
    let header = try #require(signedIn.headers["set-cookie"])
    let cookie = header.prefix { $0 != ";" }
    #expect(try bench.get("/devices", headers: ["Cookie: \(cookie)"]).status == 200)
    #expect(try bench.get("/access", headers: ["Cookie: \(cookie)"]).text.contains(#""role":"operator""#))
    #expect(try bench.get("/devices", headers: ["Cookie: \(cookie)x"]).status == 401)
    #expect(try bench.post("", to: "/devices", headers: right).status == 405)

    let open = try CollectorTests.Bench()
    #expect(try open.get("/devices").status == 200)
    #expect(try open.get("/access").text.contains(#""needs_sign_in":false"#))
  }

  @Test(arguments: [
    ("evil.example.com", 421), ("map.example.org:8080", 200), ("192.168.1.20", 200), ("::", 421),
  ])
  func aNameOfAnotherSiteIsRefused(host: String, status: Int) throws {
    let bench = try HTTPBench()
    let policy = AccessPolicy(
      token: nil, deviceID: "collector", hosts: HostNames(further: ["map.example.org"]),
      words: CollectorPage.words)
    let page = CollectorPage(
      loop: bench.loop, policy: policy, entrance: .init(requiresSignIn: false, isLocal: false),
      files: PageFiles(folder: "/nowhere"), now: { Timestamp(milliseconds: Self.start) })
    let table = try FeatureTable(path: bench.directory + "/collector.db")
    var request = HTTPRequest(method: "GET", path: "/devices")
    request.fields.host = host
    let answer = page.answer(request) { table }
    #expect(answer.status == status)
    let text = String(decoding: answer.body, as: UTF8.self)
    #expect(
      status == 200 || text.contains("this collector; use its address, or name it with --name"), "\(text)")
  }

  @Test func thePageIsServedToEverybody() throws {
    let bench = try CollectorTests.Bench(token: "a long enough secret")
    let page = try bench.get("/")
    #expect(page.status == 200 && page.headers["content-security-policy"] != nil)
    #expect(try bench.get("/page/none.js").status == 404)
    #expect(try bench.get("/page/../collector.db").status == 404)
  }
}
