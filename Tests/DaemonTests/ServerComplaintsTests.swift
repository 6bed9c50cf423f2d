import Quantities
import Testing

@testable import Daemon

@Suite struct ServerComplaintsTests {
  @Test func soManyLinesAnHourAreSaidAndTheRestIsCounted() {
    var complaints = ServerComplaints()
    var said: [[String]] = []
    for second in 0..<(3600 * 3) {
      said.append(complaints.add("x", now: .zero + .seconds(second)))
    }
    let most = ServerComplaints.mostLines
    #expect(said.prefix(most) == ArraySlice(repeating: ["x"], count: most))
    #expect(said[most].count == 1 && said[most] != ["x"])
    #expect(said[(most + 1)..<3600].joined().isEmpty)
    #expect(said[3600] == ["\(3600 - most) more settings of its server were not taken", "x"])
    #expect(said.joined().count == 3 * (most + 1) + 2)
  }

  @Test func whatIsSeldomIsSaidEachTime() {
    var complaints = ServerComplaints()
    for hour in 0..<100 { #expect(complaints.add("x", now: .zero + .seconds(hour * 3600)) == ["x"]) }
  }
}
