import FleetRecords
import Quantities
import TestSupport
import Testing

@testable import outrider_collector

/// Elements of Overland bodies at the HTTP border of `outrider-collector`: request in, answer and rows out.
@Suite struct OverlandElementTests {
  @Test(arguments: OverlandCase.all.indices) func everyElementIsStoredOrCounted(index: Int) throws {
    let one = OverlandCase.all[index]
    for isAlone in [true, false] {
      let bench = try IngestBench { $0.metricsListen = .tcp(address: "127.0.0.1", port: 0) }
      let elements =
        isAlone ? [one.element] : [OverlandCase.neighbours[0], one.element, OverlandCase.neighbours[1]]
      let answer = try bench.ask(body: Array(OverlandCase.body(elements).utf8))
      #expect(
        answer.status == 200 && answer.text.contains(#""result":"ok""#), "\(one.promise): \(answer.text)")
      let rows = bench.store.uploads.flatMap(\.locations).map { row in
        [Int64(row.place.latitudeE7), Int64(row.place.longitudeE7), row.id.time.milliseconds]
      }
      let expected = (isAlone ? [] : OverlandCase.neighbourRows) + [one.fleet.row].compactMap { $0 }
      #expect(rows.sorted { $0[2] < $1[2] } == expected.sorted { $0[2] < $1[2] }, "\(one.promise)")
      let metrics = try bench.http.ask(bench.metricsPort, "GET", "/metrics").text
      let dropped = one.fleet.dropped.map { #"outrider_collector_dropped_total{reason="\#($0)"} 1"# }
      #expect(
        metrics.contains(dropped ?? "outrider_collector_dropped_total{") == (dropped != nil), "\(one.promise)"
      )
    }
  }

  @Test func everyBodyHasItsAnswer() throws {
    for (body, _, status) in OverlandCase.bodies {
      let bench = try IngestBench()
      #expect(try bench.ask(body: Array(body.utf8)).status == status, "\(body)")
    }
  }

  /// A device that numbers its records would take a confirmation for all of them.
  @Test(arguments: OverlandCase.all.indices) func aBodyWithALogIsReadStrictly(index: Int) throws {
    let bench = try IngestBench()
    let body =
      OverlandCase.body([OverlandCase.all[index].element]).dropLast()
      + #","log":"6b1f6a2e-0000-4000-8000-00000000abcd"}"#
    #expect(try bench.ask(body: Array(body.utf8)).status == 422, "\(OverlandCase.all[index].promise)")
    #expect(bench.store.uploads.isEmpty)
  }

  /// Only what the store has committed is counted: a batch that it did not take is sent again.
  @Test func aRepetitionAfterAnOutageCountsOnce() throws {
    let bench = try IngestBench { $0.metricsListen = .tcp(address: "127.0.0.1", port: 0) }
    bench.store.outcome = .unavailable
    let body = Array(OverlandCase.body(["5"]).utf8)
    #expect(try bench.ask(body: body).status == 503)
    bench.store.outcome = nil
    #expect(try bench.ask(body: body).status == 200)
    let metrics = try bench.http.ask(bench.metricsPort, "GET", "/metrics").text
    #expect(metrics.contains(#"outrider_collector_dropped_total{reason="not_a_feature"} 1"#))
  }
}
