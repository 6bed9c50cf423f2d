import Database
import HTTPServer
import TestSupport
import Testing

/// Elements of Overland bodies at the HTTP border of `outrider collect`: request in, answer and rows out.
@Suite struct OverlandElementTests {
  private static let rows = "SELECT latitude_e7, longitude_e7, time_ms FROM features"

  @Test(arguments: OverlandCase.all.indices) func everyElementIsStoredOrCounted(index: Int) throws {
    let one = OverlandCase.all[index]
    for isAlone in [true, false] {
      let bench = try CollectorTests.Bench()
      let elements =
        isAlone ? [one.element] : [OverlandCase.neighbours[0], one.element, OverlandCase.neighbours[1]]
      let answer = try bench.post(OverlandCase.body(elements))
      #expect(
        answer.status == 200 && answer.text.contains(#""result":"ok""#), "\(one.promise): \(answer.text)")
      let expected = (isAlone ? [] : OverlandCase.neighbourRows) + [one.household.row].compactMap { $0 }
      if !expected.isEmpty || one.household.dropped == nil {
        let rows = try bench.query(Self.rows + " WHERE kind = 'location' ORDER BY time_ms")
        let sorted = expected.sorted { $0[2] < $1[2] }
        #expect(rows == sorted.map { $0.map { .integer($0) } }, "\(one.promise)")
      }
      let status = try bench.get("/status").text
      let dropped = one.household.dropped.map { #""dropped":{"\#($0)":1}"# }
      #expect(status.contains(dropped ?? "dropped") == (dropped != nil), "\(one.promise): \(status)")
      #expect(bench.notices.count == (dropped == nil ? 0 : 1), "\(one.promise)")
    }
  }

  @Test func everyBodyHasItsAnswer() throws {
    for (body, status, _) in OverlandCase.bodies {
      let bench = try CollectorTests.Bench()
      #expect(try bench.post(body).status == status, "\(body)")
    }
  }
}
