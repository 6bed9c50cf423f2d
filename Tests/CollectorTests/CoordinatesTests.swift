import Foundation
import Quantities
import TestSupport
import Testing
import TextSnapshots

@Suite struct CoordinatesTests {
  private typealias Batches = CollectorTests

  @Test func theOlderFormatIsOrderedByTimeWithLatitudeFirst() throws {
    let bench = try CollectorTests.Bench()
    _ = try bench.post(Batches.batch([Batches.location(2), Batches.location(1)]))
    #expect(
      try bench.get("/coordinates").text
        == #"{"status":"success","count":2,"lookback_hours":24,"coordinates":[["2026-03-01T10:00:01Z",52.5001,13.4],["#
        + #""2026-03-01T10:00:02Z",52.5002,13.4]]}"#)
    #expect(
      try bench.get("/coordinates?date=today").text.hasPrefix(
        #"{"status":"success","count":2,"date":"2026-03-01","coordinates":[["2026"#))
  }

  @Test func theNewerFormatIsSplitAndSimplified() throws {
    let bench = try CollectorTests.Bench()
    // A line, a gap, another line, a gap, and a path of only three points.
    let seconds = Array(0..<12) + Array(100..<110) + Array(300..<303)
    _ = try bench.post(Batches.batch(seconds.reversed().map { Batches.location($0) }))
    #expect(
      try bench.get("/coordinates?lookback_hours=1&format=paths").text
        == #"{"status":"success","count":4,"lookback_hours":1,"paths":["#
        + #"[{"timestamp":"2026-03-01T10:00:00Z","latitude":52.5,"longitude":13.4},"#
        + #"{"timestamp":"2026-03-01T10:00:11Z","latitude":52.5011,"longitude":13.4}],"#
        + #"[{"timestamp":"2026-03-01T10:01:40Z","latitude":52.51,"longitude":13.4},"#
        + #"{"timestamp":"2026-03-01T10:01:49Z","latitude":52.5109,"longitude":13.4}]]}"#)
  }

  @Test func aMinimumLengthOmitsShorterPathsInBothFormats() throws {
    let bench = try CollectorTests.Bench()
    let seconds = Array(0..<12) + Array(100..<110) + Array(300..<303)
    _ = try bench.post(Batches.batch(seconds.map { Batches.location($0) }))
    func count(_ query: String) throws -> Int? {
      let object =
        try JSONSerialization.jsonObject(with: Data(bench.get("/coordinates?\(query)").body))
        as? [String: Any]
      return (object?["paths"] as? [Any])?.count ?? object?["count"] as? Int
    }
    for (length, paths, points) in [(1, 3, 25), (3, 3, 25), (4, 2, 22), (10, 2, 22), (11, 1, 12), (13, 0, 0)]
    {
      #expect(try count("format=paths&min_path_length=\(length)") == paths, "\(length)")
      #expect(try count("min_path_length=\(length)") == points, "\(length)")
    }
    #expect(try count("") == 25)
  }

  @Test func aWindowContainsItsLocations() throws {
    let bench = try CollectorTests.Bench()
    _ = try bench.post(
      Batches.batch([
        Batches.location(0), Batches.location(-3600), Batches.location(-36_000), Batches.location(-36_001),
        Batches.location(50_399), Batches.location(50_400), Batches.location(5, device: "bike"),
        #"{"geometry":{"type":"Point","coordinates":[1,2]},"properties":{"timestamp":"2026-03-01T10:00:00Z","action":"visit"}}"#,
      ]))
    func count(_ query: String) throws -> Int? {
      let object =
        try JSONSerialization.jsonObject(with: Data(bench.get("/coordinates?\(query)").body))
        as? [String: Any]
      return object?["count"] as? Int
    }
    // It is 10:15:02.25; later locations are included as well.
    #expect(try count("lookback_hours=1") == 4)
    #expect(try count("lookback_hours=2") == 5)
    #expect(try count("lookback_hours=9223372036854775807") == 7)
    #expect(try count("date=2026-03-01") == 5)
    #expect(try count("date=2026-02-28") == 1)
    #expect(try count("date=2026-03-02") == 1)
    #expect(try count("date=1999-01-01") == 0)
    #expect(try count("lookback_hours=1&device_id=bike") == 1)
  }

  @Test(arguments: [
    "lookback_hours=0", "lookback_hours=-1", "lookback_hours=", "lookback_hours=1.5", "lookback_hours=%2B1",
    "lookback_hours=99999999999999999999", "date=yesterday", "date=2026-02-30", "date=",
    "date=today&lookback_hours=1",
    "format=xml", "min_path_length=0", "min_path_length=-1", "min_path_length=x", "min_path_length=9999999",
  ])
  func anInvalidValueIsRejectedWithAMessage(query: String) throws {
    let answer = try CollectorTests.Bench().get("/coordinates?\(query)")
    #expect(answer.status == 400)
    let object = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: String]
    #expect(object?["status"] == "error")
    #expect(object?["message"]?.isEmpty == false)
  }
}
