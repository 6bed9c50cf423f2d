import FleetRecords
import Quantities
import TestSupport
import Testing

@testable import outrider_collector

/// OwnTracks messages at the HTTP border of `outrider-collector`: request in, answer and rows out.
@Suite struct OwnTracksBorderTests {
  @Test(arguments: OwnTracksCase.all.indices) func everyRequestHasItsAnswerAndRows(row: Int) throws {
    let one = OwnTracksCase.all[row]
    let bench = try IngestBench { $0.metricsListen = .tcp(address: "127.0.0.1", port: 0) }
    let answer = try bench.ask("POST", "/pub?u=me&d=phone", body: Array(one.body.utf8))
    #expect(answer.status == one.fleet.status, "\(one.promise): \(answer.text)")
    let rows = bench.store.uploads.flatMap(\.locations).map { row in
      [Int64(row.place.latitudeE7), Int64(row.place.longitudeE7), row.id.time.milliseconds]
    }
    #expect(rows == one.fleet.rows, "\(one.promise)")
    let metrics = try bench.http.ask(bench.metricsPort, "GET", "/metrics").text
    if let reason = one.fleet.dropped {
      #expect(metrics.contains(#"outrider_collector_dropped_total{reason="\#(reason)"} 1"#), "\(one.promise)")
    } else {
      #expect(!metrics.contains("outrider_collector_dropped_total{"), "\(one.promise)")
    }
  }
}
