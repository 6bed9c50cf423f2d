import Database
import HTTPServer
import TestSupport
import Testing

/// OwnTracks messages at the HTTP border of `outrider collect`: request in, answer and rows out.
@Suite struct OwnTracksBorderTests {
  @Test(arguments: OwnTracksCase.all.indices) func everyRequestHasItsAnswerAndRows(row: Int) throws {
    let one = OwnTracksCase.all[row]
    let bench = try CollectorTests.Bench()
    let answer = try bench.post(one.body, to: "/pub?u=me&d=phone")
    #expect(answer.status == one.household.status, "\(one.promise): \(answer.text)")
    if answer.status == 200 { #expect(answer.text == "[]", "\(one.promise)") }
    let rows = try bench.query("SELECT latitude_e7, longitude_e7, time_ms FROM features ORDER BY time_ms")
    #expect(rows == one.household.rows.map { $0.map { .integer($0) } }, "\(one.promise)")
    // What is not stored leaves a trace.
    let status = try bench.get("/status").text
    if let reason = one.household.dropped {
      #expect(status.contains(#""dropped":{"\#(reason)":1}"#), "\(one.promise): \(status)")
      #expect(bench.notices.count == 1 && bench.notices[0].contains("OwnTracks: a message from me/phone"))
    } else {
      #expect(!status.contains("dropped") && bench.notices.isEmpty, "\(one.promise)")
    }
  }

  @Test func theOptionalValuesOfTextsAreStored() throws {
    let bench = try CollectorTests.Bench()
    _ = try bench.post(OwnTracksCase.all[1].body, to: "/pub?u=me&d=a")
    let rows = try bench.query(
      "SELECT altitude_m, horizontal_accuracy_m, battery_level, round(speed_mps, 3) FROM features")
    #expect(rows == [[.real(812.4), .real(7.5), .real(0.63), .real(0.417)]])
  }

  /// A location that cannot be stored is kept as it came.
  @Test func aDroppedLocationIsInTheArchive() throws {
    let bench = try CollectorTests.Bench()
    for _ in 0..<3 { _ = try bench.post(#"{"_type":"location","lat":1,"lon":2,"tst":0}"#, to: "/pub") }
    #expect(try !bench.rawFiles.isEmpty)
    #expect(try bench.get("/status").text.contains(#""saved":0,"duplicates":0"#))
    #expect(try bench.get("/status").text.contains(#""dropped":{"no_time":3}"#))
    #expect(bench.notices.count == 1, "one notice for a reason")
  }

  @Test(arguments: ["lookback", "Date", "device", "colour", "lookback_hours%20"])
  func anUnknownItemOfAQueryIsRejected(item: String) throws {
    let bench = try CollectorTests.Bench()
    let answer = try bench.get("/coordinates?\(item)=1")
    #expect(
      answer.status == 400 && answer.text.contains("unknown item of the query; expected date, device_id"))
  }
}
