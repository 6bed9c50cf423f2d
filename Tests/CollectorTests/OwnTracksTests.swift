import Database
import Testing

@Suite struct OwnTracksTests {
  static let message =
    #"{"_type":"location","lat":52.5418194,"lon":13.3619121,"tst":1772360102,"acc":4,"batt":100,"#
    + #""topic":"owntracks/fleet/van7","alt":39,"vel":36,"cog":87}"#

  @Test(arguments: ["/pub?u=x&d=y", "/owntracks"])
  func aMessageIsStoredOnceAndTheResponseIsAList(path: String) throws {
    let bench = try CollectorTests.Bench()
    for _ in 0..<2 {
      let answer = try bench.post(Self.message, to: path)
      #expect(answer.status == 200 && answer.text == "[]")
    }
    let rows = try bench.query(
      "SELECT latitude_e7, longitude_e7, time_ms, speed_mps, course_deg, battery_level, device_id FROM features"
    )
    #expect(
      rows == [
        [
          .integer(525_418_194), .integer(133_619_121), .integer(1_772_360_102_000), .real(10), .real(87),
          .real(1),
          .text("fleet/van7"),
        ]
      ])
  }

  /// The owner of a message: from the topic, else from the query, else from the headers.
  struct Owner {
    var query = ""
    var headers: [String] = []
    var topic: String?
    var device: String?
  }

  static let limits = ["X-Limit-U: me", "x-limit-d: phone"]
  static let owners = [
    Owner(query: "?u=me&d=phone", device: "me/phone"),
    Owner(headers: limits, device: "me/phone"),
    Owner(query: "?u=you&d=car", headers: limits, device: "you/car"),
    Owner(query: "?u=you", headers: limits, device: "you/phone"),
    Owner(query: "?u=&d=", headers: limits, device: "me/phone"),
    Owner(headers: ["X-Limit-U: me"], device: "me"),
    Owner(headers: limits, topic: "owntracks/fleet/van", device: "fleet/van"),
    Owner(headers: limits, topic: "owntracks/", device: "me/phone"),
    Owner(headers: ["X-Limit-U:", "X-Limit-D: "]),
    Owner(),
  ]

  @Test(arguments: owners.indices)
  func theOwnerIsTakenFromTopicQueryOrHeaders(row: Int) throws {
    let owner = Self.owners[row]
    let bench = try CollectorTests.Bench()
    let topic = owner.topic.map { #","topic":"\#($0)""# } ?? ""
    _ = try bench.post(
      #"{"_type":"location","lat":1,"lon":2,"tst":1772360102\#(topic)}"#, to: "/pub\(owner.query)",
      headers: owner.headers)
    let rows = try bench.query("SELECT device_id FROM features")
    #expect(rows == [[owner.device.map { .text($0) } ?? .null]], "row \(row)")
  }

  @Test(arguments: [#"{"_type":"lwt","tst":1}"#, #"{"_type":"waypoint","desc":"x"}"#])
  func otherTypesAreAcceptedAndNotStored(body: String) throws {
    let bench = try CollectorTests.Bench()
    #expect(try bench.post(body, to: "/pub").text == "[]")
    #expect(try bench.query("SELECT count(*) FROM features") == [[.integer(0)]])
  }

  @Test(arguments: [
    "", "[]", "{}", "null", "{\"_type\":3}", "{\"_type\":\"location\",\"lat\":\"x\"}", "{\"\u{1}\":1}",
  ])
  func aBodyThatIsNotAMessageIsRejected(body: String) throws {
    let bench = try CollectorTests.Bench()
    #expect(try bench.post(body, to: "/pub").status == 400)
  }

  @Test(arguments: [#""lat":1e300,"lon":2"#, #""tst":1e300"#, #""tst":-9e18"#])
  func impossibleValuesAreAccepted(part: String) throws {
    let bench = try CollectorTests.Bench()
    #expect(try bench.post(#"{"_type":"location",\#(part)}"#, to: "/pub").status == 200)
  }
}
