import Database
import HTTPServer
import TestSupport
import Testing

/// Overland bodies at the HTTP border of `outrider collect`: request in, answer and rows out.
@Suite struct OverlandBorderTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let promise: String
    let geometry: String
    let timestamp: String
    /// The reason by which the location is counted; nil if it is stored.
    let dropped: String?

    var testDescription: String { promise }

    init(
      _ promise: String, geometry: String = #"{"type":"Point","coordinates":[8.25,46.5]}"#,
      timestamp: String = #""2026-11-30T10:00:00Z""#, dropped: String? = nil
    ) {
      (self.promise, self.geometry, self.timestamp, self.dropped) = (promise, geometry, timestamp, dropped)
    }

    var feature: String {
      let time = timestamp.isEmpty ? "" : #","timestamp":\#(timestamp)"#
      let place = geometry.isEmpty ? "" : #""geometry":\#(geometry),"#
      return #"{"type":"Feature",\#(place)"properties":{"device_id":"van"\#(time)}}"#
    }
  }

  private static func at(_ time: String) -> String { #""\#(time)""# }
  private static func point(_ coordinates: String) -> String {
    #"{"type":"Point","coordinates":\#(coordinates)}"#
  }

  static let all: [Case] = [
    Case("a location is stored"),
    Case("a leap second is stored", timestamp: at("2026-12-31T23:59:60Z")),
    Case("the second day of 1970", timestamp: at("1970-01-02T00:00:00Z")),
    Case("the end of 2199", timestamp: at("2199-12-31T23:59:59Z")),
    Case("the pole", geometry: point("[180,-90]")),
    Case("the first day of 1970", timestamp: at("1970-01-01T23:59:59Z"), dropped: "no_time"),
    Case("the year 2200", timestamp: at("2200-01-01T00:00:00Z"), dropped: "no_time"),
    Case("the year 2300", timestamp: at("2300-01-01T00:00:00Z"), dropped: "no_time"),
    Case("a number as time", timestamp: "1796019007", dropped: "no_time"),
    Case("a number as text", timestamp: at("1796019007"), dropped: "no_time"),
    Case("the time null", timestamp: "null", dropped: "no_time"),
    Case("no time", timestamp: "", dropped: "no_time"),
    Case("no geometry", geometry: "", dropped: "no_position"),
    Case("the geometry null", geometry: "null", dropped: "no_position"),
    Case(
      "a polygon", geometry: #"{"type":"Polygon","coordinates":[[[8,46]]]}"#, dropped: "no_position"),
    Case("coordinates of text", geometry: point(#"["8.25","46.5"]"#), dropped: "no_position"),
    Case("one coordinate", geometry: point("[8.25]"), dropped: "no_position"),
    Case("a latitude beyond the pole", geometry: point("[8.25,91]"), dropped: "no_position"),
    Case("a longitude beyond 180°", geometry: point("[181,46.5]"), dropped: "no_position"),
  ]

  /// Whatever is not stored is confirmed, so that it is not repeated, counted, and kept in the archive of bodies.
  @Test(arguments: all)
  func everyLocationIsStoredOrCounted(_ one: Case) throws {
    let bench = try CollectorTests.Bench()
    let answer = try bench.post(CollectorTests.batch([one.feature, CollectorTests.location(1)]))
    let saved = one.dropped == nil ? 2 : 1
    #expect(answer.status == 200 && answer.text == #"{"result":"ok","saved":\#(saved)}"#)
    #expect(try bench.query("SELECT count(*) FROM location") == [[.integer(Int64(saved))]])
    #expect(try bench.query("SELECT count(*) FROM features") == [[.integer(Int64(saved))]])
    #expect(try bench.rawFiles.count == 1)
    let status = try bench.get("/status").text
    #expect(status.contains(#""saved":\#(saved),"duplicates":0"#), "\(status)")
    if let reason = one.dropped {
      #expect(status.contains(#""dropped":{"\#(reason)":1}"#), "\(status)")
      #expect(
        bench.notices.count == 1 && bench.notices[0].contains("Overland: a Feature from van is dropped: "),
        "\(bench.notices)")
    } else {
      #expect(!status.contains("dropped") && bench.notices.isEmpty, "\(status)")
    }
  }

  @Test func theFirstOneOfEachReasonAndFormIsReported() throws {
    let bench = try CollectorTests.Bench()
    let feature = Case("", timestamp: "5").feature
    for _ in 0..<2 { _ = try bench.post(CollectorTests.batch([feature, feature])) }
    _ = try bench.post(#"{"_type":"location","lat":1,"lon":2,"tst":0}"#, to: "/pub")
    #expect(try bench.get("/status").text.contains(#""dropped":{"no_time":5}"#))
    #expect(bench.notices.map { $0.prefix(9) } == ["Overland:", "OwnTracks"])
  }
}
