import Quantities
import Testing
import TextSnapshots

@testable import Daemon

@Suite struct ServerComplaintsTests {
  @Test func linesAboutAServerAreLimitedPerHourAndTheRestIsCounted() throws {
    var complaints = ServerComplaints()
    var said: [[String]] = []
    for second in 0..<(3600 * 3) {
      said.append(complaints.add("x", now: .zero + .seconds(second)))
    }
    let most = ServerComplaints.mostLines
    #expect(said.prefix(most) == ArraySlice(repeating: ["x"], count: most))
    let texts = TextSnapshot("daemon")
    #expect(said[most].count == 1 && said[most] != ["x"])
    #expect(said[most].first == texts.expected("limit of lines about a server", said[most].first ?? ""))
    #expect(said[(most + 1)..<3600].joined().isEmpty)
    #expect(said[3600].count == 2 && said[3600].last == "x")
    let count = try #require(said[3600].first)
    #expect(count.contains("\(3600 - most) "), "\(count)")
    #expect(count == texts.expected("count of unreported settings of a server", count))
    #expect(said.joined().count == 3 * (most + 1) + 2)
  }

  @Test func rareLinesAreAllReported() {
    var complaints = ServerComplaints()
    for hour in 0..<100 { #expect(complaints.add("x", now: .zero + .seconds(hour * 3600)) == ["x"]) }
  }
}
